"""Random arguments of the differential tests: shapes, values, indices. One seed, one drawing."""

import zlib

import ml_dtypes
import numpy as np

FLOATS = ("float32", "bfloat16", "float16")
SIGNED = ("int32", "int8", "int16")
UNSIGNED = ("uint32", "uint8", "uint16")
INTEGERS = SIGNED + UNSIGNED
NUMBERS = FLOATS + INTEGERS
ALL = NUMBERS + ("bool",)
F32 = ("float32",)
I32 = ("int32",)
WIDE = {"float32": "float64", "int32": "int64", "uint32": "uint64"}


def numpy_dtype(name: str) -> np.dtype:
    return np.dtype(getattr(ml_dtypes, name) if name == "bfloat16" else name)


class Draw:
    """Draws the arguments of one case."""

    def __init__(self, name: str, seed: int, dtype: str):
        self.random = np.random.default_rng([zlib.crc32(name.encode()), seed])
        self.dtype = dtype

    def size(self, low: int = 1, high: int = 9) -> int:
        return int(self.random.integers(low, high + 1))

    def choice(self, *options):
        return options[int(self.random.integers(len(options)))]

    def flag(self) -> bool:
        return bool(self.random.integers(2))

    def shape(self, low: int = 0, high: int = 3, empty: bool = False) -> tuple[int, ...]:
        """A shape of low to high axes. Some sizes are 1, a few are large, and 0 where asked."""
        axes = self.size(low, high)
        sizes = [self.choice(1, self.size(2, 5), self.size(2, 9), self.size(6, 40))
                 for _ in range(axes)]
        if empty and axes and self.random.integers(12) == 0:
            sizes[self.axis(axes)] = 0
        return tuple(sizes)

    def axis(self, rank: int) -> int:
        return int(self.random.integers(rank))

    def part(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """A shape that broadcasts to this one."""
        cut = shape[self.size(0, len(shape)):] if shape and self.flag() else shape
        return tuple(1 if self.random.integers(4) == 0 else n for n in cut)

    def array(self, shape=(), low=-4.0, high=4.0, dtype: str | None = None) -> np.ndarray:
        """Values in [low, high); integers take whole ones, bool takes both."""
        kind = numpy_dtype(dtype or self.dtype)
        if kind == bool:
            return self.random.integers(0, 2, shape).astype(bool)
        if kind.kind == "u":
            return self.random.integers(max(0, int(low)), max(1, int(high)) + 1, shape).astype(kind)
        if kind.kind == "i":
            return self.random.integers(int(low), int(high) + 1, shape).astype(kind)
        if kind.kind == "c":
            parts = self.random.uniform(low, high, (2, *shape))
            return (parts[0] + 1j * parts[1]).astype(kind)
        return np.asarray(self.random.uniform(low, high, shape)).astype(kind)

    def ints(self, low: int, high: int, shape=()) -> np.ndarray:
        """Indices in [low, high)."""
        return np.asarray(self.random.integers(low, max(high, low + 1), shape), dtype=np.int32)

    def distinct(self, shape=()) -> np.ndarray:
        """No two values are equal, so that an order has one answer and a gradient."""
        count = int(np.prod(shape))
        return (self.random.permutation(count) - count / 2).reshape(shape).astype(
            numpy_dtype(self.dtype))

    def any_bits(self, shape=()) -> np.ndarray:
        """Any value of the type; a few floats are NaN, infinite, zero or minus zero."""
        kind = numpy_dtype(self.dtype)
        if kind == bool:
            return self.array(shape)
        if kind.kind in "iu":
            limits = np.iinfo(kind)
            return self.random.integers(limits.min, limits.max, shape, dtype=kind, endpoint=True)
        values = np.asarray(self.random.standard_normal(shape) * 10.0 ** self.size(0, 3))
        odd = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0])
        where = self.random.integers(0, 4, shape) == 0
        return np.where(where, odd[self.random.integers(0, len(odd), shape)], values).astype(kind)
