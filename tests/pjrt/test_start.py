"""What a user meets first: nothing but the devices."""

import subprocess
import time

import trainyard

EXPERIMENTAL = "Platform 'trainyard' is experimental and not all JAX functionality may be correctly"


def lines_of(text):
    return [line for line in text.splitlines() if line.strip()]


def test_jax_finds_eight_devices_and_says_nothing_of_ours(python):
    done = python("import jax; print(len(jax.devices()), jax.default_backend())")
    assert done.stdout == "8 trainyard\n"
    assert all(EXPERIMENTAL in line for line in lines_of(done.stderr)), done.stderr


def test_a_program_for_the_cpu_loads_the_library_and_no_device(python):
    done = python("import jax; print(jax.devices()[0].platform)", JAX_PLATFORMS="cpu")
    assert (done.stdout, done.stderr) == ("cpu\n", "")


def test_opening_the_devices_takes_less_than_a_tenth_of_importing_jax(python):
    code = """
import time; start = time.perf_counter()
import jax; imported = time.perf_counter()
from jax._src import xla_bridge
jax.devices(); opened = time.perf_counter()
print(imported - start, opened - imported)
"""
    imported, opened = map(float, python(code).stdout.split())
    assert opened < max(0.1 * imported, 0.25)


def test_the_library_exports_one_symbol():
    listing = subprocess.run(["nm", "-D", "--defined-only", str(trainyard.library_path())],
                             capture_output=True, text=True, check=True).stdout
    assert [line.split()[-1] for line in lines_of(listing)] == ["GetPjrtApi"]


def test_the_library_needs_no_protobuf():
    listing = subprocess.run(["readelf", "-d", str(trainyard.library_path())],
                             capture_output=True, text=True, check=True).stdout
    assert "NEEDED" in listing
    assert "protobuf" not in listing and "absl" not in listing


def test_the_environment_route_works_beside_the_package(python):
    route = f"trainyard:{trainyard.library_path()}"
    done = python("import jax; print(len(jax.devices()))", PJRT_NAMES_AND_LIBRARY_PATHS=route)
    assert done.stdout == "8\n"


def test_a_second_client_works_while_the_first_one_goes(python):
    code = """
import jax, numpy as np
from jax.extend.backend import clear_backends
first = jax.device_put(np.arange(3))
clear_backends()
second = jax.device_put(np.arange(4))
print(np.asarray(second).tolist(), len(jax.devices()))
"""
    assert python(code).stdout == "[0, 1, 2, 3] 8\n"


def test_a_process_ends_cleanly_with_live_arrays_and_work_in_flight(python):
    code = """
import jax, numpy as np
x = jax.device_put(np.ones((512, 512), np.float32))
f = jax.jit(lambda x: x.reshape(-1))
keep = [f(x) for _ in range(50)]
"""
    start = time.perf_counter()
    done = python(code)
    assert done.returncode == 0
    assert time.perf_counter() - start < 60


def test_a_forked_child_can_read_what_it_holds(python):
    code = """
import os, warnings, jax, numpy as np
warnings.simplefilter("ignore")
x = jax.device_put(np.arange(5))
child = os.fork()
if child == 0:
    os._exit(int(np.asarray(x).sum()))
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert python(code).stdout == "10\n"
