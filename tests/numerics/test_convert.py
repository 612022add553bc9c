"""Conversions bit by bit against NumPy and ml_dtypes, on every SIMD level of the host.

NaN: ours is the format's one quiet NaN with the sign of the source, as in ml_dtypes, so codes are
compared as they are. Read into fp32, f16 and 8-bit NaNs become 0x7FC00000 with their sign.
"""

import convert_oracle as oracle
import numpy as np
import pytest

RANDOM_COUNT = 10_000_000
ROUNDED = [*oracle.FLOATS, "tf32"]


@pytest.fixture(params=oracle.LEVELS)
def level(request):
    if not oracle.force_simd(request.param):
        pytest.skip(f"this host has no {request.param}")
    return request.param


def each_level():
    """The levels of this host; each is in use while the loop's body runs."""
    for level in oracle.LEVELS:
        if oracle.force_simd(level):
            yield level


def assert_same_bits(actual, expected, source):
    wrong = np.flatnonzero(actual != expected)
    lines = [f"{source[i]!r} ({source.view(np.uint32)[i]:#010x}): {actual[i]:#x}, "
             f"expected {expected[i]:#x}" for i in wrong[:10]]  # fmt: skip
    assert not len(wrong), f"{len(wrong)} of {len(actual)} differ\n" + "\n".join(lines)


def rounding_boundaries(name):
    """Every value of a format, every midpoint, and the fp32 neighbours of both, in both signs."""
    values = oracle.magnitudes(name)
    points = np.concatenate([values, (values[1:] + values[:-1]) / 2])
    with np.errstate(over="ignore"):
        points = points.astype(np.float32)
        points = points[np.isfinite(points)]
        near = np.concatenate([points, np.nextafter(points, np.float32(np.inf)),
                               np.nextafter(points, np.float32(-np.inf))])  # fmt: skip
    special = np.float32([0, np.inf, np.nan, 1e-45, 1.1754942e-38, 3.4028235e38])
    near = np.concatenate([near, special])
    return np.concatenate([near, -near])


def random_patterns(name, count):
    """Half any fp32 pattern, half spread over the exponents that the format tells apart."""
    random = np.random.default_rng(20240607)
    bits = random.integers(0, 1 << 32, count, dtype=np.uint32)
    if name in oracle.FLOATS:
        values = oracle.magnitudes(name)
        low, high = (np.frexp(v)[1] + 126 for v in (values[1], values[-1]))
        exponents = random.integers(max(low - 4, 0), min(high + 2, 255), count // 2, np.uint32,
                                    endpoint=True)  # fmt: skip
        bits[: count // 2] = bits[: count // 2] & np.uint32(0x807FFFFF) | exponents << np.uint32(23)
    return bits.view(np.float32)


@pytest.mark.parametrize("name", [*oracle.FLOATS, "i8", "u8", "i16", "u16"])
def test_every_code_reads_as_numpy_reads_it(name, level):
    dtype = oracle.code_dtype(name)
    codes = np.arange(1 << (8 * dtype.itemsize), dtype=np.uint32).astype(dtype)
    actual, expected = oracle.widen(name, codes), oracle.expected_widen(name, codes)
    nan = np.isnan(expected)
    assert_same_bits(actual.view(np.uint32)[~nan], expected.view(np.uint32)[~nan],
                     codes[~nan].astype(np.uint32))
    if name in ("bf16", *oracle.INTEGERS):
        assert np.array_equal(actual.view(np.uint32), expected.view(np.uint32))
        return
    sign = codes[nan].astype(np.uint32) >> np.uint32(8 * dtype.itemsize - 1) << np.uint32(31)
    assert np.array_equal(actual.view(np.uint32)[nan], sign | np.uint32(0x7FC00000))


@pytest.mark.parametrize("name", oracle.FLOATS)
def test_every_code_survives_fp32(name, level):
    dtype = oracle.code_dtype(name)
    codes = np.arange(1 << (8 * dtype.itemsize), dtype=np.uint32).astype(dtype)
    values = oracle.widen(name, codes)
    number = ~np.isnan(values)
    assert np.array_equal(oracle.narrow(name, values)[number], codes[number])


@pytest.mark.parametrize("name", ["i32", "u32"])
def test_wide_integers_read_as_numpy_reads_them(name, level):
    random = np.random.default_rng(1)
    codes = random.integers(0, 1 << 32, 1_000_000, dtype=np.uint32)
    codes >>= random.integers(0, 32, codes.size, dtype=np.uint32)  # all lengths, many near 2^24
    near = (1 << np.arange(32, dtype=np.uint64))[:, None] + np.arange(-300, 300).astype(np.uint64)
    codes = np.concatenate([codes, near.ravel().astype(np.uint32)])
    assert_same_bits(oracle.widen(name, codes).view(np.uint32),
                     oracle.expected_widen(name, codes).view(np.uint32), codes)


def test_tf32_ignores_the_low_13_bits(level):
    codes = np.random.default_rng(2).integers(0, 1 << 32, 1_000_000, dtype=np.uint32)
    kept = codes & np.uint32(0xFFFFE000)
    assert np.array_equal(oracle.widen("tf32", codes).view(np.uint32), kept)


@pytest.mark.parametrize("name", ROUNDED)
def test_values_at_rounding_boundaries(name, level):
    values = rounding_boundaries(name)
    assert_same_bits(oracle.narrow(name, values), oracle.expected_narrow(name, values), values)


@pytest.mark.parametrize("name", [*ROUNDED, *oracle.INTEGERS])
def test_random_values(name):
    values = random_patterns(name, RANDOM_COUNT)
    expected = oracle.expected_narrow(name, values)
    for _ in each_level():
        assert_same_bits(oracle.narrow(name, values), expected, values)


@pytest.mark.parametrize("name", oracle.INTEGERS)
def test_integers_at_rounding_boundaries(name, level):
    limits = np.iinfo(oracle.INTEGERS[name])
    halves = np.arange(-140_000, 140_000, dtype=np.float32) / 2
    edges = np.float32([limits.min, limits.max, 2.0**23, 2.0**24, 2.0**31, 2.0**32, 1e38, np.inf])
    points = np.concatenate([halves, edges, -edges, np.float32([np.nan, -np.nan, 1e-45])])
    values = np.concatenate([points, np.nextafter(points, np.float32(np.inf)),
                             np.nextafter(points, np.float32(-np.inf))])  # fmt: skip
    assert_same_bits(oracle.narrow(name, values), oracle.expected_narrow(name, values), values)


@pytest.mark.parametrize("name", ROUNDED)
def test_flushing_clears_exactly_the_subnormal_results(name, level):
    values = rounding_boundaries(name)
    expected = oracle.expected_narrow(name, values)
    smallest_normal = {"tf32": 0x00800000, "bf16": 0x80, "f16": 0x400, "f8e5m2": 4, "f8e4m3": 8,
                       "f8e4m3fn": 8, "f8e3m4": 16}[name]  # fmt: skip
    sign_bit = expected.dtype.type(1 << (8 * expected.dtype.itemsize - 1))
    magnitude = expected & (sign_bit - expected.dtype.type(1))
    expected = np.where(magnitude < smallest_normal, expected & sign_bit, expected)
    assert_same_bits(oracle.narrow(name, values, ftz=1), expected, values)


@pytest.mark.parametrize("name", oracle.FLOATS_8)
def test_saturating_formats_stop_at_their_largest_value(name, level):
    values = rounding_boundaries(name)
    largest = np.float32(oracle.magnitudes(name)[-2])
    expected = oracle.expected_narrow(name, np.clip(values, -largest, largest))
    switch = "fp8fn_saturate" if name == "f8e4m3fn" else "fp8_saturate"
    assert_same_bits(oracle.narrow(name, values, **{switch: 1}), expected, values)
