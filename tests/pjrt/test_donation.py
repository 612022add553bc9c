"""Arrays that are given away to a program."""

import jax
import numpy as np
import pytest


def put(device, n=1024):
    return jax.device_put(np.arange(n, dtype=np.float32), device)


def test_a_donated_array_is_gone_and_says_so(devices):
    x = put(devices[0])
    y = jax.jit(lambda x: x.reshape(32, 32), donate_argnums=0)(x)
    assert x.is_deleted()
    with pytest.raises(RuntimeError, match="deleted"):
        np.asarray(x)
    with pytest.raises((RuntimeError, ValueError), match="deleted"):
        jax.jit(lambda x: x)(x)
    assert np.array_equal(np.asarray(y).ravel(), np.arange(1024))


def test_donated_memory_is_not_counted_twice(devices):
    device = devices[5]
    step = jax.jit(lambda x: x, donate_argnums=0)
    step(put(device, 1 << 20)).delete()
    before = device.memory_stats()["bytes_in_use"]  # the program's code
    x = put(device, 1 << 20)
    for _ in range(5):
        x = step(x)
        assert device.memory_stats()["bytes_in_use"] - before == 4 << 20
    assert np.array_equal(np.asarray(x), np.arange(1 << 20))


def test_donation_warns_about_nothing(devices, recwarn):
    jax.jit(lambda x: x, donate_argnums=0)(put(devices[0])).block_until_ready()
    assert not [w for w in recwarn if "onat" in str(w.message)]


def test_a_reader_of_a_donated_array_sees_its_values(devices):
    for _ in range(20):
        x = put(devices[0], 1 << 16)
        y = jax.jit(lambda x: x.reshape(256, 256))(x)
        z = jax.jit(lambda x: x.reshape(-1), donate_argnums=0)(y)
        x2 = jax.jit(lambda x: x.reshape(2, -1))(x)
        assert np.array_equal(np.asarray(z), np.arange(1 << 16))
        assert np.array_equal(np.asarray(x2).ravel(), np.arange(1 << 16))


def test_the_same_array_twice_and_donated_is_refused(devices):
    x = put(devices[0])
    f = jax.jit(lambda a, b: (a.reshape(-1), b.reshape(-1)), donate_argnums=0)
    with pytest.raises(Exception, match="donate"):
        f(x, x)
    assert not x.is_deleted()
    assert float(np.asarray(x)[3]) == 3


def test_a_training_state_goes_round_in_donated_memory(devices):
    state = {"w": put(devices[3]), "m": put(devices[3]), "n": put(devices[3])}
    step = jax.jit(lambda s: {"w": s["m"], "m": s["n"], "n": s["w"]}, donate_argnums=0)
    for _ in range(3):
        old = state
        state = step(state)
        assert all(x.is_deleted() for x in old.values())
    assert all(np.array_equal(np.asarray(x), np.arange(1024)) for x in state.values())
