"""`./dev demo` runs and prints what the README shows, up to figures that move with compiler and host."""

import re

import pytest


def without_figures(text: str) -> list[str]:
    """Lines without numbers, bars, units and what depends on them; the engines in no order."""
    lines = []
    for line in text.strip("\n").splitlines():
        line = re.sub(r"most of it waits; \w+ works longest|bound by \w+", "bound", line)
        line = re.sub(r"[0-9]+(\.[0-9]+)?( (ns|us|ms|s)\b)?%?|#+", "0", line)
        lines.append(re.sub(r"\s+0?$", "", re.sub(r"\s+", " ", line)))
    return sorted(lines)


@pytest.mark.slow
def test_the_demo_prints_what_the_readme_shows(script, root):
    done = script(root / "examples/demo.py")
    assert done.returncode == 0, done.stderr
    blocks = re.findall(r"^```\n(==> A GPT.*?)^```$", (root / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    assert without_figures(done.stdout) == without_figures(blocks[0])


def test_a_few_steps_of_the_demo_tell_what_they_cost(script, root):
    done = script(root / "examples/demo.py", "--steps", "12")
    assert done.returncode == 0, done.stderr
    costs = re.findall(r"([0-9.]+) USD per million steps", done.stdout)
    assert len(costs) == 2 and all(float(cost) > 0 for cost in costs)
    assert re.search(r"^MFU +[0-9.]+%", done.stdout, re.MULTILINE)
