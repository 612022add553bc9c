"""tensor_tensor, tensor_scalar, scalar_tensor_tensor, select, copies, memset, reciprocal."""

import numpy as np
import oracle
import pytest
from cases import TARGETS, Cases

CASES = 240
ARITHMETIC = ["add", "subtract", "multiply", "max", "min", *oracle.COMPARISONS, "logical_and",
              "logical_or", "logical_xor"]
ABS_PAIR = ["abs_max", "abs_min"]
EXACT = ["add", "subtract", "multiply", "max", "min", *oracle.COMPARISONS]


def memories(cases, on_gpsimd=False):
    """Memories of dst and two sources; not both sources in PSUM."""
    if on_gpsimd:
        return "sbuf", "sbuf", "sbuf"
    sources = cases.choose(("sbuf", "sbuf"), ("sbuf", "sbuf"), ("psum", "sbuf"), ("sbuf", "psum"))
    return cases.choose("sbuf", "sbuf", "psum"), *sources


def sizes(cases):
    return cases.partitions(), cases.choose(1, 2, 7, 12, 16, 17, 24, 36, 48, 60, 100)


def binary_ops(cases):
    return ARITHMETIC + (ABS_PAIR if cases.target == "trn3" else [])


@pytest.mark.parametrize("simd,target,nan", ((None, "trn1", 1), (None, "trn2", 0),
                                             (None, "trn3", 1), ("avx2", "trn3", 1),
                                             ("avx2", "trn3", 0), ("scalar", "trn3", 1),
                                             ("scalar", "trn3", 0)))
def test_tensor_tensor_computes_in_fp32_on_vector(tmp_path, simd, target, nan):
    cases = Cases(1, target)
    for _ in range(CASES):
        p, n = sizes(cases)
        kinds = [cases.choose(*oracle.FLOATS, *oracle.INTEGERS) for _ in range(3)]
        place = memories(cases)
        a = cases.operand(kinds[1], p, n, memory=place[1])
        b = cases.operand(kinds[2], p, n, memory=place[2])
        dst = cases.operand(kinds[0], p, n, memory=place[0], is_dst=True)
        op = cases.choose(*binary_ops(cases))
        y = oracle.alu(op, oracle.widen(a.get(), a.dtype), oracle.widen(b.get(), b.dtype),
                       nan=bool(nan))
        dst.put(oracle.narrow(y, dst.dtype))
        cases.add(f"tensor_tensor {dst} <- {a}, {b} op={op} on vector")
    cases.run(tmp_path, nan=nan, simd=simd)


@pytest.mark.parametrize("target", TARGETS)
def test_tensor_tensor_is_exact_on_32_bit_integers_on_gpsimd(tmp_path, target):
    cases = Cases(2, target)
    for _ in range(CASES):
        p, n = sizes(cases)
        op = cases.choose(*EXACT)
        kind = cases.choose(*oracle.WORDS)
        ordered = op in ("max", "min", "greater_equal", "greater", "less_equal", "less")
        a = cases.operand(kind, p, n)
        b = cases.operand(kind if ordered else cases.choose(*oracle.WORDS), p, n)
        dst = cases.operand(cases.choose(*oracle.WORDS), p, n, is_dst=True)
        dst.put(oracle.wrap(oracle.exact(op, a.get(), b.get()), dst.dtype))
        cases.add(f"tensor_tensor {dst} <- {a}, {b} op={op}")
    cases.run(tmp_path)


@pytest.mark.parametrize("target", TARGETS)
def test_tensor_tensor_takes_bit_patterns_as_they_are(tmp_path, target):
    cases = Cases(3, target)
    for _ in range(CASES):
        p, n = sizes(cases)
        size = cases.choose(1, 2, 4)
        kinds = [k for k in oracle.INTEGERS if oracle.size_of(k) == size]
        op = cases.choose(*oracle.BITWISE[1:])
        a = cases.operand(cases.choose(*kinds), p, n)
        high = 40 if "shift" in op else None
        b = cases.operand(cases.choose(*kinds), p, n, low=0 if high else None, high=high)
        dst = cases.operand(cases.choose(*kinds), p, n, is_dst=True)
        y = oracle.bitwise(op, oracle.bits_of(a.get()), oracle.bits_of(b.get()), 8 * size)
        dst.put(oracle.wrap(y, dst.dtype))
        cases.add(f"tensor_tensor {dst} <- {a}, {b} op={op}")
    cases.run(tmp_path)


def number_or_column(cases, partitions, dtype="f32"):
    """A number or a [P,1] tile: its text and its values as a column."""
    if cases.random.random() < 0.5:
        if dtype != "f32":
            value = cases.integer(-70000, 70000) if dtype == "i32" else cases.integer(0, 70000)
            return str(value), np.full((partitions, 1), value, np.int64)
        value = np.float32(cases.choose(0.0, 1.0, -2.5, 3.25, 1e-3, -7.125))
        return f"{value!r}".replace("np.float32(", "").rstrip(")"), np.full((partitions, 1), value)
    tile = cases.column(dtype, partitions)
    return str(tile), tile.get().astype(np.int64) if dtype != "f32" else tile.get()


@pytest.mark.parametrize("simd,target,nan", ((None, "trn1", 1), (None, "trn2", 0),
                                             (None, "trn3", 1), ("avx2", "trn3", 1),
                                             ("scalar", "trn3", 0)))
def test_tensor_scalar_rounds_after_each_operator(tmp_path, simd, target, nan):
    cases = Cases(4, target)
    unary = ["abs", "reciprocal"] + (["square", "relu"] if target == "trn3" else [])
    for _ in range(CASES):
        p, n = sizes(cases)
        place = memories(cases)
        a = cases.operand(cases.choose(*oracle.FLOATS, *oracle.INTEGERS), p, n, memory=place[1])
        dst = cases.operand(cases.choose(*oracle.FLOATS, *oracle.INTEGERS), p, n,
                            memory=place[0], is_dst=True)
        op0 = cases.choose("bypass", *unary, *binary_ops(cases), *binary_ops(cases))
        op1 = cases.choose("bypass", "bypass", *binary_ops(cases))
        words, sides, values = [], [], []
        y = oracle.widen(a.get(), a.dtype)
        for i, op in enumerate((op0, op1)):
            if op == "bypass":
                continue
            words.append(f"op{i}={op}")
            reverse = False
            if op in unary:
                y = oracle.alu(op, y, 0, nan=bool(nan))
                continue
            text, side = number_or_column(cases, p)
            words.append(f"operand{i}={text}")
            if cases.random.random() < 0.4:
                reverse = True
                words.append(f"reverse{i}")
            sides.append(text)
            values.append(side)
            y = oracle.alu(op, y, side, reverse, nan=bool(nan))
        dst.put(oracle.narrow(y, dst.dtype))
        cases.add(f"tensor_scalar {dst} <- {a} {' '.join(words)} on vector")
    cases.run(tmp_path, nan=nan, simd=simd)


@pytest.mark.parametrize("target", TARGETS)
def test_tensor_scalar_is_exact_on_32_bit_integers_on_gpsimd(tmp_path, target):
    cases = Cases(5, target)
    for _ in range(CASES):
        p, n = sizes(cases)
        kind = cases.choose(*oracle.WORDS)
        a = cases.operand(kind, p, n)
        dst = cases.operand(cases.choose(*oracle.WORDS), p, n, is_dst=True)
        y = a.get().astype(np.int64)
        words = []
        for i in range(2):
            op = cases.choose(*EXACT)
            text, side = number_or_column(cases, p, kind)
            reverse = bool(cases.random.random() < 0.4)
            y = oracle.wrap(oracle.exact(op, y, side, reverse), kind).astype(np.int64)
            words.append(f"op{i}={op} operand{i}={text}" + (f" reverse{i}" if reverse else ""))
        dst.put(oracle.wrap(y, dst.dtype))
        cases.add(f"tensor_scalar {dst} <- {a} {' '.join(words)} on gpsimd")
    cases.run(tmp_path)


def test_address_arithmetic_is_exact_on_vector(tmp_path):
    cases = Cases(6)
    for _ in range(CASES):
        p, n = sizes(cases)
        kind = cases.choose(*oracle.WORDS)
        a = cases.operand(kind, p, n)
        dst = cases.operand(kind, p, n, is_dst=True)
        m, k = cases.integer(0, 70000), cases.integer(0, 2**31 - 1)
        y = oracle.wrap(a.get().astype(np.int64) * m, kind).astype(np.int64) + k
        dst.put(oracle.wrap(y, kind))
        cases.add(f"tensor_scalar {dst} <- {a} op0=multiply operand0={m} op1=add operand1={k} "
                  "on vector")
    cases.run(tmp_path)


@pytest.mark.parametrize("target", TARGETS)
def test_tensor_scalar_takes_bit_patterns_as_they_are(tmp_path, target):
    cases = Cases(7, target)
    for _ in range(CASES):
        p, n = sizes(cases)
        size = cases.choose(1, 2, 4)
        kinds = [k for k in oracle.INTEGERS if oracle.size_of(k) == size]
        a = cases.operand(cases.choose(*kinds), p, n)
        dst = cases.operand(cases.choose(*kinds), p, n, is_dst=True)
        y = oracle.bits_of(a.get())
        words = []
        for i in range(2):
            op = cases.choose(*oracle.BITWISE[(1 if i else 0):])
            if op == "invert":
                y = oracle.bitwise(op, y, 0, 8 * size)
                words.append(f"op{i}={op}")
                continue
            k = cases.integer(0, 40) if "shift" in op else cases.integer(0, 2 ** (8 * size) - 1)
            y = oracle.bitwise(op, y, k, 8 * size)
            words.append(f"op{i}={op} operand{i}={k}")
        dst.put(oracle.wrap(y, dst.dtype))
        cases.add(f"tensor_scalar {dst} <- {a} {' '.join(words)}")
    cases.run(tmp_path)


@pytest.mark.parametrize("target,nan", (("trn1", 1), ("trn2", 0), ("trn3", 1)))
def test_scalar_tensor_tensor_rounds_after_each_operator(tmp_path, target, nan):
    cases = Cases(8, target)
    for _ in range(CASES):
        p, n = sizes(cases)
        place = memories(cases)
        a = cases.operand(cases.choose(*oracle.FLOATS), p, n, memory=place[1])
        b = cases.operand(cases.choose(*oracle.FLOATS), p, n, memory=place[2])
        dst = cases.operand(cases.choose(*oracle.FLOATS, *oracle.INTEGERS), p, n,
                            memory=place[0], is_dst=True)
        op0, op1 = cases.choose(*binary_ops(cases)), cases.choose(*binary_ops(cases))
        text, side = number_or_column(cases, p)
        r0, r1 = (bool(cases.random.random() < 0.4) for _ in range(2))
        y = oracle.alu(op0, oracle.widen(a.get(), a.dtype), side, r0, bool(nan))
        y = oracle.alu(op1, y, oracle.widen(b.get(), b.dtype), r1, bool(nan))
        dst.put(oracle.narrow(y, dst.dtype))
        flags = (" reverse0" if r0 else "") + (" reverse1" if r1 else "")
        cases.add(f"scalar_tensor_tensor {dst} <- {a}, {b} op0={op0} operand0={text} "
                  f"op1={op1}{flags}")
    cases.run(tmp_path, nan=nan)


@pytest.mark.parametrize("target", TARGETS)
def test_tensor_copy_casts_or_keeps_the_bits(tmp_path, target):
    cases = Cases(9, target)
    for i in range(CASES):
        p, n = sizes(cases)
        engine = cases.choose("vector", "gpsimd", *(["scalar"] if target != "trn1" else []))
        place = memories(cases, engine == "gpsimd")
        kind = cases.choose(*oracle.FLOATS, *oracle.INTEGERS, "tf32")
        other = kind if i % 3 == 0 else cases.choose(*oracle.FLOATS, *oracle.INTEGERS, "tf32")
        a = cases.operand(kind, p, n, memory=place[1])
        dst = cases.operand(other, p, n, memory=place[0], is_dst=True)
        dst.put(oracle.cast(a.get(), kind, other))
        cases.add(f"tensor_copy {dst} <- {a} on {engine}")
    cases.run(tmp_path)


@pytest.mark.parametrize("target", TARGETS)
def test_tensor_copy_predicated_leaves_the_other_elements(tmp_path, target):
    cases = Cases(10, target)
    for i in range(CASES):
        p, n = sizes(cases)
        kind = cases.choose(*oracle.FLOATS, *oracle.INTEGERS)
        where = cases.operand(cases.choose("u8", "u16", "u32"), p, n, low=0, high=2)
        dst = cases.operand(kind, p, n, is_dst=True)
        reverse = bool(cases.random.random() < 0.5)
        if i % 3:
            src = cases.operand(kind, p, n)
            text, values = str(src), src.get()
        elif oracle.is_float(kind):
            text, values = "-1.5", oracle.narrow(np.full((p, n), -1.5), kind)
        else:
            text, values = "7", np.full((p, n), 7).astype(oracle.NUMPY[kind])
        dst.put(np.where((where.get() != 0) != reverse, values, dst.get()))
        cases.add(f"tensor_copy_predicated {dst} <- {where} src={text}"
                  + (" reverse_pred" if reverse else ""))
    cases.run(tmp_path)


@pytest.mark.parametrize("target", TARGETS)
def test_select_takes_one_of_two_tiles_by_element(tmp_path, target):
    cases = Cases(11, target)
    small = [k for k in (*oracle.FLOATS, *oracle.INTEGERS) if k not in oracle.WORDS]
    for i in range(CASES):
        p, n = sizes(cases)
        where = cases.operand(cases.choose("u8", "i8", "u16", "i16"), p, n, low=0, high=2)
        yes = cases.operand(cases.choose(*small), p, n)
        dst = cases.operand(cases.choose(*small, yes.dtype), p, n, is_dst=True)
        if i % 3 == 0:
            no = cases.operand(cases.choose(*small), p, n)
            text, values = str(no), oracle.widen(no.get(), no.dtype)
        elif i % 3 == 1:
            no = cases.column(cases.choose(*small), p)
            text = str(no)
            values = np.broadcast_to(oracle.widen(no.get(), no.dtype), (p, n))
        else:
            text, values = "-3.0", np.full((p, n), -3.0, np.float32)
        y = np.where(where.get() != 0, oracle.widen(yes.get(), yes.dtype), values)
        dst.put(oracle.narrow(y, dst.dtype))
        cases.add(f"select {dst} <- {where}, {yes} on_false={text}")
    cases.run(tmp_path)


@pytest.mark.parametrize("target", TARGETS)
def test_reciprocal_is_rounded_correctly(tmp_path, target):
    cases = Cases(12, target)
    for _ in range(CASES):
        p, n = sizes(cases)
        a = cases.operand(cases.choose(*oracle.FLOATS, *oracle.INTEGERS), p, n)
        dst = cases.operand(cases.choose(*oracle.FLOATS), p, n, is_dst=True)
        y = oracle.alu("reciprocal", oracle.widen(a.get(), a.dtype), 0)
        dst.put(oracle.narrow(y, dst.dtype))
        cases.add(f"reciprocal {dst} <- {a}")
    cases.run(tmp_path)


@pytest.mark.parametrize("target", TARGETS)
def test_memset_fills_the_pattern_and_nothing_else(tmp_path, target):
    cases = Cases(13, target)
    for _ in range(CASES):
        p, n = sizes(cases)
        dst = cases.operand(cases.choose(*oracle.FLOATS, *oracle.INTEGERS), p, n, is_dst=True)
        if oracle.is_float(dst.dtype):
            value = cases.choose(0.0, 1.0, -2.75, 1e30, 3.14159)
            dst.put(oracle.narrow(np.full((p, n), value), dst.dtype))
        else:
            info = np.iinfo(oracle.NUMPY[dst.dtype])
            value = cases.integer(int(info.min), int(info.max))
            dst.put(np.full((p, n), value).astype(oracle.NUMPY[dst.dtype]))
        cases.add(f"memset {dst} value={value}")
    cases.run(tmp_path)
