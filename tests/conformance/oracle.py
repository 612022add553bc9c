"""What the instructions mean, in NumPy, written from the specification and not from the C++ code.

Numbers are neuroncore.md and nki.md of the machine's description. fp32 arithmetic in NumPy rounds
each operation once and never fuses, as the machine's does.
"""

import ml_dtypes
import numpy as np

NUMPY = {
    "f32": np.float32, "tf32": np.float32, "bf16": ml_dtypes.bfloat16, "f16": np.float16,
    "f8e5m2": ml_dtypes.float8_e5m2, "f8e4m3": ml_dtypes.float8_e4m3,
    "f8e4m3fn": ml_dtypes.float8_e4m3fn, "f8e3m4": ml_dtypes.float8_e3m4,
    "i8": np.int8, "u8": np.uint8, "i16": np.int16, "u16": np.uint16, "i32": np.int32,
    "u32": np.uint32,
}
FLOATS = ("f32", "bf16", "f16", "f8e5m2", "f8e4m3")
INTEGERS = ("i8", "u8", "i16", "u16", "i32", "u32")
WORDS = ("i32", "u32")


def is_float(dtype):
    return dtype not in INTEGERS


def size_of(dtype):
    return np.dtype(NUMPY[dtype]).itemsize


def view_as(array, dtype):
    return array.view(NUMPY[dtype])


def random_values(random, dtype, shape, low=None, high=None):
    """Values of all sizes: mostly moderate, some special ones unless a range is asked for."""
    if not is_float(dtype):
        info = np.iinfo(NUMPY[dtype])
        low, high = (info.min, info.max) if low is None else (low, high)
        return random.integers(low, high, shape, endpoint=True).astype(NUMPY[dtype])
    if low is not None:
        values = random.uniform(low, high, shape)
    else:
        values = random.standard_normal(shape) * 2.0 ** random.integers(-6, 6, shape)
        special = random.random(shape)
        for chance, value in ((0.01, 0.0), (0.02, -0.0), (0.025, np.inf), (0.03, -np.inf),
                              (0.035, np.nan)):
            values = np.where((special < chance) & (special >= chance - 0.01), value, values)
    with np.errstate(all="ignore"):
        values = values.astype(np.float32)
        return narrow(values, dtype)


def widen(values, dtype):
    """Any type to fp32. [neuroncore 5.2]"""
    if dtype == "tf32":
        return (values.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)
    return values.astype(np.float32)


def narrow(values, dtype):
    """fp32 to any type: nearest even; integers saturate, NaN becomes 0. [neuroncore 5.2]"""
    values = np.asarray(values, np.float32)
    if is_float(dtype):
        if dtype == "tf32":
            bits = values.view(np.uint32)
            odd = (bits >> np.uint32(13)) & np.uint32(1)
            rounded = (bits + np.uint32(0x0FFF) + odd) & np.uint32(0xFFFFE000)
            special = np.where(np.isnan(values), np.uint32(0x7FC00000),
                               bits & np.uint32(0xFFFFE000))
            return np.where(np.isfinite(values), rounded, special).astype(np.uint32).view(
                np.float32)
        with np.errstate(all="ignore"):
            return values.astype(NUMPY[dtype])
    info = np.iinfo(NUMPY[dtype])
    wide = np.where(np.isnan(values), 0, values).astype(np.float64)
    return np.clip(np.rint(wide), info.min, info.max).astype(np.int64).astype(NUMPY[dtype])


def cast(values, source, target):
    """The bits where the types are equal, else through fp32."""
    return values if source == target else narrow(widen(values, source), target)


# ---- operators [neuroncore 6.2, nki 1.16]

def _pick(better, a, b, nan):
    return np.where(better | np.isnan(a if nan else b), a, b)


def _truth(condition):
    return condition.astype(np.float32)


ALU = {
    "add": lambda a, b, nan: a + b,
    "subtract": lambda a, b, nan: a - b,
    "multiply": lambda a, b, nan: a * b,
    "max": lambda a, b, nan: _pick(a > b, a, b, nan),
    "min": lambda a, b, nan: _pick(a < b, a, b, nan),
    "equal": lambda a, b, nan: _truth(a == b),
    "not_equal": lambda a, b, nan: _truth(a != b),
    "greater_equal": lambda a, b, nan: _truth(a >= b),
    "greater": lambda a, b, nan: _truth(a > b),
    "less_equal": lambda a, b, nan: _truth(a <= b),
    "less": lambda a, b, nan: _truth(a < b),
    "logical_and": lambda a, b, nan: _truth((a != 0) & (b != 0)),
    "logical_or": lambda a, b, nan: _truth((a != 0) | (b != 0)),
    "logical_xor": lambda a, b, nan: _truth((a != 0) ^ (b != 0)),
    "abs_max": lambda a, b, nan: _pick(np.abs(a) > np.abs(b), a, b, nan),
    "abs_min": lambda a, b, nan: _pick(np.abs(a) < np.abs(b), a, b, nan),
}
UNARY = {
    "abs": lambda a, nan: np.abs(a),
    "square": lambda a, nan: a * a,
    "relu": lambda a, nan: _pick(a > 0, a, np.zeros_like(a), nan),
    "reciprocal": lambda a, nan: np.float32(1) / a,
}
BITWISE = ("invert", "bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift")
COMPARISONS = ("equal", "not_equal", "greater_equal", "greater", "less_equal", "less")


def alu(op, a, b, reverse=False, nan=True):
    """One fp32 operator; each rounds once."""
    with np.errstate(all="ignore"):
        a = np.asarray(a, np.float32)
        if op == "bypass":
            return a
        if op in UNARY:
            return UNARY[op](a, nan).astype(np.float32)
        a, b = np.broadcast_arrays(a, np.asarray(b, np.float32))
        return ALU[op](*((b, a) if reverse else (a, b)), nan).astype(np.float32)


def exact(op, a, b, reverse=False):
    """Exact integers; the caller wraps them to 32 bits."""
    a, b = np.broadcast_arrays(np.asarray(a, np.int64), np.asarray(b, np.int64))
    if op == "bypass":
        return a
    if reverse:
        a, b = b, a
    table = {"add": np.add, "subtract": np.subtract, "multiply": np.multiply,
             "max": np.maximum, "min": np.minimum, "equal": np.equal, "not_equal": np.not_equal,
             "greater_equal": np.greater_equal, "greater": np.greater,
             "less_equal": np.less_equal, "less": np.less}
    return table[op](a, b).astype(np.int64)


def wrap(values, dtype):
    """The low bits."""
    bits = 8 * size_of(dtype)
    unsigned = np.asarray(values).astype(np.int64) & ((1 << bits) - 1)
    return unsigned.astype(f"u{bits // 8}").view(NUMPY[dtype])


def bits_of(values):
    return values.view(f"u{values.dtype.itemsize}").astype(np.int64)


def bitwise(op, a, b, width, reverse=False):
    """On bit patterns as non-negative integers of `width` bits."""
    a, b = np.broadcast_arrays(np.asarray(a, np.int64), np.asarray(b, np.int64))
    if reverse:
        a, b = b, a
    mask = (1 << width) - 1
    if op == "invert":
        return ~a & mask
    if op in ("left_shift", "right_shift"):
        by = np.minimum(b, 40)
        shifted = a << np.minimum(by, 32) if op == "left_shift" else a >> by
        return np.where(b >= width, 0, shifted) & mask
    return {"bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or,
            "bitwise_xor": np.bitwise_xor, "bypass": lambda x, y: x}[op](a, b) & mask


def iota(partitions, pattern, offset, multiplier):
    """[partitions, n] values with 32-bit wrapping."""
    values = np.array([offset], np.int64)
    for step, count in pattern:
        values = (values[:, None] + step * np.arange(count)[None, :]).reshape(-1)
    rows = np.arange(partitions)[:, None] * multiplier
    return wrap(values[None, :] + rows, "i32")


# ---- reductions: the order is ours, the machine's is not documented

def lanes(op, x, keep=1, nan=True):
    """Element i goes to lane i mod 16, lane = element op lane; then lane j takes lane j + 8, j + 4,
    ... down to `keep`."""
    used = min(16, x.shape[-1])
    state = x[..., :used].astype(np.float32)
    for i in range(16, x.shape[-1], 16):
        block = x[..., i:i + 16]
        n = block.shape[-1]
        state = np.concatenate([alu(op, block, state[..., :n], nan=nan), state[..., n:]], -1)
    step = 8
    while step >= keep:
        both = min(max(used - step, 0), step)
        joined = alu(op, state[..., :both], state[..., step:step + both], nan=nan)
        state = np.concatenate([joined, state[..., both:]], -1)
        used = min(used, step)
        step //= 2
    return state[..., :keep]


def running(op, first, rest, nan=True):
    """first op rest[..., 0] op rest[..., 1] ..."""
    state = first.astype(np.float32)
    for i in range(rest.shape[-1]):
        state = alu(op, state, rest[..., i], nan=nan)
    return state


def matmul(stationary, moving):
    """sum over k ascending, exact products, each partial sum rounded. [neuroncore 5.4 seq32]"""
    with np.errstate(all="ignore"):
        sums = np.zeros((stationary.shape[1], moving.shape[1]), np.float32)
        for k in range(stationary.shape[0]):
            product = stationary[k].astype(np.float64)[:, None] * moving[k].astype(np.float64)
            sums = _fused(sums, product)
        return sums


def _fused(sums, product):
    """The exact product added to an fp32 sum and rounded once. Products of fp32 have 48 bits, so a
    sum in double is rounded twice; the error term of the first rounding settles ties."""
    wide = sums.astype(np.float64)
    total = wide + product
    back = total - wide
    error = (wide - (total - back)) + (product - back)
    rounded = total.astype(np.float32)
    # Only where the double lies on a tie of floats can the second rounding go wrong.
    gap = total - rounded.astype(np.float64)
    other = np.nextafter(rounded, np.where(gap > 0, np.inf, -np.inf).astype(np.float32))
    is_tie = np.isfinite(total) & (gap != 0) & (
        np.abs(other.astype(np.float64) - total) == np.abs(gap))
    push = is_tie & (error != 0) & (np.sign(error) == np.sign(gap))
    pull = is_tie & (error != 0) & (np.sign(error) != np.sign(gap))
    low_or_high = np.where(push, other, rounded)
    return np.where(pull, rounded, low_or_high).astype(np.float32)
