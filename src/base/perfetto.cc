#include "base/perfetto.h"

namespace trainyard {
namespace {

// Field numbers of perfetto/trace/trace_packet.proto and its neighbours.
enum Packet {
  kTimestamp = 8,
  kSequence = 10,
  kTrackEvent = 11,
  kInterned = 12,
  kFlags = 13,
  kDescriptor = 60
};
enum Descriptor {
  kUuid = 1,
  kName = 2,
  kParent = 5,
  kCounter = 8,
  kChildOrder = 11,
  kSiblingRank = 12
};
enum Event {
  kCategoryIid = 3,
  kAnnotation = 4,
  kType = 9,
  kNameIid = 10,
  kTrackUuid = 11,
  kCounterValue = 30
};
enum Annotation { kKeyIid = 1, kText = 6 };
enum Interned { kInternedCategory = 1, kInternedName = 2, kInternedKey = 3 };
enum EventType { kSliceBegin = 1, kSliceEnd = 2, kCount = 4 };
constexpr int kUnitName = 6;
constexpr int kExplicitOrder = 3;
constexpr uint64_t kSequenceId = 1;
constexpr uint64_t kStateCleared = 1, kNeedsState = 2;

void varint(std::string& out, uint64_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

void number(std::string& out, int field, uint64_t value) {
  varint(out, static_cast<uint64_t>(field) << 3);
  varint(out, value);
}

void field_bytes(std::string& out, int field, std::string_view value) {
  varint(out, static_cast<uint64_t>(field) << 3 | 2);
  varint(out, value.size());
  out.append(value);
}

}  // namespace

PerfettoWriter::PerfettoWriter() {
  std::string first;
  number(first, kSequence, kSequenceId);
  number(first, kFlags, kStateCleared | kNeedsState);
  field_bytes(out_, 1, first);
}

void PerfettoWriter::packet(std::string_view body, int64_t ns) {
  std::string p;
  number(p, kTimestamp, static_cast<uint64_t>(ns));
  number(p, kSequence, kSequenceId);
  number(p, kFlags, kNeedsState);
  if (!interned_.empty()) field_bytes(p, kInterned, interned_);
  interned_.clear();
  p.append(body);
  field_bytes(out_, 1, p);
}

uint64_t PerfettoWriter::intern(std::string_view name,
                                std::map<std::string, uint64_t, std::less<>>& table, int field) {
  const auto it = table.find(name);
  if (it != table.end()) return it->second;
  const uint64_t iid = table.size() + 1;
  table.emplace(name, iid);
  std::string entry;
  number(entry, 1, iid);
  field_bytes(entry, 2, name);
  field_bytes(interned_, field, entry);
  return iid;
}

PerfettoWriter::Track PerfettoWriter::add(std::string_view name, Track parent,
                                          std::string_view extra) {
  const Track track = next_track_++;
  std::string d;
  number(d, kUuid, track);
  field_bytes(d, kName, name);
  if (parent != 0) number(d, kParent, parent);
  number(d, kChildOrder, kExplicitOrder);
  number(d, kSiblingRank, track);
  d.append(extra);
  std::string body;
  field_bytes(body, kDescriptor, d);
  packet(body, 0);
  return track;
}

PerfettoWriter::Track PerfettoWriter::add_track(std::string_view name, Track parent) {
  return add(name, parent, "");
}

PerfettoWriter::Track PerfettoWriter::add_counter(std::string_view name, std::string_view unit,
                                                  Track parent) {
  std::string counter, extra;
  field_bytes(counter, kUnitName, unit);
  field_bytes(extra, kCounter, counter);
  return add(name, parent, extra);
}

void PerfettoWriter::slice(Track track, std::string_view name, std::string_view category,
                           int64_t begin_ns, int64_t end_ns, const std::vector<Note>& notes) {
  std::string event;
  number(event, kType, kSliceBegin);
  number(event, kTrackUuid, track);
  number(event, kCategoryIid, intern(category, categories_, kInternedCategory));
  number(event, kNameIid, intern(name, names_, kInternedName));
  for (const Note& note : notes) {
    std::string a;
    number(a, kKeyIid, intern(note.key, keys_, kInternedKey));
    field_bytes(a, kText, note.text);
    field_bytes(event, kAnnotation, a);
  }
  std::string body;
  field_bytes(body, kTrackEvent, event);
  packet(body, begin_ns);
  event.clear();
  number(event, kType, kSliceEnd);
  number(event, kTrackUuid, track);
  body.clear();
  field_bytes(body, kTrackEvent, event);
  packet(body, end_ns);
}

void PerfettoWriter::count(Track counter, int64_t ns, int64_t value) {
  std::string event;
  number(event, kType, kCount);
  number(event, kTrackUuid, counter);
  number(event, kCounterValue, static_cast<uint64_t>(value));
  std::string body;
  field_bytes(body, kTrackEvent, event);
  packet(body, ns);
}

}  // namespace trainyard
