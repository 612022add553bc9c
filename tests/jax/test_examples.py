"""Every example of examples/jax runs on a simulated core, learns, and tells its simulated time."""

import pathlib
import re

import pytest

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "examples/jax"
SHARED = {"training.py"}  # what the others import
EXAMPLES = sorted(p for p in FOLDER.glob("*.py") if p.name not in SHARED)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_the_example_learns_and_tells_its_time(path, script):
    done = script(path)
    assert done.returncode == 0, done.stderr
    said = re.search(r"loss ([0-9.]+) -> ([0-9.]+) in \d+ steps on trainyard", done.stdout)
    assert said, done.stdout
    assert float(said[2]) < float(said[1])
    simulated = re.search(r"simulated +([0-9.]+) ms per step", done.stdout)
    assert simulated and float(simulated[1]) > 0, done.stdout
