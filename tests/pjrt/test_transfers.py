"""Bytes go to a device and come back as they were."""

import jax
import ml_dtypes
import numpy as np
import pytest

DTYPES = [np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64,
          np.float16, np.float32, np.float64, np.complex64, np.complex128, ml_dtypes.bfloat16,
          ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2, ml_dtypes.float8_e4m3b11fnuz,
          ml_dtypes.float8_e4m3fnuz, ml_dtypes.float8_e5m2fnuz, ml_dtypes.float8_e3m4,
          ml_dtypes.float8_e4m3, ml_dtypes.float8_e8m0fnu, ml_dtypes.float4_e2m1fn, ml_dtypes.int4,
          ml_dtypes.uint4, ml_dtypes.int2, ml_dtypes.uint2]
SHAPES = [(), (1,), (0,), (7,), (3, 0, 2), (2, 3), (4, 1, 5), (129, 257)]


def pattern(shape, dtype):
    """Every bit pattern of the type, NaNs included, in turn."""
    dtype = np.dtype(dtype)
    count = int(np.prod(shape))
    if dtype == np.bool_:
        return (np.arange(count) % 3 == 0).reshape(shape)
    if dtype.name in ("int4", "uint4", "int2", "uint2", "float4_e2m1fn"):
        low = {"int4": -8, "int2": -2}.get(dtype.name, 0)
        values = 16 if "4" in dtype.name else 4
        return (np.arange(count) % values + low).astype(np.float32).astype(dtype).reshape(shape)
    raw = np.random.default_rng(1).integers(0, 256, count * dtype.itemsize, dtype=np.uint8)
    return raw.view(dtype).reshape(shape)


def same_bytes(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


@pytest.fixture(autouse=True)
def x64():
    with jax.enable_x64(True):
        yield


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda t: np.dtype(t).name)
def test_every_type_keeps_its_bytes(devices, dtype):
    for shape in SHAPES:
        array = pattern(shape, dtype)
        assert same_bytes(np.asarray(jax.device_put(array, devices[0])), array), shape


@pytest.mark.parametrize("make", [
    lambda a: a.T, lambda a: a[::-1], lambda a: a[:, ::2], lambda a: a[5:9, 3:], np.asfortranarray,
    lambda a: np.broadcast_to(a[0], a.shape), lambda a: a[::-2, ::-3],
    lambda a: a.reshape(8, 4, 16).transpose(2, 0, 1),
], ids=["transposed", "reversed", "steps", "window", "fortran", "broadcast", "backwards", "permuted"])
@pytest.mark.parametrize("dtype", [np.int8, np.float16, np.float32, np.float64, np.complex128])
def test_strided_arrays_arrive_in_their_own_order(devices, make, dtype):
    array = make(np.arange(32 * 16).reshape(32, 16).astype(dtype))
    assert np.array_equal(np.asarray(jax.device_put(array, devices[0])), array)


def test_a_later_write_to_the_numpy_array_does_not_show(devices):
    array = np.zeros(1000, np.float32)
    put = jax.device_put(array, devices[0])
    array[:] = 1
    assert not np.asarray(put).any()


def test_arrays_move_between_devices(devices):
    array = np.arange(1000, dtype=np.float32)
    there = jax.device_put(jax.device_put(array, devices[1]), devices[4])
    assert there.devices() == {devices[4]}
    assert np.array_equal(np.asarray(there), array)


def test_a_result_moves_to_another_device_before_it_is_there(devices):
    array = np.arange(1 << 20, dtype=np.float32)
    made = jax.jit(lambda x: x.reshape(1024, 1024))(jax.device_put(array, devices[1]))
    moved = jax.device_put(made, devices[2])
    again = jax.jit(lambda x: x.reshape(-1))(moved)
    assert again.devices() == {devices[2]}
    assert np.array_equal(np.asarray(again), array)


def test_arrays_move_between_the_cpu_and_a_device(devices):
    array = jax.device_put(np.arange(10), jax.devices("cpu")[0])
    there = jax.device_put(array, devices[0])
    back = jax.device_put(there, jax.devices("cpu")[0])
    assert np.array_equal(np.asarray(back), np.arange(10))


def test_a_large_array_keeps_its_bytes(devices):
    array = np.random.default_rng(2).standard_normal((3000, 3001)).astype(np.float32)
    assert np.array_equal(np.asarray(jax.device_put(array, devices[0])), array)
