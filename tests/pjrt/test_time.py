"""Simulated time, traces and dumps of programs that JAX ran."""

import jax
import numpy as np
import pytest

import trainyard


@pytest.fixture(autouse=True)
def fresh():
    trainyard.simulated_time()


def test_time_counts_runs_since_the_last_call(devices):
    x = jax.device_put(np.zeros((256, 256), np.float32), devices[0])
    for _ in range(3):
        jax.jit(lambda x: x.reshape(-1))(x).block_until_ready()
    time = trainyard.simulated_time()
    assert time.runs == 3 and time.forgotten == 0
    row = time.programs[0]
    assert row.runs in (1, 3)
    assert row.hbm_bytes == 2 * 256 * 256 * 4
    one = row.seconds + row.launch_seconds
    assert time.last_seconds == pytest.approx(one)
    assert time.seconds == pytest.approx(3 * one)
    assert time.trust in ("documented", "derived", "measured", "assumed")
    assert trainyard.simulated_time().runs == 0


def test_twice_the_bytes_take_longer(devices):
    def seconds(n):
        x = jax.device_put(np.zeros((n, 1024), np.float32), devices[0])
        jax.jit(lambda x: x.reshape(-1))(x).block_until_ready()
        return trainyard.simulated_time().programs[-1].seconds

    small, large = seconds(1024), seconds(4096)
    assert 2 * small < large < 8 * small


COUNT = """
import jax, numpy as np, trainyard
y = jax.jit(lambda x: x.reshape(-1))(np.ones((4, 4), np.float32))
print(np.asarray(y).sum(), trainyard.simulated_time().runs)
"""


@pytest.mark.parametrize("mode, total", [("values", 16), ("both", 16), ("check", 16), ("time", 0)])
def test_every_mode_runs_and_time_alone_has_no_values(python, mode, total):
    assert python(COUNT, TRAINYARD_MODE=mode).stdout == f"{float(total)} 1\n"


def test_a_trace_holds_the_longest_program(python, tmp_path):
    file = tmp_path / "step.pftrace"
    python(COUNT, TRAINYARD_TRACE=str(file))
    assert file.stat().st_size > 100


def test_a_trace_that_cannot_be_written_is_an_error_of_the_result(python, tmp_path):
    done = python(COUNT, check=False, TRAINYARD_TRACE=str(tmp_path / "no/such/folder/x.pftrace"))
    assert done.returncode != 0 and "TY-RUN-025" in done.stderr


def test_a_dump_holds_module_graphs_and_body(python, tmp_path):
    python(COUNT, TRAINYARD_DUMP=str(tmp_path / "dump"))
    first = tmp_path / "dump/0000"
    assert (first / "module.mlirbc").read_bytes().startswith(b"ML\xefR")
    assert "reshape" in (first / "00-read.txt").read_text()
    assert "dma_copy" in (first / "body.tya").read_text()
    assert (first / "remarks.txt").read_text().startswith("jit_")


def test_the_package_tells_its_version(root):
    version = (root / "CMakeLists.txt").read_text().split("VERSION ")[2].split()[0]
    assert trainyard.__version__ == version


def test_a_step_can_be_predicted_from_python():
    answer = trainyard.step("llama-2-7b", instance="trn2.48xlarge", tp=8)
    assert isinstance(answer, dict) and answer


def test_a_wrong_question_is_refused_with_a_code():
    with pytest.raises(trainyard.Refused, match=r"TY-"):
        trainyard.step("no-such-model")
