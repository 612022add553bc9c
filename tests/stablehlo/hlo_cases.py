"""Runs StableHLO cases through `run_hlo` (no JAX) and compares with their answers.

usage: hlo_cases.py DIR [--match REGEX] [--verbose] [--check] [--tool build/release/tests/tools/run_hlo]
DIR holds cases.json (StableHLO's own tests) or programs.json (programs that JAX sends). A case passes, is refused (exit
with a TY- code), fails (wrong numbers) or crashes.
"""
import argparse
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import ml_dtypes
import numpy as np

TYPES = {
    "f64": np.float64, "f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16, "i1": np.bool_,
    "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "ui8": np.uint8, "ui16": np.uint16,
    "ui32": np.uint32, "ui64": np.uint64, "i4": ml_dtypes.int4, "ui4": ml_dtypes.uint4,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn, "f8E5M2": ml_dtypes.float8_e5m2, "f8E4M3": ml_dtypes.float8_e4m3,
    "f8E3M4": ml_dtypes.float8_e3m4, "complex<f32>": np.complex64, "complex<f64>": np.complex128,
    "f8E4M3B11FNUZ": ml_dtypes.float8_e4m3b11fnuz, "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
}
CASE_TOLERANCE = {"f64": 1e-10, "complex<f64>": 1e-10, "f32": 2e-5, "complex<f32>": 5e-5, "f16": 4e-3, "bf16": 3e-2}
PROGRAM_TOLERANCE = {"f8E4M3FN": 3e-2, "f8E5M2": 3e-2, "bf16": 3e-2, "f16": 5e-3, "f32": 1e-4, "complex<f32>": 1e-4,
                     "f64": 1e-10}


def case_error(got, want, kind, _types):
    """What differs by the rules of StableHLO's tests, or nothing."""
    if kind in CASE_TOLERANCE:
        wide = np.complex128 if "complex" in kind else np.float64
        got, want = got.astype(wide), want.astype(wide)
        scale = np.max(np.abs(want[np.isfinite(want)]), initial=0.0)
        tolerance = CASE_TOLERANCE[kind]
        good = np.isclose(got, want, rtol=tolerance, atol=tolerance * max(min(scale, 1.0), 1e-3), equal_nan=True)
    elif kind.startswith("f8"):
        good = np.isclose(got.astype(np.float32), want.astype(np.float32), rtol=0.13, atol=0.02, equal_nan=True)
    else:
        good = got == want
    return "" if np.all(good) else f"{np.size(good) - np.sum(good)} of {np.size(good)} differ"


def program_error(got, want, kind, types):
    """What differs by the rules for JAX's programs, or nothing."""
    narrowest = next((t for t in PROGRAM_TOLERANCE if t in types), None)
    if kind.startswith("f8"):
        tolerance = 0.13 if "E4M3" in kind else 0.25
    elif kind in PROGRAM_TOLERANCE:
        tolerance = PROGRAM_TOLERANCE[narrowest]
    else:
        return "" if np.array_equal(got, want) else f"{np.sum(got != want)} of {np.size(got)} differ"
    wide = np.complex128 if "complex" in kind else np.float64
    got, want = got.astype(wide), want.astype(wide)
    scale = np.max(np.abs(want[np.isfinite(want)]), initial=0.0)
    with np.errstate(invalid="ignore"):
        near = np.abs(got - want) <= tolerance * np.maximum(scale, np.abs(want))
    good = near | (np.isnan(got) & np.isnan(want)) | (got == want)
    if np.all(good):
        return ""
    worst = np.nanmax(np.where(np.isfinite(got - want), np.abs(got - want), np.inf)) if got.size else 0
    return f"{np.size(good) - np.sum(good)} of {np.size(good)} differ, by up to {worst:.3g} of {scale:.3g}"


def run_case(tool, folder, row, compare, flags):
    if not row["module"].endswith(".mlirbc"):
        return "skipped", "text"
    arrays = np.load(folder / (row["name"] + ".npz"))
    with tempfile.TemporaryDirectory() as work:
        inputs = []
        for i, (kind, shape) in enumerate(row["inputs"]):
            path = pathlib.Path(work) / f"in{i}.bin"
            path.write_bytes(np.ascontiguousarray(arrays[f"in{i}"]).tobytes())
            inputs.append(str(path))
        try:
            done = subprocess.run([tool, str(folder / row["module"]), work, *inputs, *flags], capture_output=True,
                                  text=True, timeout=120)
        except subprocess.TimeoutExpired:
            return "hang", "120 s"
        if done.returncode == 2 and re.search(r"TY-[A-Z]+-\d+", done.stderr):
            return "refused", done.stderr.strip()[:300]
        if done.returncode != 0:
            return "crash", f"exit {done.returncode}: {done.stderr.strip()[:300]}"
        bad = []
        for i, (kind, shape) in enumerate(row["outputs"]):
            want = arrays[f"out{i}"]
            want = want.view(TYPES[kind]).reshape(shape) if want.dtype != TYPES[kind] else want
            got = np.frombuffer((pathlib.Path(work) / f"out{i}.bin").read_bytes(), TYPES[kind]).reshape(shape)
            why = compare(got, want, kind, row.get("types", []))
            if why:
                bad.append(f"out{i} {kind}{shape}: {why}")
        return ("fail", "; ".join(bad)) if bad else ("pass", "")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dir", type=pathlib.Path)
    parser.add_argument("--match", default="")
    parser.add_argument("--tool", default="build/release/tests/tools/run_hlo")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--check", action="store_true", help="place, time and prove each case, too")
    options = parser.parse_args()
    table, compare = options.dir / "cases.json", case_error
    if not table.exists():
        table, compare = options.dir / "programs.json", program_error
    counts, failed_ops = collections.Counter(), collections.Counter()
    for row in json.loads(table.read_text()):
        if not re.search(options.match, row["name"]) or "mesh" in row:
            continue
        status, why = run_case(options.tool, options.dir, row, compare, ["--check"] if options.check else [])
        counts[status] += 1
        if status not in ("pass", "skipped"):
            failed_ops.update(row.get("ops", []) if status != "refused" else [])
            if options.verbose:
                print(status, row["name"], why, flush=True)
    print(dict(counts))
    return 0 if not counts["fail"] + counts["crash"] + counts["hang"] else 1


if __name__ == "__main__":
    sys.exit(main())
