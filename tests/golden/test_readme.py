"""The README shows what the program really prints."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

import transcript

ROOT = pathlib.Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
RUNS = [text for kind, text in BLOCKS if not kind and text.startswith("$ trainyard")]


def test_there_is_something_to_replay():
    assert RUNS


@pytest.mark.parametrize("text", RUNS, ids=lambda text: text.split("\n")[0])
def test_a_command_prints_what_the_readme_shows(text, trainyard, tmp_path):
    now = transcript.replay(text, trainyard, ROOT, str(tmp_path))
    assert now == transcript.without_host_times(text)


def test_the_program_in_twelve_lines_is_the_example(trainyard, tmp_path):
    text = next(text for kind, text in BLOCKS if kind == "tya")
    assert text.count("\n") == 12
    (tmp_path / "softmax.tya").write_text(text)

    def placed(path):
        return subprocess.run([trainyard, "asm", str(path)], capture_output=True, text=True, check=True).stdout

    assert placed(tmp_path / "softmax.tya") == placed(ROOT / "examples/softmax.tya")


def test_the_kernel_demo_prints_what_the_readme_shows(trainyard, tmp_path):
    path = f"{pathlib.Path(trainyard).parent}:{os.environ['PATH']}"
    done = subprocess.run([str(ROOT / "examples/demo-kernel")], capture_output=True, text=True, timeout=120, env={
        **os.environ, "PATH": path, "OUT": str(tmp_path), "PYTHON": sys.executable})
    assert done.returncode == 0, done.stderr
    now = done.stdout.replace(str(tmp_path), "build/demo").replace(sys.executable, ".venv/bin/python")
    shown = next(text for _, text in BLOCKS if text.startswith("==> Causal attention"))
    shown = shown.replace(" \\\n   ", "")  # the README breaks the long command
    assert transcript.without_host_times(now.strip("\n")) == transcript.without_host_times(shown.strip("\n"))
    assert (tmp_path / "attention.pftrace").stat().st_size > 10000


def test_the_demo_notices_wrong_values(trainyard, tmp_path):
    import ml_dtypes
    import numpy as np
    script = str(ROOT / "examples/attention_reference.py")
    subprocess.run([sys.executable, script, "make", str(tmp_path)], check=True)
    np.save(tmp_path / "out.npy", np.zeros((2048, 64), np.float32))
    done = subprocess.run([sys.executable, script, "compare", str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == 1
    assert "something is wrong" in done.stdout
    assert np.load(tmp_path / "v.npy").dtype.itemsize == ml_dtypes.bfloat16(0).nbytes


def test_the_readme_quotes_the_fidelity_table(trainyard):
    import json
    table = json.loads(subprocess.run([trainyard, "fidelity", "--json"], cwd=ROOT, capture_output=True,
                                      text=True).stdout)
    words = " ".join(README.split())
    assert (f"{table['all']['figures']} figures, mean error {table['all']['mean_error_percent']:.1f} %, and "
            f"{table['unseen']['mean_error_percent']:.1f} % over the {table['unseen']['figures']} that set") in words
