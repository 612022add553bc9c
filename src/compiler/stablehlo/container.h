#pragma once
// The outer layer of an MLIR bytecode file: tables of strings, dialects, operation names, and
// where each attribute, type and property list lies. Nothing is decoded here; entries are opened
// when they are needed.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/stablehlo/byte_cursor.h"

namespace trainyard::compiler {

// Versions of the container at which its layout changed.
inline constexpr uint64_t kDialectVersions = 1;
inline constexpr uint64_t kLazyRegions = 2;
inline constexpr uint64_t kUseListOrders = 3;
inline constexpr uint64_t kOptionalArgumentLocations = 4;
inline constexpr uint64_t kNativeProperties = 5;
inline constexpr uint64_t kNewestVersion = 6;

inline constexpr uint8_t kIrSection = 4;

// The bytes of one attribute or type.
struct Entry {
  size_t dialect = 0;
  ByteCursor bytes;
  bool custom = false;  // false: assembly text ending in NUL
};

struct OpName {
  std::string_view dialect;
  std::string_view name;
};

// Views into the file: valid while the file's bytes are.
struct Container {
  uint64_t version = 0;
  std::string_view producer;
  std::vector<std::string_view> strings;
  std::vector<std::string_view> dialects;
  std::vector<OpName> op_names;
  std::vector<Entry> attributes;
  std::vector<Entry> types;
  std::vector<ByteCursor> properties;
  ByteCursor ir;
};

// One section: its number and its bytes.
struct Section {
  uint8_t id = 0;
  ByteCursor bytes;
};
Section read_section(ByteCursor& cursor);

Container read_container(std::span<const uint8_t> file);

}  // namespace trainyard::compiler
