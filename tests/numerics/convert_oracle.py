"""Conversions by NumPy and ml_dtypes, which share no code with ours, and ours through ctypes."""

import ctypes
import functools
import os
import pathlib

import ml_dtypes
import numpy as np

FLOATS_8 = {
    "f8e5m2": ml_dtypes.float8_e5m2,
    "f8e4m3": ml_dtypes.float8_e4m3,
    "f8e4m3fn": ml_dtypes.float8_e4m3fn,
    "f8e3m4": ml_dtypes.float8_e3m4,
}
FLOATS = {"bf16": ml_dtypes.bfloat16, "f16": np.float16, **FLOATS_8}
INTEGERS = {"i8": np.int8, "u8": np.uint8, "i16": np.int16, "u16": np.uint16,
            "i32": np.int32, "u32": np.uint32}  # fmt: skip
LEVELS = ("scalar", "avx2", "avx512")  # amx has no conversions of its own


class Switches(ctypes.Structure):
    _fields_ = [("seed", ctypes.c_uint64), ("counter", ctypes.c_uint64),
                ("stochastic", ctypes.c_uint8), ("fp8fn_saturate", ctypes.c_uint8),
                ("fp8_saturate", ctypes.c_uint8), ("ftz", ctypes.c_uint8)]  # fmt: skip


@functools.cache
def library() -> ctypes.CDLL:
    root = pathlib.Path(__file__).resolve().parents[2]
    build = pathlib.Path(os.environ.get("TRAINYARD_BUILD", root / "build/release"))
    lib = ctypes.CDLL(str(build / "tests/numerics/libtrainyard_numerics_c.so"))
    pointer, size = ctypes.c_void_p, ctypes.c_size_t
    lib.ty_force_simd.argtypes = [ctypes.c_char_p]
    lib.ty_widen.argtypes = [ctypes.c_char_p, pointer, pointer, size]
    lib.ty_narrow.argtypes = [ctypes.c_char_p, pointer, pointer, size, ctypes.POINTER(Switches)]
    return lib


def force_simd(level: str) -> bool:
    """False where the host lacks the level."""
    return bool(library().ty_force_simd(level.encode()))


def code_dtype(name: str) -> np.dtype:
    """The unsigned integer that holds the bits of one element."""
    if name == "tf32":
        return np.dtype(np.uint32)
    size = np.dtype(FLOATS.get(name) or INTEGERS[name]).itemsize
    return np.dtype(f"u{size}")


def narrow(name: str, values: np.ndarray, **switches: int) -> np.ndarray:
    """Our codes of fp32 values."""
    codes = np.empty(values.shape, code_dtype(name))
    assert values.dtype == np.float32 and values.flags.c_contiguous
    assert library().ty_narrow(name.encode(), values.ctypes.data, codes.ctypes.data, values.size,
                               Switches(**switches))
    return codes


def widen(name: str, codes: np.ndarray) -> np.ndarray:
    """Our fp32 values of codes."""
    values = np.empty(codes.shape, np.float32)
    assert codes.dtype == code_dtype(name) and codes.flags.c_contiguous
    assert library().ty_widen(name.encode(), codes.ctypes.data, values.ctypes.data, codes.size)
    return values


def expected_narrow(name: str, values: np.ndarray) -> np.ndarray:
    """The codes of fp32 values, nearest even, by NumPy and ml_dtypes."""
    with np.errstate(all="ignore"):
        if name == "tf32":
            return expected_tf32(values)
        if name in INTEGERS:
            limits = np.iinfo(INTEGERS[name])
            whole = np.clip(np.rint(values.astype(np.float64)), limits.min, limits.max)
            return np.nan_to_num(whole).astype(np.int64).astype(INTEGERS[name]).view(
                code_dtype(name))
        codes = values.astype(FLOATS[name]).view(code_dtype(name))
        if name == "f16":  # NumPy keeps the payload of a NaN, we and ml_dtypes don't
            sign = codes & np.uint16(0x8000)
            codes = np.where(np.isnan(values), sign | np.uint16(0x7E00), codes)
        return codes


def expected_tf32(values: np.ndarray) -> np.ndarray:
    """tf32 has no library: scaled in fp64 so that rint, which rounds to even, does the work."""
    wide = values.astype(np.float64)
    exponent = np.frexp(np.where(np.isfinite(wide), wide, 1.0))[1] - 1
    step = np.ldexp(1.0, np.maximum(exponent, -126) - 10)
    rounded = (np.rint(wide / step) * step).astype(np.float32)  # beyond the range: Inf
    codes = rounded.view(np.uint32)
    sign = values.view(np.uint32) & np.uint32(0x80000000)
    return np.where(np.isnan(values), sign | np.uint32(0x7FC00000), codes | sign)


def expected_widen(name: str, codes: np.ndarray) -> np.ndarray:
    """The fp32 values of codes by NumPy and ml_dtypes."""
    with np.errstate(invalid="ignore"):  # signalling NaN
        return codes.view(FLOATS.get(name) or INTEGERS[name]).astype(np.float32)


def magnitudes(name: str) -> np.ndarray:
    """All values of a format from 0 up in the order of their codes, the first overflow code as the
    value it would have with a wider exponent, in fp64, where midpoints are exact."""
    if name == "tf32":
        codes = np.arange(0, 0x7F800000, 1 << 13, dtype=np.uint32)
        finite = codes.view(np.float32).astype(np.float64)
    else:
        dtype = code_dtype(name)
        codes = np.arange(1 << (8 * dtype.itemsize - 1), dtype=dtype)
        finite = expected_widen(name, codes)
        finite = finite[np.isfinite(finite)].astype(np.float64)
    return np.append(finite, 2 * finite[-1] - finite[-2])
