"""Runs a JAX script on a simulated device and says where its time goes.

    trainyard profile train.py ...          or   python -m trainyard.profile -- train.py ...

The step is the program that takes the most simulated time over all its runs.
"""

import argparse
import json
import os
import pathlib
import runpy
import sys
import threading
import time
from typing import Any

from trainyard import screen

_MOST_OPERATIONS = 12
_MOST_PROGRAMS = 6


class _Line:
    """How long the script runs, on stderr and only on a terminal, from the third second on."""

    def __init__(self) -> None:
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._show, daemon=True)
        self._begin = time.monotonic()
        if sys.stderr.isatty():
            self._thread.start()

    def _show(self) -> None:
        shown = False
        while not self._over.wait(1):
            seconds = time.monotonic() - self._begin
            if seconds >= 3:
                shown = True
                print(f"\rtrainyard: running, {seconds:.0f} s", end="", file=sys.stderr, flush=True)
        if shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def stop(self) -> None:
        self._over.set()
        if self._thread.is_alive():
            self._thread.join()


class _Recorder:
    """All programs that ran, also those whose time the script itself asked for."""

    def __init__(self) -> None:
        from trainyard import timing

        self._ask = timing.simulated_time
        self.rows: dict[tuple, Any] = {}  # by name and time: (row, runs)
        timing.simulated_time = self.take  # the package finds it there when first used

    def take(self):
        told = self._ask()
        for row in told.programs:
            key = (row.program, row.seconds)
            runs = self.rows[key][1] if key in self.rows else 0
            self.rows[key] = (row, runs + row.runs)
        return told


def _program(row: Any, runs: int) -> dict[str, Any]:
    return {"program": row.program, "runs": runs, "seconds": row.seconds,
            "launch_seconds": row.launch_seconds, "flops": row.flops, "hbm_bytes": row.hbm_bytes,
            "tensor_utilisation": row.flops / row.seconds / row.profile["peak_flops"] if row.seconds else 0,
            "trust": row.trust, "profile": row.profile}


def report(programs: list[dict[str, Any]], wall_seconds: float, trace: str) -> str:
    """What the command prints about the programs of a run, the step first."""
    step = programs[0]
    profile = step["profile"]
    total = sum(p["runs"] * (p["seconds"] + p["launch_seconds"]) for p in programs)
    lines = [
        f"step      {step['program']}, {step['runs']} runs of {screen.in_words(step['seconds'])}   "
        f"{screen.bound_in_words(profile)}   (plus {screen.in_words(step['launch_seconds'])} to start each)",
        f"all       {screen.in_words(total)} simulated, {screen.in_words(wall_seconds)} on this host, "
        f"{len(programs)} programs",
        f"Tensor    {step['flops'] / 1e9:.2f} GFLOP per step, {step['tensor_utilisation']:.2%} of the peak of "
        f"{profile['peak_flops'] / 1e12:.1f} TFLOP/s",
        f"HBM       {step['hbm_bytes'] / 1e6:.1f} MB per step at "
        f"{step['hbm_bytes'] / step['seconds'] / 1e9:.0f} GB/s",
        "", "  engine   busy", *screen.engine_rows(profile),
        "", "       busy  of step  on      operation            where",
        *screen.operation_rows(profile, _MOST_OPERATIONS)]
    if len(programs) > 1:
        lines += ["", "other programs"]
        lines += [f"  {p['runs']:>5} x {screen.in_words(p['seconds']):>9}  {p['program']}"
                  for p in programs[1:_MOST_PROGRAMS]]
        if len(programs) > _MOST_PROGRAMS:
            lines.append(f"  and {len(programs) - _MOST_PROGRAMS} more")
    lines += ["", f"trust     {step['trust']}"]
    if trace:
        lines.append(f"trace     {trace}   open in ui.perfetto.dev")
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="trainyard profile", description=__doc__.split("\n")[0])
    parser.add_argument("--trace", default="", help="write a Perfetto trace of the longest program here")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("script")
    parser.add_argument("rest", nargs=argparse.REMAINDER, help="arguments of the script")
    options = parser.parse_args(arguments)
    script = pathlib.Path(options.script)
    if not script.exists():
        print(f"trainyard profile: there is no file {script}", file=sys.stderr)
        return 1
    os.environ.setdefault("JAX_PLATFORMS", "trainyard")
    if options.trace:
        os.environ["TRAINYARD_TRACE"] = options.trace
    recorder = _Recorder()
    sys.argv = [str(script), *options.rest]
    sys.path[0] = str(script.resolve().parent)
    line, begin = _Line(), time.perf_counter()
    try:
        runpy.run_path(str(script), run_name="__main__")
    except SystemExit as end:
        if end.code:
            return end.code if isinstance(end.code, int) else 1
    finally:
        line.stop()
    wall = time.perf_counter() - begin
    recorder.take()
    programs = [_program(row, runs) for row, runs in recorder.rows.values()]
    programs.sort(key=lambda p: -p["runs"] * p["seconds"])
    if not programs:
        print("trainyard profile: the script ran no program on a simulated device", file=sys.stderr)
        return 1
    sys.stdout.flush()
    if options.json:
        print(json.dumps({"wall_seconds": wall, "trace": options.trace, "programs": programs}))
    else:
        print("\n" + report(programs, wall, options.trace))
    return 0


if __name__ == "__main__":
    sys.exit(main())
