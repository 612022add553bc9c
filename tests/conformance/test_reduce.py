"""tensor_reduce, tensor_tensor_scan, bn_stats, bn_aggr, max8."""

import numpy as np
import oracle
import pytest
from cases import TARGETS, Cases
from test_elementwise import CASES, memories, number_or_column, sizes

REDUCTIONS = ("add", "subtract", "multiply", "max", "min", "logical_and", "logical_or",
              "logical_xor")


def reduced(cases, data, kept, length):
    """The elements as [partitions, kept, length]."""
    return data.get().reshape(data.partitions, kept, length)


def random_dims(cases):
    """Kept and reduced dims of a reduction."""
    kept = [cases.integer(1, 6) for _ in range(cases.integer(0, 2))]
    axes = [cases.integer(1, 9) for _ in range(cases.integer(1, 2))]
    if cases.random.random() < 0.05:
        kept, axes = kept[:1], [cases.choose(1100, 2500)]
    return kept, axes


def dense_operand(cases, dtype, partitions, shape, **extra):
    """A tile whose dims are exactly `shape`, with gaps between the outer ones."""
    steps, span = [], 1
    for n in reversed(shape):
        steps.insert(0, span)
        span = span * n + cases.choose(0, 0, 1, 3)
    access = cases.operand(dtype, partitions, int(np.prod(shape)),
                           values=None, **extra)
    rows = access.tile.before.shape[0]
    access.tile.before = cases.values(dtype, (rows, span + 2), extra.get("low"), extra.get("high"))
    access.tile.after = access.tile.before.copy()
    return type(access)(access.tile, access.partition, partitions, 1, list(zip(steps, shape)))


@pytest.mark.parametrize("simd,target,nan", ((None, "trn1", 1), (None, "trn2", 0),
                                             (None, "trn3", 1), ("avx2", "trn2", 1),
                                             ("avx2", "trn2", 0), ("scalar", "trn2", 1),
                                             ("scalar", "trn2", 0)))
def test_tensor_reduce_follows_sixteen_lanes_or_the_elements(tmp_path, simd, target, nan):
    cases = Cases(30, target)
    for _ in range(CASES):
        p = cases.partitions()
        kept, axes = random_dims(cases)
        op = cases.choose(*REDUCTIONS)
        data = dense_operand(cases, cases.choose(*oracle.FLOATS, *oracle.INTEGERS), p,
                             [*kept, *axes])
        n = int(np.prod(kept))
        dst = cases.operand(cases.choose(*oracle.FLOATS, "i32", "i16"), p, n, is_dst=True)
        x = oracle.widen(data.get(), data.dtype).reshape(p, n, -1)
        if op in ("add", "multiply", "max", "min"):
            y = oracle.lanes(op, x, nan=bool(nan))[..., 0]
        else:
            first = (x[..., 0] != 0).astype(np.float32) if "logical" in op else x[..., 0]
            y = oracle.running(op, first, x[..., 1:], bool(nan))
        negate = bool(cases.random.random() < 0.3)
        dst.put(oracle.narrow(-y if negate else y, dst.dtype))
        cases.add(f"tensor_reduce {dst} <- {data} op={op} axes={len(axes)}"
                  + (" negate" if negate else ""))
    cases.run(tmp_path, nan=nan, simd=simd)


def test_tensor_reduce_takes_bit_patterns_as_they_are(tmp_path):
    cases = Cases(31)
    for _ in range(CASES):
        p = cases.partitions()
        kept, axes = random_dims(cases)
        size = cases.choose(1, 2, 4)
        kinds = [k for k in oracle.INTEGERS if oracle.size_of(k) == size]
        op = cases.choose("bitwise_and", "bitwise_or", "bitwise_xor")
        data = dense_operand(cases, cases.choose(*kinds), p, [*kept, *axes])
        n = int(np.prod(kept))
        dst = cases.operand(cases.choose(*kinds), p, n, is_dst=True)
        x = oracle.bits_of(data.get()).reshape(p, n, -1)
        y = x[..., 0]
        for i in range(1, x.shape[-1]):
            y = oracle.bitwise(op, y, x[..., i], 8 * size)
        dst.put(oracle.wrap(y, dst.dtype))
        cases.add(f"tensor_reduce {dst} <- {data} op={op} axes={len(axes)}")
    cases.run(tmp_path)


@pytest.mark.parametrize("target", TARGETS)
def test_tensor_tensor_scan_keeps_an_fp32_state(tmp_path, target):
    cases = Cases(32, target)
    ops = ("add", "subtract", "multiply", "max", "min", "greater", "logical_or")
    for i in range(CASES):
        p, n = sizes(cases)
        place = memories(cases)
        a = cases.operand(cases.choose(*oracle.FLOATS), p, n, memory=place[1])
        b = cases.operand(cases.choose(*oracle.FLOATS), p, n, memory=place[2])
        dst = cases.operand(cases.choose(*oracle.FLOATS), p, n, memory=place[0], is_dst=True)
        op0, op1 = (("multiply", "add"), ("add", "add"), ("max", "max"))[i % 3] if i % 2 else (
            cases.choose(*ops), cases.choose(*ops))
        text, state = number_or_column(cases, p)
        state = state[:, 0].astype(np.float32)
        r0, r1 = (bool(cases.random.random() < 0.3) for _ in range(2))
        x, z = oracle.widen(a.get(), a.dtype), oracle.widen(b.get(), b.dtype)
        y = np.empty((p, n), np.float32)
        for k in range(n):
            state = oracle.alu(op1, oracle.alu(op0, x[:, k], state, r0), z[:, k], r1)
            y[:, k] = state
        dst.put(oracle.narrow(y, dst.dtype))
        flags = (" reverse0" if r0 else "") + (" reverse1" if r1 else "")
        cases.add(f"tensor_tensor_scan {dst} <- {a}, {b} initial={text} op0={op0} op1={op1}{flags}")
    cases.run(tmp_path)


def moments(x):
    """Counts, means and sums of squared distances of the even and of the odd elements."""
    p, n = x.shape
    counts = np.array([(n + 1) // 2, n // 2], np.float32)
    with np.errstate(all="ignore"):
        means = np.nan_to_num(oracle.lanes("add", np.pad(x, ((0, 0), (0, n == 1))), 2) / counts)
        distance = x - np.tile(means, (1, (n + 1) // 2))[:, :n]
        squares = oracle.lanes("add", np.pad(distance * distance, ((0, 0), (0, n == 1))), 2)
    return np.stack([np.broadcast_to(counts, (p, 2)), means, squares], -1).reshape(p, 6)


@pytest.mark.parametrize("simd,target", ((None, "trn1"), (None, "trn2"), (None, "trn3"),
                                         ("avx2", "trn2"), ("scalar", "trn2")))
def test_bn_stats_gives_the_moments_of_even_and_odd_elements(tmp_path, simd, target):
    cases = Cases(33, target)
    for _ in range(CASES):
        p, n = sizes(cases)
        data = cases.operand(cases.choose(*oracle.FLOATS), p, n, low=-4.0, high=4.0)
        dst = cases.operand(cases.choose("f32", "f32", "bf16"), p, 6, is_dst=True)
        x = oracle.widen(data.get(), data.dtype)
        dst.put(oracle.narrow(moments(x), dst.dtype))
        cases.add(f"bn_stats {dst} <- {data}")
    cases.run(tmp_path, simd=simd)


@pytest.mark.parametrize("target", TARGETS)
def test_bn_aggr_joins_tuples_into_mean_and_variance(tmp_path, target):
    cases = Cases(34, target)
    for _ in range(CASES):
        p, k = cases.partitions(), cases.integer(1, 12)
        data = cases.operand("f32", p, 3 * k, low=0.5, high=9.0)
        dst = cases.operand("f32", p, 2, is_dst=True)
        t = data.get().reshape(p, k, 3)
        c, m, v = t[..., 0], t[..., 1], t[..., 2]
        zero = np.zeros(p, np.float32)
        n = oracle.running("add", zero, c)
        mean = oracle.running("add", zero, c * m) / n
        distance = m - mean[:, None]
        spread = oracle.running("add", zero, c * distance * distance)
        variance = (oracle.running("add", zero, v) + spread) / n
        dst.put(np.stack([mean, variance], axis=1))
        cases.add(f"bn_aggr {dst} <- {data}")
    cases.run(tmp_path)


@pytest.mark.parametrize("nan", (0, 1))
def test_max8_gives_the_eight_largest_descending(tmp_path, nan):
    cases = Cases(35)
    for _ in range(CASES):
        p, n = cases.partitions(), cases.choose(8, 9, 12, 16, 24, 60, 100, 1500)
        data = cases.operand(cases.choose(*oracle.FLOATS, "i16", "u8"), p, n)
        dst = cases.operand(cases.choose(data.dtype, "f32"), p, 8, is_dst=True)
        x = oracle.widen(data.get(), data.dtype)
        key = np.where(np.isnan(x), np.inf if nan else -np.inf, x)
        # NaN before +Inf, or after -Inf; equal values in their order.
        order = np.lexsort((np.isnan(x) != bool(nan), -key), axis=-1)
        dst.put(oracle.narrow(np.take_along_axis(x, order, -1)[:, :8], dst.dtype))
        cases.add(f"max8 {dst} <- {data}")
    cases.run(tmp_path, nan=nan, compare=None)
