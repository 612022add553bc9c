"""What the devices say about themselves."""

import jax
import numpy as np
import pytest


def test_a_trainium2_chip_has_eight_cores(devices):
    assert len(devices) == 8
    assert [d.id for d in devices] == list(range(8))
    assert {d.platform for d in devices} == {"trainyard"}
    assert {d.device_kind for d in devices} == {"NeuronCore-v3"}
    assert {d.process_index for d in devices} == {0}


def test_a_device_has_a_short_name(devices):
    assert str(devices[3]) == "trainyard:3"
    assert repr(devices[3]) == "TrainyardDevice(id=3, NeuronCore-v3)"


def test_attributes_tell_the_machine(devices):
    device = devices[5]
    assert device.target == "trn2"
    assert device.chip == "Trainium2"
    assert device.core_on_chip == 5
    assert device.lnc == 1
    assert device.sbuf_bytes == 28 * 2**20
    assert device.psum_bytes == 2 * 2**20
    assert device.mode == "values"
    # Half of a stack of 24 GiB, less what the runtime keeps.
    assert 11 * 2**30 < device.hbm_bytes <= 12 * 2**30


def test_the_one_memory_of_a_device_is_called_device(devices):
    memory = devices[2].default_memory()
    assert memory.kind == "device"
    assert devices[2].addressable_memories() == [memory]
    assert memory.addressable_by_devices() == [devices[2]]


def test_the_platform_names_its_version(devices):
    assert "trainyard 0." in devices[0].client.platform_version


@pytest.mark.parametrize("target, count, kind", [("trn1", 2, "NeuronCore-v2"),
                                                 ("inf2", 2, "NeuronCore-v2"),
                                                 ("trn2.48xlarge", 8, "NeuronCore-v3"),
                                                 ("trn3", 8, "NeuronCore-v4")])
def test_the_target_chooses_the_chip(python, target, count, kind):
    code = "import jax; d = jax.devices(); print(len(d), d[0].device_kind)"
    assert python(code, TRAINYARD_TARGET=target).stdout == f"{count} {kind}\n"


def test_a_machine_file_changes_the_memory(python, tmp_path):
    file = tmp_path / "small.toml"
    file.write_text('base = "trn2"\nname = "small"\n[core.hbm]\nstack_bytes = 4000000000\n')
    code = "import jax; d = jax.devices()[0]; print(d.target, d.memory_stats()['bytes_limit'])"
    target, limit = python(code, TRAINYARD_MACHINE=str(file)).stdout.split()
    assert target == "small"
    assert int(limit) < 2_000_000_000


def test_a_machine_that_does_not_exist_is_named(python):
    done = python("import jax; jax.devices()", check=False, TRAINYARD_TARGET="trn9")
    assert done.returncode != 0
    assert "TY-HW-001" in done.stderr and "trn9" in done.stderr


def test_statistics_follow_arrays(devices):
    device = devices[6]
    before = device.memory_stats()
    array = jax.device_put(np.zeros((1024, 1024), np.float32), device)
    during = device.memory_stats()
    assert during["bytes_in_use"] - before["bytes_in_use"] == 4 * 2**20
    assert during["peak_bytes_in_use"] >= during["bytes_in_use"]
    assert during["num_allocs"] == before["num_allocs"] + 1
    assert during["bytes_limit"] == device.hbm_bytes
    array.delete()
    assert device.memory_stats()["bytes_in_use"] == before["bytes_in_use"]
