"""Stochastic rounding: only the two neighbours, with the right odds, the same on every level."""

import convert_oracle as oracle
import numpy as np
import pytest
from test_convert import ROUNDED, each_level, random_patterns

# Parts of the distance between two neighbours.
FRACTIONS = (1 / 64, 0.25, 0.5, 0.8125, 63 / 64)


@pytest.mark.parametrize("name", ROUNDED)
def test_a_value_becomes_one_of_its_two_neighbours(name):
    values = random_patterns(name, 300_000)
    finite = np.isfinite(values)
    grid = oracle.magnitudes(name)
    below = np.searchsorted(grid, np.abs(values[finite].astype(np.float64)), side="right") - 1
    is_exact = grid[below] == np.abs(values[finite])
    codes = oracle.narrow(name, values, stochastic=1, seed=1)[finite].astype(np.int64)
    sign_bit = 1 << (8 * oracle.code_dtype(name).itemsize - 1)
    if name == "tf32":
        codes, sign_bit = codes >> 13, sign_bit >> 13
    assert np.array_equal(codes & sign_bit != 0, np.signbit(values[finite]))
    # Beyond the last value of the grid everything is its code: Inf, or NaN.
    step = (codes & (sign_bit - 1)) - np.minimum(below, grid.size - 1)
    assert np.isin(step, (0, 1)).all()
    assert (step[is_exact | (below == grid.size - 1)] == 0).all()


def test_every_level_draws_the_same_bits():
    for name in ROUNDED:
        values = random_patterns(name, 100_003)
        results = [oracle.narrow(name, values, stochastic=1, seed=5, counter=12_345)
                   for _ in each_level()]  # fmt: skip
        assert len(results) >= 1
        assert all(np.array_equal(results[0], other) for other in results[1:]), name


@pytest.mark.parametrize("name", ROUNDED)
def test_the_odds_are_the_distance_to_the_neighbour(name):
    count = 200_000
    grid = oracle.magnitudes(name)
    # The smallest subnormal step, a subnormal, the smallest normal, the middle, the last step.
    normal = {"tf32": 1 << 10, "bf16": 1 << 7, "f16": 1 << 10, "f8e5m2": 4, "f8e4m3": 8,
              "f8e4m3fn": 8, "f8e3m4": 16}[name]  # fmt: skip
    for place in (0, 1, normal // 2, normal, grid.size // 2, grid.size - 3):
        low, high = grid[place], grid[place + 1]
        for fraction in FRACTIONS:
            value = np.float32(low + fraction * (high - low))
            fraction_held = (float(value) - low) / (high - low)  # fp32 may not hold the exact one
            codes = oracle.narrow(name, np.full(count, value), stochastic=1, seed=place + 1)
            up = np.count_nonzero(codes != codes.min())
            up = up if codes.min() == place << (13 if name == "tf32" else 0) else count
            sigma = np.sqrt(count * fraction_held * (1 - fraction_held))
            assert abs(up - count * fraction_held) <= 4 * sigma, (place, fraction)


def test_the_mean_of_rounded_values_is_the_mean_of_the_values():
    random = np.random.default_rng(9)
    values = random.normal(size=1_000_000).astype(np.float32)
    for name, step in (("bf16", 2.0**-7), ("f16", 2.0**-10), ("f8e5m2", 0.25), ("f8e3m4", 2.0**-4)):
        rounded = oracle.widen(name, oracle.narrow(name, values, stochastic=1, seed=3))
        error = rounded.astype(np.float64) - values
        # The error of one value has at most half a step as its standard deviation.
        sigma = np.maximum(np.abs(values), 2.0**-2) * step / 2 / np.sqrt(values.size)
        assert abs(error.mean()) <= 4 * sigma.mean(), name


def test_a_tiny_value_rounds_up_about_as_often_as_it_should():
    count = 4_000_000
    value = np.float32(2.0**-24 / 4096)  # 1/4096 of the smallest f16
    codes = oracle.narrow("f16", np.full(count, value), stochastic=1, seed=1)
    assert set(np.unique(codes)) == {0, 1}
    expected = count / 4096
    assert abs(np.count_nonzero(codes) - expected) <= 4 * np.sqrt(expected)
