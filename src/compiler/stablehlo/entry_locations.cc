// Source locations. JAX writes: the name stack over a chain of call sites, innermost frame first,
// each frame a function name over a range of a file.
#include <algorithm>
#include <limits>

#include "compiler/stablehlo/codes.h"
#include "compiler/stablehlo/entries.h"

namespace trainyard::compiler {
namespace {

int to_line(uint64_t value) {
  constexpr uint64_t kMost = std::numeric_limits<int>::max();
  return static_cast<int>(std::min(value, kMost));
}

}  // namespace

Entries::Place Entries::place(AttrIndex index, int depth) {
  const size_t offset = container_.attributes[index].bytes.offset();
  if (depth > kMaxDepth || places_[index].state == Place::State::Reading) {
    // A traceback of any depth is legal; its innermost frame comes first, so stop here.
    return {.state = Place::State::Done};
  }
  if (places_[index].state == Place::State::Done) return places_[index];
  places_[index].state = Place::State::Reading;
  budget_.spend(sizeof(Place), offset);
  Place found{.state = Place::State::Done};
  if (container_.attributes[index].custom) {
    Opened entry = open_attribute(index);
    if (entry.dialect == Dialect::Builtin) found = decode_place(entry, depth);
  }
  found.state = Place::State::Done;
  places_[index] = found;
  return found;
}

Entries::Place Entries::decode_place(Opened& entry, int depth) {
  switch (entry.code) {
    case builtin::kFileLine:
    case builtin::kFileRange: {
      Opened file = open_attribute(attribute_index(entry.bytes));
      if (!file.is(Dialect::Builtin, builtin::kString)) return {};
      const size_t text = file.bytes.index("string", container_.strings.size());
      if (files_by_string_[text] < 0) {
        module_.files.emplace_back(container_.strings[text]);
        files_by_string_[text] = static_cast<int32_t>(module_.files.size()) - 1;
      }
      Place out{.file = files_by_string_[text]};
      if (entry.code == builtin::kFileRange) entry.bytes.count("numbers of a file range");
      if (!entry.bytes.empty()) out.line = to_line(entry.bytes.varint());
      if (!entry.bytes.empty()) out.column = to_line(entry.bytes.varint());
      return out;
    }
    case builtin::kName:
      attribute_index(entry.bytes);  // the name; only the outermost one is kept
      return place(attribute_index(entry.bytes), depth + 1);
    case builtin::kCallSite: {
      const Place callee = place(attribute_index(entry.bytes), depth + 1);
      if (callee.file >= 0) return callee;
      return place(attribute_index(entry.bytes), depth + 1);
    }
    case builtin::kFused:
    case builtin::kFusedMetadata:
      for (const AttrIndex part : attribute_list(entry.bytes)) {
        const Place found = place(part, depth + 1);
        if (found.file >= 0) return found;
      }
      return {};
    default:
      return {};
  }
}

LocationId Entries::location(AttrIndex index) {
  if (locations_[index] >= 0) return locations_[index];
  const Place where = place(index, 0);
  Location out{.file = where.file, .line = where.line, .column = where.column, .name = {}};
  if (container_.attributes[index].custom) {
    Opened entry = open_attribute(index);
    if (entry.is(Dialect::Builtin, builtin::kName)) out.name = string(attribute_index(entry.bytes));
  }
  LocationId id = 0;
  if (out.file >= 0 || !out.name.empty()) {
    module_.locations.push_back(std::move(out));
    id = static_cast<LocationId>(module_.locations.size()) - 1;
  }
  locations_[index] = id;
  return id;
}

}  // namespace trainyard::compiler
