"""dma_copy, gather and scatter, dma_transpose, registers."""

import numpy as np
import oracle
import pytest
from cases import TARGETS, Access, Cases, run_values, try_values

CASES = 240
KINDS = (*oracle.FLOATS, *oracle.INTEGERS)


def side(cases, dtype, total, is_dst):
    """A random operand of a transfer with `total` elements, in HBM or SBUF."""
    if cases.random.random() < 0.5:
        return cases.hbm(dtype, total, is_dst=is_dst)
    partitions = cases.choose(*[p for p in range(1, 129) if total % p == 0])
    first = cases.integer(0, 128 - partitions)
    offset, dims, span = cases.pattern(total // partitions, is_dst)
    lead = cases.integer(0, 4)
    tile = cases.declare("sbuf", dtype,
                         cases.values(dtype, (first + partitions, lead + span + 2)))
    return Access(tile, first, partitions, lead + offset, dims)


@pytest.mark.parametrize("target", TARGETS)
def test_dma_copy_moves_elements_in_row_major_order(tmp_path, target):
    cases = Cases(60, target)
    for i in range(2 * CASES):
        total = cases.choose(1, 12, 30, 64, 96, 128, 360, 1000, 1024, 2100)
        kind = cases.choose(*KINDS)
        other = kind if i % 2 else cases.choose(*KINDS)
        src, dst = side(cases, kind, total, False), side(cases, other, total, True)
        values = oracle.cast(src.get().reshape(-1), kind, other)
        dst.put(values.reshape(dst.partitions, -1))
        cases.add(f"dma_copy {dst} <- {src}")
    cases.run(tmp_path)


def index_tile(cases, rows, limit, unique):
    """A [rows, 1] tile of indices below `limit`; some outside where not unique."""
    kind = cases.choose("i32", "u32")
    if unique:
        values = cases.random.permutation(limit)[:rows]
    else:
        values = cases.random.integers(0, limit, rows)
    values = values.astype(oracle.NUMPY[kind])
    first = cases.integer(0, 128 - rows)
    contents = cases.values(kind, (first + rows, 3))
    contents[first:first + rows, 1] = values
    tile = cases.declare("sbuf", kind, contents)
    return Access(tile, first, rows, 1, [(1, 1)]), values.astype(np.int64)


def table(cases, kind, rows, width):
    """An HBM tensor of rows with gaps: the access of `count` rows and its parameters."""
    step, lead = width + cases.integer(0, 3), cases.integer(0, 3)
    contents = cases.values(kind, (1, lead + rows * step))
    return cases.declare("hbm", kind, contents), lead, step


@pytest.mark.parametrize("target", ("trn2", "trn3"))
def test_an_index_tile_gathers_rows(tmp_path, target):
    cases = Cases(61, target)
    for i in range(CASES):
        kind = cases.choose(*KINDS)
        other = kind if i % 2 else cases.choose(*KINDS)
        rows, limit, width = cases.integer(1, 128), cases.integer(1, 60), cases.integer(1, 20)
        tile, lead, step = table(cases, kind, limit, width)
        index, at = index_tile(cases, rows, limit, unique=False)
        skip = cases.random.random() < 0.3
        if skip:
            bad = cases.random.random(rows) < 0.3
            at = np.where(bad, limit + 1 + at, at)
            Access(index.tile, index.partition, rows, 1, [(1, 1)]).rows(index.tile.before)[
                :, 1] = at.astype(index.tile.before.dtype)
            index.tile.after[:] = index.tile.before
        dst = cases.operand(other, rows, width, is_dst=True)
        source = tile.before[0]
        values = dst.get().copy()
        for r in range(rows):
            begin = lead + at[r] * step
            if at[r] < limit:
                values[r] = oracle.cast(source[begin:begin + width], kind, other)
        dst.put(values)
        text = f"{tile.name}.ap(offset={lead}, dims=[[{step},{rows}],[1,{width}]])"
        cases.add(f"dma_copy {dst} <- {text} src_index={index}"
                  + (" oob_mode=skip" if skip else ""))
    cases.run(tmp_path)


@pytest.mark.parametrize("target", ("trn2", "trn3"))
def test_an_index_tile_scatters_rows(tmp_path, target):
    cases = Cases(62, target)
    for i in range(CASES):
        kind = cases.choose(*KINDS)
        other = kind if i % 2 else cases.choose(*KINDS)
        rows = cases.integer(1, 60)
        limit, width = cases.integer(rows, 100), cases.integer(1, 20)
        tile, lead, step = table(cases, other, limit, width)
        index, at = index_tile(cases, rows, limit, unique=True)
        src = cases.operand(kind, rows, width)
        values = oracle.cast(src.get(), kind, other)
        for r in range(rows):
            begin = lead + at[r] * step
            tile.after[0, begin:begin + width] = values[r]
        text = f"{tile.name}.ap(offset={lead}, dims=[[{step},{rows}],[1,{width}]])"
        cases.add(f"dma_copy {text} <- {src} dst_index={index}")
    cases.run(tmp_path)


@pytest.mark.parametrize("target", ("trn2", "trn3"))
def test_dma_transpose_exchanges_the_first_and_the_last_dim(tmp_path, target):
    cases = Cases(63, target)
    for _ in range(CASES):
        kind = cases.choose("f32", "i32", "bf16", "f16", "u16")
        shape = [cases.integer(1, 40) for _ in range(cases.integer(2, 4))]
        shape = [min(n, 12) for n in shape] if len(shape) > 2 else shape
        size = int(np.prod(shape))
        strides = [int(np.prod(shape[d + 1:])) for d in range(len(shape))]
        if cases.random.random() < 0.5:
            tile = cases.declare("hbm", kind, cases.values(kind, (1, size)))
            src = Access(tile, 0, 1, 0, list(zip(strides, shape)))
        else:
            tile = cases.declare("sbuf", kind, cases.values(kind, (shape[0], size // shape[0])))
            src = Access(tile, 0, shape[0], 0, list(zip(strides[1:], shape[1:])))
        order = list(range(len(shape)))
        order[0], order[-1] = order[-1], order[0]
        values = tile.before.reshape(shape).transpose(order)
        turned = values.shape
        steps = [int(np.prod(turned[d + 1:])) for d in range(1, len(turned))]
        out = cases.declare("sbuf", kind, cases.values(kind, (turned[0], size // turned[0])))
        dst = Access(out, 0, turned[0], 0, list(zip(steps, turned[1:])))
        dst.put(values.reshape(turned[0], -1))
        cases.add(f"dma_transpose {dst} <- {src}")
    cases.run(tmp_path)


REGISTER_OPS = {
    "add": lambda a, b: a + b, "subtract": lambda a, b: a - b, "multiply": lambda a, b: a * b,
    "bitwise_and": lambda a, b: a & b, "bitwise_or": lambda a, b: a | b,
    "bitwise_xor": lambda a, b: a ^ b,
    "left_shift": lambda a, b: a << b if 0 <= b < 32 else 0,
    "right_shift": lambda a, b: (a & 0xFFFFFFFF) >> b if 0 <= b < 32 else 0,
    "min": min, "max": max, "less": lambda a, b: int(a < b), "equal": lambda a, b: int(a == b),
}


def wrapped(value):
    return (value + 2**31) % 2**32 - 2**31


def test_registers_hold_32_bits_and_wrap(tmp_path):
    cases = Cases(64)
    r, s = cases.register(), cases.register()
    for _ in range(CASES):
        kind = cases.choose(*oracle.INTEGERS)
        load = cases.operand(kind, 1, 1)
        op = cases.choose(*REGISTER_OPS)
        k = cases.integer(0, 33) if "shift" in op else cases.integer(-2**31, 2**31 - 1)
        store = cases.operand(cases.choose(*oracle.INTEGERS), 1, 1, is_dst=True)
        value = wrapped(REGISTER_OPS[op](wrapped(int(load.get()[0, 0])), k))
        store.put(oracle.wrap(np.array([[value]]), store.dtype))
        cases.add(f"register_load {r} <- {load}", f"register_move {s} <- {k}",
                  f"register_alu {r} <- {r}, {s} op={op}", f"register_store {store} <- {r}")
    cases.run(tmp_path)


def test_stochastic_rounding_goes_both_ways_and_repeats(tmp_path):
    """A value one quarter of a step above a bf16 number goes up in about a quarter of cases."""
    text = """program sr target trn2
x: hbm f32[128,512] in
y: hbm bf16[128,512] out
a: sbuf f32[128,512]
b: sbuf bf16[128,512]
dma_copy a <- x
tensor_copy b <- a
dma_copy y <- b
"""
    (tmp_path / "sr.tya").write_text(text)
    np.full(65536, 1 + 2.0**-9, np.float32).tofile(tmp_path / "x.bin")
    results = []
    for seed in (1, 1, 2):
        run_values(tmp_path / "sr.tya", tmp_path, stochastic=seed)
        results.append(np.fromfile(tmp_path / "y.bin", np.uint16))
    up = (results[0] == 0x3F81).mean()
    assert set(np.unique(results[0])) == {0x3F80, 0x3F81} and 0.24 < up < 0.26
    assert (results[0] == results[1]).all() and (results[0] != results[2]).any()


@pytest.mark.parametrize("mode,code", (("", "TY-RUN-011"), ("oob_mode=skip", None)))
def test_an_index_outside_the_tensor_faults_unless_rows_may_be_dropped(tmp_path, mode, code):
    text = f"""program oob target trn2
x: hbm f32[4,8] in
i: hbm i32[4,1] in
y: hbm f32[4,8] inout
t: sbuf f32[4,8]
s: sbuf i32[4,1]
dma_copy t <- y
dma_copy s <- i
ld: dma_copy t <- x src_index=s {mode}
dma_copy y <- t
"""
    (tmp_path / "oob.tya").write_text(text)
    np.arange(32, dtype=np.float32).tofile(tmp_path / "x.bin")
    np.array([1, -1, 4, 3], np.int32).tofile(tmp_path / "i.bin")
    np.full(32, -5, np.float32).tofile(tmp_path / "y.bin")
    done = try_values(tmp_path / "oob.tya", tmp_path)
    if code:
        assert done.returncode == 1 and code in done.stdout and "index -1 of row 1" in done.stdout
        return
    assert done.returncode == 0, done.stdout
    y = np.fromfile(tmp_path / "y.bin", np.float32).reshape(4, 8)
    assert (y[[1, 2]] == -5).all() and y[0, 0] == 8 and y[3, 0] == 24
