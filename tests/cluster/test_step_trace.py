"""The Perfetto trace of a step, read by the decoder that the other traces use."""

import json
import subprocess

import pytest

import perfetto_decode

WORDS = {
    "pipeline": ["--model", "llama3-70b", "--instance", "trn2", "--nodes", "32", "--tp", "32", "--pp", "4",
                 "--global-batch", "1024"],
    "interleaved": ["--model", "llama3-70b", "--instance", "trn2", "--nodes", "32", "--tp", "32", "--pp", "4",
                    "--vpp", "2", "--global-batch", "1024"],
    "fsdp": ["--model", "llama2-7b", "--instance", "p5.48xlarge", "--nodes", "8", "--sharding", "fsdp"],
    "experts": ["--model", "mixtral-8x7b", "--instance", "trn2", "--nodes", "8", "--tp", "16", "--ep", "8",
                "--global-batch", "1024"],
}


def traced(trainyard, words, tmp_path):
    path = tmp_path / "step.pftrace"
    done = subprocess.run([trainyard, "step", *words, "--json", "--trace", str(path)], capture_output=True,
                          text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), perfetto_decode.decode(path.read_bytes())


@pytest.mark.parametrize("words", WORDS.values(), ids=WORDS.keys())
def test_tracks_of_stages_collectives_and_engines_never_overlap(words, trainyard, tmp_path):
    answer, tracks = traced(trainyard, words, tmp_path)
    assert perfetto_decode.problems(tracks) == []
    names = {track.name for track in tracks.values()}
    assert {f"stage {i}" for i in range(answer["layout"]["pp"])} <= names
    assert {"kernels", "tensor", "memory"} <= names
    # A kind of collective has a track if and only if it takes time.
    for kind in ("tensor parallel", "expert parallel", "fsdp", "data parallel"):
        assert (kind in names) == (answer["seconds"][kind] > 1e-9), kind


def test_the_trace_of_a_whole_step_is_as_long_as_the_step(trainyard, tmp_path):
    words = [*WORDS["fsdp"], "--global-batch", "512", "--micro-batch", "2"]
    answer, tracks = traced(trainyard, words, tmp_path)
    stage = next(track for track in tracks.values() if track.name == "stage 0")
    end = max(piece.end for piece in stage.slices) / 1e9
    # The schedule has no embedding; everything else is there.
    assert end == pytest.approx(answer["step_time_s"], rel=0.02)


def test_a_pipeline_in_the_trace_takes_the_time_of_the_closed_form(trainyard, tmp_path):
    answer, tracks = traced(trainyard, WORDS["pipeline"], tmp_path)
    assert answer["micro_batches"] <= 64
    stages = [track for track in tracks.values() if track.name.startswith("stage ")]
    end = max(piece.end for track in stages for piece in track.slices) / 1e9
    assert end == pytest.approx(answer["step_time_s"], rel=0.05)
