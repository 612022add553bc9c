"""Programs that need no arithmetic: what the plug-in itself does around every program."""

import concurrent.futures
import threading

import jax
import numpy as np
import pytest


def identity(x):
    return x


def test_a_result_that_is_the_parameter_is_an_array_of_its_own(devices):
    x = jax.device_put(np.arange(6.0, dtype=np.float32), devices[0])
    y = jax.jit(identity)(x)
    x.delete()
    assert np.array_equal(np.asarray(y), np.arange(6))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int32", "float16", "bfloat16", "float32"])
@pytest.mark.parametrize("shape", [(), (1,), (5,), (0, 3), (128, 128), (3, 5, 7)])
def test_identity_keeps_every_type_and_shape(devices, dtype, shape):
    import ml_dtypes
    kind = ml_dtypes.bfloat16 if dtype == "bfloat16" else dtype
    array = (np.arange(int(np.prod(shape))) % 5).astype(kind).reshape(shape)
    result = np.asarray(jax.jit(identity)(jax.device_put(array, devices[0])))
    assert result.dtype == array.dtype and result.tobytes() == array.tobytes()


def test_one_value_may_be_returned_twice(devices):
    x = jax.device_put(np.arange(4, dtype=np.int32), devices[0])
    a, b, c = jax.jit(lambda x: (x, x, x.reshape(2, 2)))(x)
    a.delete()
    assert np.array_equal(np.asarray(b), np.arange(4))
    assert np.array_equal(np.asarray(c), np.arange(4).reshape(2, 2))


def test_constants_come_with_the_program(devices):
    table = np.arange(300, dtype=np.float32)
    x = jax.device_put(np.zeros(2, np.float32), devices[0])
    y, _ = jax.jit(lambda x: (jax.numpy.asarray(table), x))(x)
    assert np.array_equal(np.asarray(y), table)


def test_a_program_without_arguments_runs(devices):
    with jax.default_device(devices[0]):
        result = jax.jit(lambda: np.float32(2.5))()
    assert float(result) == 2.5


def test_programs_run_where_their_arguments_are(devices):
    x = jax.device_put(np.arange(4), devices[7])
    assert jax.jit(identity)(x).devices() == {devices[7]}


def test_many_programs_live_at_once(devices):
    x = jax.device_put(np.arange(64, dtype=np.float32), devices[0])
    programs = [jax.jit(lambda x, n=n: x.reshape(2**n, -1)) for n in range(7)]
    results = [program(x) for program in programs for _ in range(3)]
    for i, result in enumerate(results):
        assert result.shape[0] == 2 ** (i // 3)
        assert np.array_equal(np.asarray(result).ravel(), np.arange(64))


def test_a_chain_of_programs_keeps_its_order(devices):
    x = jax.device_put(np.arange(1 << 18, dtype=np.float32), devices[0])
    fold, flat = jax.jit(lambda x: x.reshape(512, -1)), jax.jit(lambda x: x.reshape(-1))
    for _ in range(200):
        x = flat(fold(x))
    assert np.array_equal(np.asarray(x), np.arange(1 << 18))


def test_threads_compile_transfer_and_run_at_once(devices):
    start = threading.Barrier(8)

    def work(k):
        start.wait()
        for i in range(20):
            array = np.full(100 + k, k * 100 + i, np.float32)
            x = jax.device_put(array, devices[k % 4])
            y = jax.jit(lambda x, i=i: x.reshape(1, -1))(x)
            assert np.array_equal(np.asarray(y)[0], array)
        return k

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(work, range(8))) == list(range(8))


def test_compiled_programs_tell_costs_and_memory(devices):
    x = jax.device_put(np.zeros((64, 64), np.float32), devices[0])
    compiled = jax.jit(lambda x: x.reshape(-1)).lower(x).compile()
    memory = compiled.memory_analysis()
    assert memory.argument_size_in_bytes == memory.output_size_in_bytes == 64 * 64 * 4
    assert memory.generated_code_size_in_bytes > 0
    costs = compiled.cost_analysis()
    assert costs["flops"] == 0
    assert costs["bytes accessed"] >= 2 * 64 * 64 * 4
    assert 0 < costs["optimal_seconds"] < 1e-3


def test_results_are_the_same_with_one_thread_and_with_four(python):
    code = """
import jax, numpy as np, hashlib
x = np.random.default_rng(0).standard_normal((512, 1024)).astype(np.float32)
y = jax.jit(lambda x: x.reshape(-1, 128))(x)
print(hashlib.sha256(np.asarray(y).tobytes()).hexdigest())
"""
    assert python(code, TRAINYARD_THREADS="1").stdout == python(code, TRAINYARD_THREADS="4").stdout
