"""Traces of small programs, as listings, and rules that every trace keeps."""

import json
import pathlib
import subprocess

import pytest

import perfetto_decode

ROOT = pathlib.Path(__file__).resolve().parents[2]
GOLDEN = pathlib.Path(__file__).parent / "trace"
NEWTON = ROOT / "examples/newton.tya"
EXAMPLES = sorted((ROOT / "examples").glob("*.tya"))


def run(trainyard, program, trace, *words):
    trips = ["--trips", "newton=3"] if program == NEWTON else []
    name = program.relative_to(ROOT).as_posix()
    done = subprocess.run([trainyard, "run", name, "--mode", "time", "--trace", str(trace), *trips, *words],
                          cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def traced(trainyard, program, tmp_path):
    trace = tmp_path / "run.pftrace"
    run(trainyard, program, trace)
    return perfetto_decode.decode(trace.read_bytes())


@pytest.mark.parametrize("program", [NEWTON, GOLDEN / "softmax.tya", GOLDEN / "matmul.tya"],
                         ids=lambda p: p.stem)
def test_the_trace_lists_as_before(program, trainyard, golden, tmp_path):
    tracks = traced(trainyard, program, tmp_path)
    assert perfetto_decode.problems(tracks) == []
    golden(GOLDEN / f"{program.stem}.txt", perfetto_decode.listing(tracks))


@pytest.mark.parametrize("program", EXAMPLES, ids=lambda p: p.stem)
def test_slices_never_overlap_and_counters_never_fall_below_zero(program, trainyard, tmp_path):
    tracks = traced(trainyard, program, tmp_path)
    assert perfetto_decode.problems(tracks) == []
    for track in tracks.values():
        if track.counts:
            assert track.counts[-1][1] == 0, f"{track.name} does not end empty"


@pytest.mark.parametrize("program", EXAMPLES, ids=lambda p: p.stem)
def test_the_trace_adds_up_to_the_summary(program, trainyard, tmp_path):
    trace = tmp_path / "run.pftrace"
    time = json.loads(run(trainyard, program, trace, "--json"))["time"]
    tracks = perfetto_decode.decode(trace.read_bytes())
    by_name = {t.name: t for t in tracks.values()}
    counts = {}
    for track in tracks.values():
        for piece in track.slices:
            if piece.category in ("compute", "trigger"):
                label = piece.name.split()[1]
                counts[label] = counts.get(label, 0) + 1
    assert counts == {i["label"]: i["count"] for i in time["instructions"] if i["count"]}
    for name, engine in time["engines"].items():
        work = [s for s in by_name[name].slices if s.category in ("compute", "trigger")]
        busy = sum(s.end - s.begin for s in work)
        # Rounded to nanoseconds at both ends. A run-time loop also branches, which has no slice.
        control = 1000 if program == NEWTON else 0
        assert abs(busy - engine["busy_seconds"] * 1e9) <= len(work) + 1 + control, name
    last = max(int(s.notes["complete_ns"]) for t in tracks.values() for s in t.slices if "complete_ns" in s.notes)
    assert last == pytest.approx(time["seconds"] * 1e9, abs=1)


@pytest.mark.parametrize("program", EXAMPLES, ids=lambda p: p.stem)
def test_live_memory_stays_within_what_the_placement_took(program, trainyard, tmp_path):
    trace = tmp_path / "run.pftrace"
    memory = json.loads(run(trainyard, program, trace, "--json"))["memory"]
    peak = {t.name: max(v for _, v in t.counts) for t in perfetto_decode.decode(trace.read_bytes()).values()
            if t.counts}
    assert 0 < peak["SBUF live"] <= memory["sbuf_bytes_per_partition"]
    assert peak.get("PSUM live", 0) <= memory["psum_banks"] * 2048


class TestDecoder:
    """The decoder refuses what the viewer would show wrongly."""

    def packet(self, body):
        return b"\x0a" + bytes([len(body)]) + body

    def event(self, time, kind, track=1, clear=False):
        body = bytes([0x48, kind, 0x58, track]) + (b"\x18\x01\x50\x01" if kind == 1 else b"")
        names = b"\x62\x0c\x0a\x04\x08\x01\x12\x00\x12\x04\x08\x01\x12\x00" if clear else b""
        return self.packet(bytes([0x40, time]) + (b"\x68\x01" if clear else b"") + names +
                           b"\x5a" + bytes([len(body)]) + body)

    def track(self):
        return self.packet(b"\x68\x01\xe2\x03\x05\x08\x01\x12\x01t")

    def test_a_begin_without_an_end(self):
        with pytest.raises(ValueError, match="has no end"):
            perfetto_decode.decode(self.track() + self.event(5, 1, clear=True))

    def test_an_end_without_a_begin(self):
        with pytest.raises(ValueError, match="end without a begin"):
            perfetto_decode.decode(self.track() + self.event(5, 2))

    def test_overlapping_slices(self):
        tracks = perfetto_decode.decode(self.track() + self.event(1, 1, clear=True) + self.event(3, 1) +
                                        self.event(5, 2) + self.event(7, 2))
        assert any("overlaps" in p for p in perfetto_decode.problems(tracks))

    def test_a_field_that_no_trace_of_ours_has(self):
        with pytest.raises(ValueError, match="field 99"):
            perfetto_decode.decode(self.packet(b"\x98\x06\x01"))
