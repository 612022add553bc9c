"""Compiled programs that leave the process: JAX's own serialization, and the cache on disk."""

import pickle

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import serialize_executable

import trainyard


def step(x, y):
    return jnp.tanh(x @ y).sum(axis=0), jnp.sort(x, axis=1), x.astype(jnp.int32) * 3 + jnp.arange(16)


def arguments():
    x = np.linspace(-2, 2, 8 * 16, dtype=np.float32).reshape(8, 16)
    return x, np.eye(16, dtype=np.float32)


@pytest.fixture
def compiled(devices):
    with jax.default_device(devices[0]):
        yield jax.jit(step).lower(*arguments()).compile()


def test_a_program_comes_back_from_its_bytes(compiled, devices):
    payload, in_tree, out_tree = serialize_executable.serialize(compiled)
    again = serialize_executable.deserialize_and_load(payload, in_tree, out_tree,
                                                      execution_devices=devices[:1])
    for ours, theirs in zip(again(*arguments()), compiled(*arguments())):
        assert np.array_equal(ours, theirs)


def test_the_bytes_are_the_same_each_time(compiled):
    first, second = (serialize_executable.serialize(compiled)[0] for _ in range(2))
    assert first == second


def test_another_process_runs_it_without_compiling(compiled, python, tmp_path):
    file = tmp_path / "step.pickle"
    file.write_bytes(pickle.dumps(serialize_executable.serialize(compiled)))
    code = f"""
import jax, pickle, numpy as np
from jax.experimental import serialize_executable
step = serialize_executable.deserialize_and_load(*pickle.load(open({str(file)!r}, "rb")),
                                                 execution_devices=jax.devices()[:1])
x = np.linspace(-2, 2, 8 * 16, dtype=np.float32).reshape(8, 16)
print(np.asarray(step(x, np.eye(16, dtype=np.float32))[2]).sum())
"""
    expected = np.asarray(compiled(*arguments())[2]).sum()
    assert python(code).stdout == f"{expected}\n"


def test_a_program_of_another_machine_is_refused(compiled, python, tmp_path):
    file = tmp_path / "step.pickle"
    file.write_bytes(pickle.dumps(serialize_executable.serialize(compiled)))
    code = f"""
import jax, pickle
from jax.experimental import serialize_executable
serialize_executable.deserialize_and_load(*pickle.load(open({str(file)!r}, "rb")),
                                          execution_devices=jax.devices()[:1])
"""
    done = python(code, check=False, TRAINYARD_TARGET="trn3")
    assert done.returncode != 0 and "TY-EXE-011" in done.stderr


PROGRAM = """
import jax, jax.numpy as jnp
print(jax.jit(lambda x: jnp.tanh(x) @ x.T)(jnp.ones((4, 8)))[0, 0])
"""


def test_the_cache_on_disk_serves_the_next_process(python, tmp_path):
    folder = tmp_path / "cache"
    first = python(PROGRAM, TRAINYARD_CACHE=str(folder))
    files = {path: path.read_bytes() for path in folder.iterdir()}
    assert files and all(path.suffix == ".tyx" for path in files)
    stamps = {path: path.stat().st_mtime_ns for path in files}
    second = python(PROGRAM, TRAINYARD_CACHE=str(folder))
    assert second.stdout == first.stdout == python(PROGRAM).stdout
    assert {path: path.stat().st_mtime_ns for path in folder.iterdir()} == stamps


def test_a_file_of_rubbish_in_the_cache_does_no_harm(python, tmp_path):
    first = python(PROGRAM, TRAINYARD_CACHE=str(tmp_path))
    for path in tmp_path.iterdir():
        path.write_bytes(path.read_bytes()[:100] + b"rubbish")
    assert python(PROGRAM, TRAINYARD_CACHE=str(tmp_path)).stdout == first.stdout


def test_the_dump_tells_the_key(python, tmp_path):
    python(PROGRAM, TRAINYARD_DUMP=str(tmp_path))
    keys = [path.read_text() for path in tmp_path.glob("*/key.txt")]
    assert keys and all("compiler  trainyard" in key and "machine   trn2" in key for key in keys)
    assert trainyard.library_path().exists()
