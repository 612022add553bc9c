"""Values and gradients of the catalogue's functions, and of random programs, against JAX's CPU.

Several cases share one program: a case costs some milliseconds then, and the compiler sees larger
graphs. When such a program fails, its cases run one by one, to name the one at fault.
"""

import zlib

import pytest

jax = pytest.importorskip("jax")

import catalogue  # noqa: E402
import grouping  # noqa: E402
import random_programs  # noqa: E402
from compare import compare  # noqa: E402

_GROUP = 10  # cases of one program
_FIRST = 500  # cases of the short run
_SEEDS = 7  # cases of each row in the long run


def _groups(cases):
    return [cases[i:i + _GROUP] for i in range(0, len(cases), _GROUP)]


def _faults(chosen, wide=False) -> list[str]:
    """What differs in these cases, which are pairs of row and seed."""
    cases = [grouping.case(row, seed, wide) for row, seed in chosen]
    run, arguments = grouping.together(cases)
    scales = [case[2] for case in cases for _ in jax.tree.leaves(jax.eval_shape(case[0], *case[1]))]
    try:
        if not any(compare(run, arguments, scales)):
            return []
    except Exception as fault:
        if len(chosen) == 1:
            return [f"{chosen[0][0].name} {chosen[0][1]}: {fault}"]
    found = []
    for (row, seed), (function, own, scale, dtype) in zip(chosen, cases):
        try:
            texts = [text for text in compare(function, own, scale) if text]
        except Exception as fault:
            texts = [str(fault)]
        found += [f"{row.name} {seed} ({dtype}): {text}" for text in texts]
    return found or [f"{[(row.name, seed) for row, seed in chosen]} differ only together"]


def _cases(seeds):
    """Pairs of row and seed. Neighbours in a program are of different kinds."""
    spread = sorted(catalogue.ROWS, key=lambda row: zlib.crc32(row.name.encode()))
    return [(row, seed) for seed in seeds for row in spread]


_SHORT = _groups([case for case in _cases(range(2)) if not case[0].heavy][:_FIRST])
_LONG = _groups(_cases(range(1, 1 + _SEEDS)))
_WIDE = _groups([case for case in _cases(range(1, 3)) if case[0].wide])


@pytest.mark.parametrize("group", range(len(_SHORT)))
def test_functions(group):
    assert _faults(_SHORT[group]) == []


@pytest.mark.slow
@pytest.mark.parametrize("group", range(len(_LONG)))
def test_more_functions(group):
    assert _faults(_LONG[group]) == []


@pytest.mark.slow
@pytest.mark.parametrize("group", range(len(_WIDE)))
def test_functions_of_wide_types(group):
    with jax.enable_x64(True):
        assert _faults(_WIDE[group], wide=True) == []


def _program_faults(seed):
    run, arguments = random_programs.program(seed)
    return [text for text in compare(run, arguments, 500.0) if text]


@pytest.mark.parametrize("seed", range(30))
def test_random_programs(seed):
    assert _program_faults(seed) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(30, 330))
def test_more_random_programs(seed):
    assert _program_faults(seed) == []
