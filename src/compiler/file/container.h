#pragma once
// The container of the executable file: magic, version, a table of sections, their bytes, and a
// checksum over everything before it. docs/executable.md has the layout.
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace trainyard::compiler::file {

// The first byte is no text, the line ends show a transfer that changed them.
inline constexpr std::string_view kMagic = "\x89TYX\r\n\x1a\n";
inline constexpr uint32_t kVersion = 1;

// Sections stand in this order. A reader skips those from kOptional on that it does not know.
enum class Kind : uint32_t {
  Strings = 1,
  Programs = 2,
  Interface = 3,
  Constants = 4,
  Caller = 0x80000000,  // what the caller keeps beside the program, in its own form
};
inline constexpr uint32_t kOptional = 0x80000000;

struct Section {
  uint32_t kind = 0;
  bool compressed = false;         // by zstd
  uint64_t raw_bytes = 0;          // once unpacked
  size_t offset = 0;               // in the file; when writing: not used
  std::span<const uint8_t> bytes;  // as stored
};

// Adds a section, packed if that pays.
struct NewSection {
  Kind kind;
  std::span<const uint8_t> bytes;
  bool pack = false;
};
std::string write_container(std::span<const NewSection> sections);

// The sections, which lie in `bytes`. TY-EXE-001 no such file, -002 another version, -003 too short
// or too long, -004 wrong checksum, -005 a table that makes no sense.
Result<std::vector<Section>> read_container(std::span<const uint8_t> bytes);

// The contents of a section. Its raw size must be what the caller expects. TY-EXE-010.
Result<std::vector<uint8_t>> unpack(const Section& section);

}  // namespace trainyard::compiler::file
