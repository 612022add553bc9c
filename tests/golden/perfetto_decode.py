"""Reads Perfetto traces with a protobuf wire reader of its own, so that the writer in src/base/perfetto.cc is
checked by something that shares no code with it. Knows the few fields that a trace of tracks, slices and
counters has; an unknown field is an error."""

import dataclasses

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5

# Message: {field number: (name, wire type, message or None)}, after the public .proto files of Perfetto.
ENTRY = {1: ("iid", VARINT, None), 2: ("name", BYTES, None)}
MESSAGES = {
    "Trace": {1: ("packet", BYTES, "Packet")},
    "Packet": {8: ("timestamp", VARINT, None), 10: ("sequence", VARINT, None),
               11: ("event", BYTES, "Event"), 12: ("interned", BYTES, "Interned"),
               13: ("flags", VARINT, None), 60: ("track", BYTES, "Track")},
    "Track": {1: ("uuid", VARINT, None), 2: ("name", BYTES, None), 5: ("parent", VARINT, None),
              8: ("counter", BYTES, "Counter"), 11: ("order", VARINT, None), 12: ("rank", VARINT, None)},
    "Counter": {6: ("unit", BYTES, None)},
    "Event": {3: ("category", VARINT, None), 4: ("note", BYTES, "Note"), 9: ("type", VARINT, None),
              10: ("name", VARINT, None), 11: ("track", VARINT, None), 30: ("value", VARINT, None)},
    "Note": {1: ("key", VARINT, None), 6: ("text", BYTES, None)},
    "Interned": {1: ("categories", BYTES, "Entry"), 2: ("names", BYTES, "Entry"), 3: ("keys", BYTES, "Entry")},
    "Entry": ENTRY,
}
BEGIN, END, COUNT = 1, 2, 4
CLEARED = 1


def varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
        if shift > 63:
            raise ValueError(f"a varint of more than ten bytes at {at}")


def parse(data: bytes, message: str) -> dict[str, list]:
    """Every field of one message, in order of appearance per field."""
    found: dict[str, list] = {}
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        number, wire = key >> 3, key & 7
        if number not in MESSAGES[message]:
            raise ValueError(f"{message} has field {number}, which we do not know")
        name, expected, inner = MESSAGES[message][number]
        if wire != expected:
            raise ValueError(f"{message}.{name} has wire type {wire}, not {expected}")
        if wire == VARINT:
            value, at = varint(data, at)
        else:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            if len(value) != size:
                raise ValueError(f"{message}.{name} is cut off")
            value = parse(value, inner) if inner else value.decode()
        found.setdefault(name, []).append(value)
    return found


@dataclasses.dataclass
class Slice:
    begin: int
    end: int
    name: str
    category: str
    notes: dict[str, str]
    depth: int


@dataclasses.dataclass
class Track:
    name: str
    parent: int
    rank: int
    unit: str | None  # of a counter
    slices: list[Slice] = dataclasses.field(default_factory=list)
    counts: list[tuple[int, int]] = dataclasses.field(default_factory=list)


def signed(value: int) -> int:
    return value - (1 << 64) if value >= 1 << 63 else value


def one(message: dict[str, list], name: str, default=None):
    values = message.get(name, [default])
    if len(values) != 1:
        raise ValueError(f"{name} stands {len(values)} times")
    return values[0]


class Sequence:
    """The state that packets of a sequence build up: interned names and open slices."""

    def __init__(self):
        self.names = {"categories": {}, "names": {}, "keys": {}}
        self.tracks: dict[int, Track] = {}
        self.events: list[tuple[int, int, dict]] = []
        self.cleared = False

    def packet(self, packet: dict) -> None:
        self.cleared |= bool(one(packet, "flags", 0) & CLEARED)
        if not self.cleared:
            raise ValueError("a packet stands before the one that clears the state")
        for interned in packet.get("interned", []):
            for table, entries in interned.items():
                for entry in entries:
                    if one(entry, "iid") in self.names[table]:
                        raise ValueError(f"{table} {one(entry, 'iid')} is interned twice")
                    self.names[table][one(entry, "iid")] = one(entry, "name")
        for track in packet.get("track", []):
            counter = one(track, "counter")
            self.tracks[one(track, "uuid")] = Track(
                one(track, "name", ""), one(track, "parent", 0), one(track, "rank", 0),
                one(counter, "unit") if counter else None)
        for event in packet.get("event", []):
            self.events.append((one(packet, "timestamp"), len(self.events), self.resolve(event)))

    def resolve(self, event: dict) -> dict:
        """An event with its names in words; they must have been interned by now."""
        out = {"type": one(event, "type"), "track": one(event, "track")}
        if out["type"] == BEGIN:
            out["name"] = self.names["names"][one(event, "name")]
            out["category"] = self.names["categories"][one(event, "category")]
            out["notes"] = {self.names["keys"][one(n, "key")]: one(n, "text") for n in event.get("note", [])}
        if out["type"] == COUNT:
            out["value"] = signed(one(event, "value"))
        return out

    def finish(self) -> dict[int, Track]:
        """Pairs begins with ends, as the viewer does: in order of time, then of the file."""
        open_slices: dict[int, list[Slice]] = {}
        for time, _, event in sorted(self.events, key=lambda e: e[:2]):
            track = self.tracks[event["track"]]
            stack = open_slices.setdefault(event["track"], [])
            if event["type"] == COUNT:
                track.counts.append((time, event["value"]))
            elif event["type"] == BEGIN:
                piece = Slice(time, -1, event["name"], event["category"], event["notes"], len(stack))
                track.slices.append(piece)
                stack.append(piece)
            elif not stack:
                raise ValueError(f"an end without a begin on {track.name} at {time}")
            else:
                stack.pop().end = time
        for uuid, stack in open_slices.items():
            if stack:
                raise ValueError(f"{stack[-1].name} on {self.tracks[uuid].name} has no end")
        return self.tracks


def decode(data: bytes) -> dict[int, Track]:
    sequence = Sequence()
    for packet in parse(data, "Trace")["packet"]:
        sequence.packet(packet)
    return sequence.finish()


def problems(tracks: dict[int, Track]) -> list[str]:
    """What is wrong with a trace, beyond what decode refuses."""
    found = []
    for uuid, track in tracks.items():
        if not track.name:
            found.append(f"track {uuid} has no name")
        if track.parent and track.parent not in tracks:
            found.append(f"{track.name} has an unknown parent")
        for piece in track.slices:
            if not 0 <= piece.begin <= piece.end:
                found.append(f"{track.name}: {piece.name} runs from {piece.begin} to {piece.end}")
            if piece.depth:
                found.append(f"{track.name}: {piece.name} at {piece.begin} overlaps another slice")
        for time, value in track.counts:
            if value < 0:
                found.append(f"{track.name} is {value} at {time}")
        if track.counts != sorted(track.counts, key=lambda c: c[0]):
            found.append(f"{track.name} goes back in time")
    return found


def listing(tracks: dict[int, Track]) -> str:
    """The trace as text: tracks in the order of the viewer, times in nanoseconds."""
    lines = []

    def show(parent: int, indent: str) -> None:
        children = [(t.rank, u, t) for u, t in tracks.items() if t.parent == parent]
        for _, uuid, track in sorted(children, key=lambda c: c[:2]):
            lines.append(f"{indent}{track.name}" + (f" ({track.unit})" if track.unit else ""))
            for s in track.slices:
                notes = "".join(f" {k}={v}" for k, v in s.notes.items())
                lines.append(f"{indent}  {s.begin:>8} {s.end:>8}  {'  ' * s.depth}{s.name} [{s.category}]{notes}")
            for time, value in track.counts:
                lines.append(f"{indent}  {time:>8} {value:>8}")
            show(uuid, indent + "  ")

    show(0, "")
    return "\n".join(lines) + "\n"
