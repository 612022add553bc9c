#include "compiler/stablehlo/container.h"

#include <algorithm>
#include <array>
#include <optional>

namespace trainyard::compiler {
namespace {

constexpr std::array<uint8_t, 4> kMagic{0x4D, 0x4C, 0xEF, 0x52};

enum SectionId : uint8_t {
  kStrings = 0,
  kDialects = 1,
  kEntries = 2,
  kOffsets = 3,
  kIr = kIrSection,
  kResources = 5,
  kResourceOffsets = 6,
  kDialectVersion = 7,
  kProperties = 8,
  kSectionCount = 9,
};

using Sections = std::array<std::optional<ByteCursor>, kSectionCount>;

void read_magic(ByteCursor& cursor, std::span<const uint8_t> file) {
  if (file.size() >= kMagic.size() && std::equal(kMagic.begin(), kMagic.end(), file.begin())) {
    cursor.take(kMagic.size(), "the file's first bytes");
    return;
  }
  const std::string_view head(reinterpret_cast<const char*>(file.data()),
                              std::min<size_t>(file.size(), 64));
  if (head.find("module") != std::string_view::npos || head.starts_with("#loc")) {
    fail_at("TY-SHLO-001", 0,
            "this is MLIR text, not bytecode; convert it with python -m trainyard.mlir_text");
  }
  fail_at("TY-SHLO-001", 0,
          "the file does not start like MLIR bytecode; give a StableHLO portable artifact");
}

ByteCursor& need(Sections& sections, SectionId id, std::string_view name, size_t offset) {
  if (!sections[id]) fail_at("TY-SHLO-004", offset, "the section with the {} is missing", name);
  return *sections[id];
}

void read_strings(Container& out, ByteCursor cursor) {
  const size_t count = cursor.count("strings");
  std::vector<uint64_t> sizes(count);
  for (size_t i = 0; i < count; ++i) sizes[count - 1 - i] = cursor.varint();  // last one first
  out.strings.reserve(count);
  for (const uint64_t size : sizes) {
    const size_t start = cursor.offset();
    const auto bytes = cursor.take(size, "a string");
    if (bytes.empty() || bytes.back() != 0) {
      fail_at("TY-SHLO-004", start, "a string does not end in NUL");
    }
    out.strings.emplace_back(reinterpret_cast<const char*>(bytes.data()), size - 1);
  }
  cursor.finish("the strings");
}

void read_op_names(Container& out, ByteCursor& cursor) {
  if (out.version >= kOptionalArgumentLocations) cursor.varint();  // the total, a hint
  while (!cursor.empty()) {
    const size_t dialect = cursor.index("dialect", out.dialects.size());
    const size_t count = cursor.count("operation names");
    for (size_t i = 0; i < count; ++i) {
      const size_t start = cursor.offset();
      const uint64_t raw = cursor.varint();
      const uint64_t name = out.version >= kNativeProperties ? raw >> 1 : raw;
      if (name >= out.strings.size()) {
        fail_at("TY-SHLO-005", start, "string {} is named, the file has {}", name,
                out.strings.size());
      }
      out.op_names.push_back({out.dialects[dialect], out.strings[name]});
    }
  }
}

void read_dialects(Container& out, ByteCursor cursor) {
  const size_t count = cursor.count("dialects");
  out.dialects.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    const size_t start = cursor.offset();
    const uint64_t raw = cursor.varint();
    const bool flags = out.version >= kDialectVersions;
    const uint64_t name = flags ? raw >> 1 : raw;
    if (name >= out.strings.size()) {
      fail_at("TY-SHLO-005", start, "string {} is named, the file has {}", name,
              out.strings.size());
    }
    if (flags && (raw & 1) && read_section(cursor).id != kDialectVersion) {
      fail_at("TY-SHLO-004", start, "a dialect's version is not in a version section");
    }
    out.dialects.push_back(out.strings[name]);
  }
  read_op_names(out, cursor);
}

// Groups of (dialect, count, sizes) until `count` entries are placed in `data`, back to back.
void read_entries(std::vector<Entry>& out, size_t count, const Container& container,
                  ByteCursor& offsets, ByteCursor& data) {
  out.reserve(count);
  while (out.size() < count) {
    const size_t start = offsets.offset();
    const size_t dialect = offsets.index("dialect", container.dialects.size());
    const size_t group = offsets.count("entries");
    if (group == 0 || group > count - out.size()) {
      fail_at("TY-SHLO-004", start, "a group of {} entries, {} are due", group, count - out.size());
    }
    for (size_t i = 0; i < group; ++i) {
      const FlaggedInteger size = offsets.flagged();
      out.push_back({dialect, data.sub(size.value, "an attribute or type"), size.flag});
    }
  }
}

void read_offsets(Container& out, ByteCursor offsets, ByteCursor data) {
  const size_t attributes = offsets.count("attributes");
  const size_t types = offsets.count("types");
  read_entries(out.attributes, attributes, out, offsets, data);
  read_entries(out.types, types, out, offsets, data);
  offsets.finish("the table of attributes and types");
}

void read_properties(Container& out, ByteCursor cursor) {
  const size_t count = cursor.count("property lists");
  out.properties.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    out.properties.push_back(cursor.sub(cursor.varint(), "a property list"));
  }
  cursor.finish("the property lists");
}

}  // namespace

Section read_section(ByteCursor& cursor) {
  constexpr uint8_t kAligned = 0x80;
  const uint8_t head = cursor.byte();
  const uint64_t size = cursor.varint();
  if (head & kAligned) cursor.align(cursor.varint());
  const uint8_t id = head & static_cast<uint8_t>(~kAligned);
  return {id, cursor.sub(size, "a section")};
}

Container read_container(std::span<const uint8_t> file) {
  ByteCursor cursor(file, 0);
  read_magic(cursor, file);
  Container out;
  const size_t version_at = cursor.offset();
  out.version = cursor.varint();
  if (out.version > kNewestVersion) {
    fail_at("TY-SHLO-002", version_at,
            "bytecode version {} is newer than {}; export the program for StableHLO 1.13.0",
            out.version, kNewestVersion);
  }
  out.producer = cursor.c_string();
  Sections sections;
  while (!cursor.empty()) {
    const size_t start = cursor.offset();
    const Section section = read_section(cursor);
    if (section.id >= kSectionCount || sections[section.id]) {
      fail_at("TY-SHLO-004", start, "section {} is unknown or comes twice", section.id);
    }
    sections[section.id] = section.bytes;
  }
  const size_t end = cursor.offset();
  read_strings(out, need(sections, kStrings, "strings", end));
  read_dialects(out, need(sections, kDialects, "dialects", end));
  read_offsets(out, need(sections, kOffsets, "offsets", end),
               need(sections, kEntries, "attributes and types", end));
  if (sections[kProperties]) read_properties(out, *sections[kProperties]);
  out.ir = need(sections, kIr, "operations", end);
  return out;
}

}  // namespace trainyard::compiler
