"""iota and affine_select: integer ramps over partitions and free elements."""

import numpy as np
import oracle
import pytest
from cases import TARGETS, Cases
from test_elementwise import CASES, sizes


def ramp(cases, partitions, count):
    """A random pattern: its text and its values."""
    shape = cases.factors(count, 4)
    steps = [cases.integer(-300, 300) for _ in shape]
    offset = cases.choose(0, 5, -1000, 2**31 - 50, 2**24)
    multiplier = cases.choose(0, 1, -3, 70000, 2**24)
    pattern = ",".join(f"[{s},{n}]" for s, n in zip(steps, shape))
    values = oracle.iota(partitions, list(zip(steps, shape)), offset, multiplier)
    return f"pattern=[{pattern}] offset={offset} channel_multiplier={multiplier}", values


@pytest.mark.parametrize("target", TARGETS)
def test_iota_counts_in_32_bits_and_casts(tmp_path, target):
    cases = Cases(40, target)
    for _ in range(CASES):
        p, n = sizes(cases)
        text, values = ramp(cases, p, n)
        dst = cases.operand(cases.choose(*oracle.FLOATS, *oracle.INTEGERS), p, n, is_dst=True)
        if dst.dtype in oracle.WORDS:
            dst.put(values.view(oracle.NUMPY[dst.dtype]))
        else:
            dst.put(oracle.narrow(values.astype(np.float32), dst.dtype))
        cases.add(f"iota {dst} {text}")
    cases.run(tmp_path)


@pytest.mark.parametrize("target", TARGETS)
def test_affine_select_compares_the_ramp_with_zero(tmp_path, target):
    cases = Cases(41, target)
    for _ in range(CASES):
        p, n = sizes(cases)
        text, values = ramp(cases, p, n)
        yes = cases.operand(cases.choose(*oracle.FLOATS, *oracle.INTEGERS), p, n)
        dst = cases.operand(cases.choose(yes.dtype, *oracle.FLOATS), p, n, is_dst=True)
        op = cases.choose(*oracle.COMPARISONS)
        chosen = oracle.exact(op, values, 0) != 0
        no = np.broadcast_to(oracle.narrow(np.float32(-1.5), dst.dtype), (p, n))
        dst.put(np.where(chosen, oracle.cast(yes.get(), yes.dtype, dst.dtype), no))
        cases.add(f"affine_select {dst} <- {yes} {text} cmp_op={op} on_false_value=-1.5")
    cases.run(tmp_path)
