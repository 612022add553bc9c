"""The graph IR of small JAX programs, as text."""

import pathlib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SMALL = sorted((ROOT / "tests/data/stablehlo").glob("*.mlirbc"))


@pytest.mark.parametrize("file", SMALL, ids=lambda f: f.stem)
def test_a_small_program_prints_as_before(file, shlo_dump, golden):
    done = shlo_dump("--locations", file)
    assert done.returncode == 0, done.stderr
    errors = done.stderr.replace(str(file), file.name)
    golden(ROOT / f"tests/golden/stablehlo/{file.stem}.txt", done.stdout + errors)
