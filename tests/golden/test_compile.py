"""`trainyard compile`: what it prints, writes and refuses."""

import re
import subprocess

import pytest


@pytest.fixture(scope="session")
def module(root):
    files = sorted((root / "tests/data/stablehlo").glob("*.mlirbc"))
    assert files
    return files


def run(trainyard, *words, **options):
    return subprocess.run([trainyard, "compile", *map(str, words)], capture_output=True, text=True, timeout=60,
                          **options)


def compiled(trainyard, module):
    """The first module that compiles."""
    for path in module:
        if run(trainyard, path).returncode == 0:
            return path
    raise AssertionError("no module of tests/data/stablehlo compiles")


def test_a_module_becomes_a_program_that_the_assembler_takes(trainyard, module, tmp_path):
    path = compiled(trainyard, module)
    out = tmp_path / "model.tya"
    assert run(trainyard, path, "-o", out).stdout == ""
    assert out.read_text() == run(trainyard, path).stdout
    done = subprocess.run([trainyard, "asm", str(out)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_every_pass_can_be_seen_and_keeps_the_rules(trainyard, module):
    path = compiled(trainyard, module)
    times = run(trainyard, path, "--time-passes", "--verify-passes")
    assert times.returncode == 0, times.stderr
    names = re.findall(r"^(\w+) +[\d.]+ ms$", times.stdout, re.MULTILINE)
    passes = [n for n in names if n not in ("verify", "lower", "total")]
    assert passes[0] == "inline"
    for name in ["read", *passes]:
        graph = run(trainyard, path, f"--print-after={name}")
        assert graph.stdout.startswith("module @"), name
    assert "func.call" not in run(trainyard, path, "--print-after=inline").stdout


def test_a_dump_holds_each_stage(trainyard, module, tmp_path):
    path = compiled(trainyard, module)
    done = run(trainyard, path, "-o", tmp_path / "x.tya", env={"TRAINYARD_DUMP": str(tmp_path / "dump")})
    assert done.returncode == 0, done.stderr
    names = sorted(p.name for p in (tmp_path / "dump").iterdir())
    assert names[0] == "00_read.mlir"
    assert names[-1].endswith("_body.tya")
    assert len(names) > 4


def test_an_unknown_pass_is_refused_with_the_list(trainyard, module):
    done = run(trainyard, module[0], "--print-after=fuse")
    assert done.returncode == 1
    assert "TY-TOOL-021" in done.stderr and "inline, expand" in done.stderr


def test_text_without_jaxlib_says_what_is_missing(trainyard, tmp_path):
    (tmp_path / "f.mlir").write_text("module {}")
    done = run(trainyard, tmp_path / "f.mlir", env={"TRAINYARD_PYTHON": "/bin/false"})
    assert done.returncode == 1
    assert "TY-TOOL-022" in done.stderr and "jaxlib" in done.stderr
