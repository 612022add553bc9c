"""Plans as JSON: what a script can rely on."""

import json
import subprocess

import pytest

WORDS = ["plan", "--model", "llama3-8b", "--tokens", "1T", "--on", "trn2.48xlarge,p5.48xlarge", "--nodes", "4..8"]


def planned(trainyard, *words):
    done = subprocess.run([trainyard, *WORDS, "--json", *words], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_plan_costs_its_nodes_times_its_hours_times_its_price(trainyard):
    answer = planned(trainyard)
    prices = {row["machine"]: row for row in answer["prices"]}
    for plan in answer["plans"]:
        hours = 24 * plan["days"]
        price = prices[plan["machine"]]
        assert plan["usd"] == pytest.approx(plan["nodes"] * hours * price["usd_per_hour"], rel=1e-6)
        assert plan["usd_per_mtoken"] == pytest.approx(plan["usd"] / 1e6, rel=1e-6)
        assert plan["tokens_per_s"] * plan["step_time_s"] == pytest.approx(1024 * 4096, rel=1e-6)
        assert price["date"] and price["source"]


def test_the_same_seed_gives_the_same_bytes_and_another_seed_other_odds(trainyard):
    first = planned(trainyard, "--deadline", "20d")
    assert first == planned(trainyard, "--deadline", "20d")
    other = planned(trainyard, "--deadline", "20d", "--seed", "2")
    assert first["plans"] == other["plans"]
    assert first["odds"] != other["odds"]


def test_spot_is_cheaper_by_the_hour_and_loses_time(trainyard):
    calm, spot = planned(trainyard), planned(trainyard, "--spot")
    assert spot["prices"][0]["usd_per_hour"] < calm["prices"][0]["usd_per_hour"]
    assert spot["plans"][0]["goodput"] < calm["plans"][0]["goodput"]
    assert spot["odds"]["interruptions"] > calm["odds"]["interruptions"]


def test_the_unknowns_of_the_network_the_hosts_the_chips_and_the_price_are_swept(trainyard):
    swept = {row["knob"] for row in planned(trainyard, "--spot")["sensitivity"]}
    for wanted in ("run.compute_sigma", "run.spot_losses_per_hour", "NeuronTensorV3", "NeuronLink"):
        assert wanted in swept, sorted(swept)


@pytest.mark.parametrize("text", ["[[price]]\ninstance = 'trn3-gen1-ultraserver'\n", "[[price]", "price = 3",
                                  "[[price]]\ninstance = 'trn3-gen1-ultraserver'\nusd_per_hour = -4\ndate = '2026'\n"
                                  "market = 'spot'\nsource = 'x'\n"],
                         ids=["incomplete", "no TOML", "no list", "negative"])
def test_a_price_file_that_cannot_be_is_refused_with_its_line(text, trainyard, tmp_path):
    path = tmp_path / "prices.toml"
    path.write_text(text)
    done = subprocess.run([trainyard, *WORDS, "--prices", str(path)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "TY-HW-012" in done.stderr and "prices.toml" in done.stderr, done.stderr
