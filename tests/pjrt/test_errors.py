"""What goes wrong is a Python exception with a code, and the process goes on."""

import jax
import numpy as np
import pytest
from jax.sharding import Mesh, NamedSharding, PartitionSpec


def test_an_operation_without_a_kernel_names_code_and_line(devices):
    x = jax.device_put(np.eye(4, dtype=np.float32) * 2, devices[0])
    with pytest.raises(jax.errors.JaxRuntimeError, match=r"TY-[A-Z]+-\d{3}") as caught:
        jax.jit(unsupported)(x)
    assert "test_errors.py" in str(caught.value)
    assert np.array_equal(np.asarray(x), np.eye(4) * 2)
    assert np.asarray(jax.jit(lambda x: x.reshape(-1))(x)).size == 16


def unsupported(x):
    return jax.lax.linalg.householder_product(x, x[0])  # a custom call of the TPU's


def test_a_program_over_two_devices_is_refused_with_a_code(devices):
    mesh = Mesh(np.array(devices[:2]), "x")
    sharding = NamedSharding(mesh, PartitionSpec("x"))
    x = jax.device_put(np.arange(8, dtype=np.float32), sharding)
    with pytest.raises(jax.errors.JaxRuntimeError, match="TY-PJRT-003"):
        jax.jit(lambda x: x.reshape(4, 2))(x)
    assert np.array_equal(np.asarray(x), np.arange(8))


def test_too_large_an_array_is_told_with_what_is_live(python, tmp_path):
    file = tmp_path / "small.toml"
    file.write_text('base = "trn2"\n[core.hbm]\nstack_bytes = 2000000000\ncode_reserve_bytes = 0\n')
    code = """
import jax, numpy as np
a = jax.device_put(np.zeros(100 << 20, np.uint8))
b = jax.device_put(np.zeros(100 << 20, np.uint8))
try:
    c = jax.device_put(np.zeros(900 << 20, np.uint8))
except Exception as fault:
    print(type(fault).__name__, fault)
print(np.asarray(a).size)
"""
    text = python(code, TRAINYARD_MACHINE=str(file)).stdout
    assert "RESOURCE_EXHAUSTED" in text and "TY-RUN-020" in text
    assert "2 x tensor<104857600xui8> from the host" in text
    assert text.endswith("104857600\n")


def test_an_unknown_compiler_option_is_refused(devices):
    x = jax.device_put(np.zeros(2, np.float32), devices[0])
    with pytest.raises(jax.errors.JaxRuntimeError, match="TY-PJRT-009"):
        jax.jit(lambda x: x, compiler_options={"xla_magic": True})(x)


def test_an_unknown_mode_is_refused(python):
    done = python("import jax; jax.devices()", check=False, TRAINYARD_MODE="fast")
    assert done.returncode != 0 and "TY-RUN-021" in done.stderr


def test_a_wrong_thread_count_is_refused(python):
    done = python("import jax; jax.devices()", check=False, TRAINYARD_THREADS="many")
    assert done.returncode != 0 and "TY-RUN-021" in done.stderr
