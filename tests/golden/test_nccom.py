"""`trainyard nccom` against the interface of nccom-test: flags, columns, keys, and what must hold between them."""

import json
import re
import subprocess

import pytest

# As nccom-test prints them, in order; statistics and sizes only where asked for.
COLUMNS = ["size(B)", "count(elems)", "type", "time:avg(us)", "algbw(GB/s)", "busbw(GB/s)"]
OURS = ["algorithm", "steps", "bound", "closed-form(us)", "cheapest", "trust"]
BOUNDS = {"latency", "link", "hbm", "dma", "efa"}


def nccom(trainyard, *words, code=0):
    done = subprocess.run([trainyard, "nccom", *words], capture_output=True, text=True, timeout=120)
    assert done.returncode == code, done.stderr
    return done.stdout


def rows(trainyard, *words):
    return json.loads(nccom(trainyard, *words, "--json"))["results"]


def test_the_columns_are_those_of_nccom_test_and_then_ours(trainyard):
    lines = nccom(trainyard, "allr", "-r", "8", "-b", "1M").splitlines()
    assert lines[0].split() == COLUMNS + OURS
    assert re.fullmatch(r"Avg bus bandwidth:\s+[\d.]+GB/s", lines[2])


def test_sizes_and_statistics_come_where_nccom_test_puts_them(trainyard):
    line = nccom(trainyard, "allg", "-r", "8", "-b", "1M", "--show-input-output-size", "--stats", "avg", "p50",
                 "p99").splitlines()[0]
    assert line.split() == ["size(B)", "count(elems)", "total_input_size(B)", "total_output_size(B)", "type",
                            "time:avg(us)", "time:p50(us)", "time:p99(us)", "algbw(GB/s)", "busbw(GB/s)"] + OURS


@pytest.mark.parametrize("op, factor", [("allr", 2 * 7 / 8), ("all_reduce", 2 * 7 / 8), ("allg", 7 / 8),
                                        ("all_gather", 7 / 8), ("allgv", 7 / 8), ("all_gatherv", 7 / 8),
                                        ("redsct", 7 / 8), ("reduce_scatter", 7 / 8), ("alltoall", 7 / 8),
                                        ("alltoallv", 7 / 8), ("permute", 1), ("sendrecv", 1), ("broadcast", 1)])
def test_every_operation_runs_and_its_bandwidths_follow_from_size_and_time(trainyard, op, factor):
    for row in rows(trainyard, op, "-r", "8", "-b", "8K", "-e", "8M", "-f", "32", "-d", "fp32"):
        assert list(row) == COLUMNS + OURS
        assert row["count(elems)"] * 4 == row["size(B)"]
        assert row["algbw(GB/s)"] == pytest.approx(row["size(B)"] * 1e-3 / row["time:avg(us)"])
        assert row["busbw(GB/s)"] == pytest.approx(factor * row["algbw(GB/s)"])
        assert row["bound"] in BOUNDS
        assert row["time:avg(us)"] == pytest.approx(row["closed-form(us)"], rel=0.1)


def test_the_file_holds_what_the_screen_shows(trainyard, tmp_path):
    path = tmp_path / "results.json"
    shown = nccom(trainyard, "allr", "-r", "16", "-b", "1K", "-e", "1M", "-f", "8", "--json",
                  "--report-to-json-file", str(path))
    assert json.loads(shown) == json.loads(path.read_text())


def test_every_flag_of_nccom_test_is_taken(trainyard):
    nccom(trainyard, "allr", "-r", "128", "-N", "2", "--minbytes", "1kb", "--maxbytes", "3kb", "--stepbytes", "1kb",
          "--iters", "3", "--warmup_iters", "1", "--neff_iters", "2", "--neff_warmup_iters", "1", "--datatype",
          "bf16", "--check", "all_ones", "--seed", "3", "--unique-buff", "--shared-output-buff", "--hosts", "a",
          "b", "--hosts-file", "h", "--mpi-log-dir", "d", "--slurm-mode", "--slurm-vcpus-per-node", "8",
          "--slurm-setup-script", "default", "--slurm-job-id", "7", "--slurm-use-head-node-neuron-bench",
          "--non-interactive", "--stats", "avg", "p50", "--show-algorithm", "--show-input-output-size", "--debug",
          "--sb2sb", "--input-shape", "[1,1][2,2]", "--output-shape", "[1,1][2,2]", "--cc-dim", "1",
          "--data-parallel-dimension", "2", "--vcpu-pin-mode", "--data-collector-port", "60006",
          "--data-collector-host", "here")


def test_steps_in_bytes_are_those_that_were_asked_for(trainyard):
    assert [row["size(B)"] for row in rows(trainyard, "allr", "-r", "2", "-b", "8", "-e", "16", "-i", "4")] == [8, 12, 16]


def test_two_runs_print_the_same_and_another_seed_does_not(trainyard):
    words = ["allr", "-N", "2", "-b", "16M", "--jitter", "-n", "3"]
    assert nccom(trainyard, *words, "--seed", "4") == nccom(trainyard, *words, "--seed", "4")
    assert nccom(trainyard, *words, "--seed", "4") != nccom(trainyard, *words, "--seed", "5")


@pytest.mark.parametrize("algorithm", ["ring", "kangaring", "mesh", "rdh", "single-step", "flat", "cost"])
def test_every_algorithm_can_be_asked_for_and_is_right_on_data(trainyard, algorithm):
    nodes = "2" if algorithm == "flat" else "1"
    shown = rows(trainyard, "allr", "-N", nodes, "--instance", "trn1.32xlarge", "-b", "1M", "--algo", algorithm,
                 "--check")
    if algorithm != "cost":
        assert algorithm in shown[0]["algorithm"]


def test_a_failed_size_is_told_as_nccom_test_does(trainyard):
    lines = nccom(trainyard, "allr", "-r", "4", "-b", "1M", "--algo", "kangaring", code=1).splitlines()
    assert re.match(r" +1048576    TY-NET-006  ", lines[-2])
    assert lines[-1] == "1 errors found - test failed"


def test_collectives_of_other_streams_slow_each_other(trainyard, root):
    results = rows(trainyard, "--streams-json", str(root / "examples/nccom/streams.json"))
    assert [row["stream"] for row in results] == [0, 1, 0]
    assert all(row["time:avg(us)"] > 0.999 * row["alone(us)"] for row in results)
    assert results[1]["time:avg(us)"] > 1.2 * results[1]["alone(us)"]
