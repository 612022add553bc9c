"""Executable files and the cache of them, from the command line."""

import json
import subprocess

import pytest

SOFTMAX = "tests/golden/trace/softmax.tya"
MODULE = "tests/data/stablehlo/mlp_grad.mlirbc"


@pytest.fixture
def run(trainyard, root, tmp_path):
    """run(WORD..., NAME=value...): the command in the root of the tree."""

    def call(*words, **variables):
        environment = {"PATH": "/usr/bin:/bin"} | variables
        return subprocess.run([trainyard, *map(str, words)], cwd=root, env=environment, text=True,
                              capture_output=True, timeout=120)

    return call


def test_a_placed_program_reads_the_same_from_text_and_from_a_file(run, tmp_path):
    file = tmp_path / "softmax.tyx"
    assert run("asm", SOFTMAX, "-o", file).returncode == 0
    shown = run("disasm", file)
    assert shown.returncode == 0, shown.stderr
    text = "".join(line for line in shown.stdout.splitlines(True) if not line.startswith("#"))
    assert text == run("disasm", SOFTMAX).stdout
    assert " placed\n" in text


def test_a_file_runs_to_the_same_values_and_time_as_its_text(run, tmp_path):
    file = tmp_path / "softmax.tyx"
    run("asm", SOFTMAX, "-o", file)
    runs = [json.loads(run("run", p, "--random", 1, "--json").stdout) for p in (SOFTMAX, file)]
    assert runs[0]["time"] == runs[1]["time"]
    assert runs[0]["values"]["xxh3"] == runs[1]["values"]["xxh3"]


def test_a_compiled_module_is_shown_and_run_from_its_file(run, tmp_path):
    file = tmp_path / "mlp.tyx"
    done = run("compile", MODULE, "-o", file)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    shown = run("disasm", file).stdout
    assert "# made by trainyard " in shown and "# argument 0: tensor<" in shown
    assert "# result 0: tensor<" in shown
    assert run("run", file, "--random", 1).returncode == 0
    again = tmp_path / "again.tyx"
    run("compile", MODULE, "-o", again)
    assert again.read_bytes() == file.read_bytes()


def test_a_damaged_file_is_refused_with_its_name_and_the_byte(run, tmp_path):
    file = tmp_path / "mlp.tyx"
    run("compile", MODULE, "-o", file)
    file.write_bytes(file.read_bytes()[:-100])
    done = run("run", file, "--random", 1)
    assert done.returncode == 1
    assert f"{file}  TY-EXE-003  at byte 16: " in done.stderr
    file.write_text("program p target trn2\n")
    assert "TY-EXE-001" in run("disasm", file).stderr


def test_the_cache_tells_what_it_holds_and_why_a_module_is_missed(run, tmp_path):
    assert "TY-TOOL-023" in run("cache").stderr
    empty = run("cache", "--folder", tmp_path, "--explain", MODULE)
    assert empty.returncode == 1 and "No program in it was compiled from this module" in empty.stdout
    key = empty.stdout.partition("key       ")[2].split()[0]
    run("compile", MODULE, "-o", tmp_path / f"{key}.tyx")
    found = run("cache", "--explain", MODULE, TRAINYARD_CACHE=str(tmp_path))
    assert found.returncode == 0 and f"found     {tmp_path}/{key}.tyx" in found.stdout
    other = run("cache", "--folder", tmp_path, "--explain", MODULE, "--target", "trn1")
    assert "holds the same module, but differs in\n  machine: it has trn2, " in other.stdout
    listed = run("cache", "--folder", tmp_path)
    assert f"{key}.tyx" in listed.stdout and "1 programs, " in listed.stdout
