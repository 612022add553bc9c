"""Times the workloads of workloads.py on simulated devices and on JAX's CPU back end, in turns.

    python bench/jax/compare.py [--quick] [--rounds N] [NAME...]

Every measurement is a process of its own, and platforms take turns, so that a host that gets slower
hits both. A row is the median of the rounds. Ratio above 1: we are faster. It exits with 1 if a
workload misses its bar or computes something else.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
PLATFORMS = ["cpu", "trainyard"]
QUICK = ["gpt-tiny-fp32", "mlp-fp32", "softmax-4096", "dispatch-add"]
LIMIT = 600  # seconds of one process


def measure(name: str, platform: str) -> dict:
    environment = os.environ | {"JAX_PLATFORMS": platform, "PYTHONPATH": str(FOLDER.parents[1] / "python")}
    try:
        done = subprocess.run([sys.executable, str(FOLDER / "workloads.py"), name], env=environment, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return {"fault": f"no result after {LIMIT} s"}
    if done.returncode != 0:
        return {"fault": (done.stderr.strip().splitlines() or ["no message"])[-1]}
    return json.loads(done.stdout.splitlines()[-1])


def in_words(seconds: float) -> str:
    return f"{seconds * 1e6:.1f} us" if seconds < 1e-3 else f"{seconds * 1e3:.1f} ms"


def compare(name: str, bar: float, rounds: int) -> tuple[str, bool]:
    told = {platform: [] for platform in PLATFORMS}
    for _ in range(rounds):
        for platform in PLATFORMS:
            row = measure(name, platform)
            if "fault" in row:
                return f"{name:<20} {platform} failed: {row['fault'][:120]}", False
            told[platform].append(row)
    theirs, ours = (statistics.median(row["seconds"] for row in told[p]) for p in PLATFORMS)
    want, got = told["cpu"][-1]["checksum"], told["trainyard"][-1]["checksum"]
    same = abs(want - got) <= 1e-2 * max(abs(want), 1.0)
    ratio = theirs / ours
    good = same and ratio >= bar
    verdict = "pass" if good else "slow" if same else f"differs: {got:g}, CPU {want:g}"
    return (f"{name:<20} {in_words(ours):>12} {in_words(theirs):>12} {ratio:>8.2f} {bar:>6.2f}  {verdict}"), good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help=f"only {', '.join(QUICK)}")
    parser.add_argument("--rounds", type=int, default=5, help="processes per platform")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    sys.path.insert(0, str(FOLDER))
    os.environ.setdefault("JAX_PLATFORMS", "cpu")
    from workloads import WORKLOADS

    names = options.names or (QUICK if options.quick else list(WORKLOADS))
    unknown = [name for name in names if name not in WORKLOADS]
    if unknown:
        print(f"there is no workload {unknown[0]}; there are {', '.join(WORKLOADS)}", file=sys.stderr)
        return 2
    print(f"{'workload':<20} {'ours':>12} {'JAX CPU':>12} {'ratio':>8} {'bar':>6}")
    passed = 0
    for name in names:
        line, good = compare(name, WORKLOADS[name].bar, options.rounds)
        print(line, flush=True)
        passed += good
    print(f"{passed} of {len(names)} pass")
    return 0 if passed == len(names) else 1


if __name__ == "__main__":
    sys.exit(main())
