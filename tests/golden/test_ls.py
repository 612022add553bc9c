"""`trainyard ls` against the interface of neuron-ls: columns, keys and their types, for every instance."""

import json
import re
import subprocess

KEYS = {"neuron_device": int, "bdf": str, "cpu_affinity": str, "numa_node": str, "connected_to": list,
        "nc_count": int, "logical_neuroncore_config": int, "memory_size": int, "neuroncore_ids": list,
        "neuron_processes": list}
COLUMNS = ["NEURON DEVICE", "NEURON CORES", "NEURON CORE IDS", "NEURON MEMORY", "CONNECTED DEVICES", "PCI BDF"]
PLAIN = ["CPU AFFINITY", "NUMA NODE"]
WIDE = ["PID", "COMMAND", "RUNTIME VERSION"]


def ls(trainyard, *words):
    return subprocess.run([trainyard, "ls", *words], capture_output=True, text=True, timeout=60, check=True).stdout


def instances(trainyard):
    return [line.split()[0] for line in ls(trainyard, "--list").splitlines()[1:]]


def headings(text):
    upper, lower = [[cell.strip() for cell in line.split("|")[1:-1]]
                    for line in text.splitlines() if line.startswith("|")][:2]
    return [f"{a} {b}".strip() for a, b in zip(upper, lower)]


def test_the_columns_are_those_of_neuron_ls(trainyard):
    assert headings(ls(trainyard, "--instance", "trn2.48xlarge")) == COLUMNS + PLAIN
    for option in ("-w", "--wide", "-a", "--show-all-procs"):
        assert headings(ls(trainyard, "--instance", "trn2.48xlarge", option)) == COLUMNS + WIDE


def test_the_header_names_instance_and_logical_cores(trainyard):
    lines = ls(trainyard, "--instance", "trn2.48xlarge", "--lnc", "1").splitlines()
    assert lines[0] == "instance-type: trn2.48xlarge"
    assert lines[1].startswith("instance-id: ")
    assert lines[2] == "logical-neuroncore-config: 1"


def test_every_spelling_of_the_json_option_prints_the_same(trainyard):
    once = ls(trainyard, "--instance", "trn1.32xlarge", "-j")
    assert once == ls(trainyard, "--instance", "trn1.32xlarge", "--json-output")
    assert once == ls(trainyard, "--instance", "trn1.32xlarge", "--json")


def test_every_instance_has_the_keys_and_types_of_neuron_ls(trainyard):
    names = instances(trainyard)
    assert {"inf1.xlarge", "trn2.48xlarge", "trn3-gen2-ultraserver"} <= set(names)
    for name in names:
        devices = json.loads(ls(trainyard, "--instance", name, "--json"))
        next_core = 0
        for number, device in enumerate(devices):
            assert list(device) == list(KEYS), name
            assert all(isinstance(device[key], kind) for key, kind in KEYS.items()), name
            assert device["neuron_device"] == number
            assert device["neuroncore_ids"] == list(range(next_core, next_core + device["nc_count"])), name
            next_core += device["nc_count"]


def test_connections_are_mutual(trainyard):
    for name in instances(trainyard):
        devices = json.loads(ls(trainyard, "--instance", name, "--json"))
        for device in devices:
            assert len(set(device["connected_to"])) == len(device["connected_to"]), name
            for other in device["connected_to"]:
                assert device["neuron_device"] in devices[other]["connected_to"], (name, device, other)


def test_trn2_says_what_its_pages_say(trainyard):
    devices = json.loads(ls(trainyard, "--instance", "trn2.48xlarge", "--json"))
    assert len(devices) == 16
    assert {d["memory_size"] for d in devices} == {103079215104}
    assert [devices[i]["connected_to"] for i in (0, 5, 15)] == [[12, 3, 4, 1], [1, 4, 9, 6], [11, 14, 3, 12]]
    assert [d["neuron_device"] for d in devices if d["numa_node"] == "0"] == list(range(4, 12))


def test_the_drawing_has_every_chip_and_stars_at_the_wrap_around_links(trainyard):
    drawing = ls(trainyard, "--instance", "trn1.32xlarge", "-t").partition("Neuron Device Topology\n")[2]
    picture = drawing.partition("Legend")[0]
    assert [int(n) for n in re.findall(r"\[ ?(\d+) \]", picture)] == list(range(16))
    assert picture.count("*") == 16


def test_a_machine_file_changes_what_is_listed(trainyard, tmp_path):
    mine = tmp_path / "mine.toml"
    mine.write_text('base = "trn2.48xlarge"\n[core.hbm]\nstack_bytes = 51539607552\n')
    devices = json.loads(ls(trainyard, "--machine", str(mine), "--json"))
    assert {d["memory_size"] for d in devices} == {192 << 30}
