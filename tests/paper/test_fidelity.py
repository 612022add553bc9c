"""Published times that Trainyard claims to reproduce. The figures, the programs and the bands stand in
bench/fidelity; `trainyard fidelity` prints the table."""

import json
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def table(trainyard):
    done = subprocess.run([trainyard, "fidelity", "--json"], cwd=ROOT, capture_output=True, text=True,
                          timeout=300)
    assert done.stderr == ""
    return json.loads(done.stdout)


def test_every_figure_stays_within_its_band(table):
    lost = [f"{r['id']} {r['measure']} {r.get('case', '')}: published {r['published']} {r['unit']}, "
            f"ours {r['ours']:.4g}, {r['error_percent']:+.1f} % of {r['band_percent']} %"
            for r in table["rows"] if abs(r["error_percent"]) > r["band_percent"]]
    assert not lost, "\n".join(lost)


def test_the_table_holds_every_row_that_it_promises(table):
    measured = {r["id"] for r in table["rows"]}
    refused = {r["id"] for r in table["not_modelled"]}
    promised = ([f"V-MM-{i}" for i in range(1, 10)] + [f"V-MB-{i}" for i in (1, 2, 3, 5)] +
                [f"V-I-{i}" for i in range(1, 8)] + [f"V-D-{i}" for i in range(1, 9)])
    assert set(promised) <= measured | refused
    assert not measured & refused
    assert all(len(r["reason"]) > 20 for r in table["not_modelled"])


def test_what_the_model_has_not_seen_is_predicted_as_well(table):
    """Some constants were read off rows of this table. The others are predictions."""
    unseen = table["unseen"]
    assert unseen["figures"] >= 30
    assert unseen["mean_error_percent"] < 6


def test_a_row_out_of_its_band_fails_the_command(trainyard, tmp_path):
    text = (ROOT / "bench/fidelity/vector_512_trn2.tya").read_text()
    (tmp_path / "wrong.tya").write_text(text.replace("685 ns", "900 ns"))
    done = subprocess.run([trainyard, "fidelity", "--dir", str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == 1
    assert "OUTSIDE" in done.stdout


@pytest.mark.parametrize("old,new,code", [
    ("slice a", "slice b", "TY-FID-002"),
    ("slice a", "payload a", "TY-FID-002"),
    ("slice a", "speed", "TY-FID-002"),
    ("slice a", "active wheel", "TY-FID-002"),
    ("# band", "# repeat: nowhere=2\n# band", "TY-FID-002"),
    ("# band", "# bend", "TY-FID-001"),
])
def test_a_row_that_names_nothing_is_refused(trainyard, tmp_path, old, new, code):
    text = (ROOT / "bench/fidelity/vector_512_trn2.tya").read_text()
    (tmp_path / "wrong.tya").write_text(text.replace(old, new))
    done = subprocess.run([trainyard, "fidelity", "--dir", str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == 1
    assert code in done.stderr


def test_a_folder_without_programs_is_refused(trainyard, tmp_path):
    done = subprocess.run([trainyard, "fidelity", "--dir", str(tmp_path)], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("TY-FID-003")


def test_every_figure_names_a_document_that_we_list(table):
    known = (ROOT / "docs/sources.md").read_text()
    for row in table["rows"]:
        assert f"`{row['source']}`" in known, row["id"]


@pytest.mark.parametrize("program", sorted((ROOT / "bench/fidelity").glob("*.tya")), ids=lambda p: p.stem)
def test_the_programs_are_free_of_races(trainyard, program):
    """A placement that could give other values than its body has no time worth comparing."""
    done = subprocess.run([trainyard, "run", str(program), "--mode", "check", "--json"], capture_output=True,
                          text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["check"]["findings"] == []
