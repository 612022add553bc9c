"""Programs and operations with answers, as JAX sends them, through a JAX client."""

import ast
import os
import subprocess
import sys

import pytest


def run(script, folder, *words):
    environment = os.environ | {"JAX_PLATFORMS": "trainyard"}
    done = subprocess.run([sys.executable, str(script), str(folder), "--platform", "trainyard",
                           "--verbose", *words], env=environment, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=3000)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    return ast.literal_eval(lines[-1]), lines[:-1]


@pytest.mark.slow
def test_programs_that_jax_sends_pass_or_are_refused(shared):
    tally, lines = run(shared / "jax-programs/run_programs.py", shared / "jax-programs")
    wrong = [line for line in lines if line.startswith(("fail", "error"))]
    assert not wrong
    assert sum(tally.values()) > 80


@pytest.mark.slow
def test_operations_pass_or_are_refused(shared):
    tally, lines = run(shared / "stablehlo/run_cases.py", shared / "stablehlo")
    assert not lines
    assert sum(tally.values()) > 600


def test_reshapes_with_answers_pass(shared):
    tally, lines = run(shared / "stablehlo/run_cases.py", shared / "stablehlo", "--match", "^reshape")
    assert not lines
    assert tally.get("pass", 0) > 0
