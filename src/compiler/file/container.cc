#include "compiler/file/container.h"

#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>

namespace trainyard::compiler::file {
namespace {

constexpr size_t kHeaderBytes = 24, kEntryBytes = 32, kChecksumBytes = 8;
constexpr size_t kMostSections = 64;
constexpr int kLevel = 3;
// Data that shrinks more than this is stored as it is: a reader then never makes much memory out of
// few bytes. The first of it is free, since constants are often zeros.
constexpr uint64_t kMostShrink = 1000;
constexpr uint64_t kFreeBytes = 16 << 20;

bool may_grow(uint64_t stored, uint64_t raw) {
  return raw <= kFreeBytes || (raw - kFreeBytes) / kMostShrink < stored;
}

constexpr std::string_view kCopy = "Write the file again, or get another copy of it.";

template <class T>
void append(std::string& out, T value) {
  for (size_t i = 0; i < sizeof(T); ++i) out.push_back(static_cast<char>(value >> (8 * i)));
}

template <class T>
T at(std::span<const uint8_t> bytes, size_t offset) {
  T value = 0;
  for (size_t i = 0; i < sizeof(T); ++i) {
    value |= static_cast<T>(static_cast<T>(bytes[offset + i]) << (8 * i));
  }
  return value;
}

// Empty if packing does not pay.
std::string packed(std::span<const uint8_t> bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  const size_t size = ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), kLevel);
  const bool pays = ZSTD_isError(size) == 0 && size < bytes.size() - bytes.size() / 8 &&
                    may_grow(size, bytes.size());
  out.resize(pays ? size : 0);
  return out;
}

Status check_header(std::span<const uint8_t> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (!text.starts_with(kMagic)) {
    return error("TY-EXE-001",
                 "at byte 0: this is no executable file of Trainyard. Give a file that `trainyard "
                 "compile -o FILE.tyx` wrote.");
  }
  if (bytes.size() < kHeaderBytes + kChecksumBytes) {
    return error("TY-EXE-003", "at byte {}: the file ends inside its header. {}", bytes.size(),
                 kCopy);
  }
  if (const auto version = at<uint32_t>(bytes, 8); version != kVersion) {
    return error("TY-EXE-002",
                 "at byte 8: the file has version {}, this Trainyard reads version {}. Compile the "
                 "program again.",
                 version, kVersion);
  }
  if (const auto size = at<uint64_t>(bytes, 16); size != bytes.size()) {
    return error("TY-EXE-003", "at byte 16: the file was written with {} bytes, it has {}. {}",
                 size, bytes.size(), kCopy);
  }
  const size_t end = bytes.size() - kChecksumBytes;
  const auto stored = at<uint64_t>(bytes, end), found = XXH64(bytes.data(), end, 0);
  if (stored == found) return {};
  return error("TY-EXE-004",
               "at byte {}: the checksum is {:016x}, that of the contents is {:016x}: they have "
               "changed since they were written. {}",
               end, stored, found, kCopy);
}

Status bad_table(size_t offset, const std::string& what) {
  return error("TY-EXE-005", "at byte {}: {}. {}", offset, what, kCopy);
}

// One entry of the table. `next` is where its bytes must begin, and then where they end.
Result<Section> read_entry(std::span<const uint8_t> bytes, size_t entry, uint64_t& next) {
  const auto encoding = at<uint32_t>(bytes, entry + 4);
  const auto offset = at<uint64_t>(bytes, entry + 8), stored = at<uint64_t>(bytes, entry + 16);
  Section s{.kind = at<uint32_t>(bytes, entry), .raw_bytes = at<uint64_t>(bytes, entry + 24)};
  const uint64_t end = bytes.size() - kChecksumBytes;
  if (offset != next || stored > end - next) {
    return bad_table(entry, fmt::format("section {} takes {} bytes from {} on, but {} to {} are "
                                        "free",
                                        s.kind, stored, offset, next, end));
  }
  if (encoding > 1) return bad_table(entry, fmt::format("there is no encoding {}", encoding));
  s.compressed = encoding == 1;
  if (s.compressed ? !may_grow(stored, s.raw_bytes) : s.raw_bytes != stored) {
    return bad_table(entry, fmt::format("section {} has {} bytes, {} when unpacked", s.kind, stored,
                                        s.raw_bytes));
  }
  s.offset = offset;
  s.bytes = bytes.subspan(offset, stored);
  next += stored;
  return s;
}

}  // namespace

std::string write_container(std::span<const NewSection> sections) {
  std::vector<std::string> packs;
  std::string table;
  uint64_t offset = kHeaderBytes + kEntryBytes * sections.size();
  for (const NewSection& s : sections) {
    const std::string& pack = packs.emplace_back(s.pack ? packed(s.bytes) : "");
    const uint64_t stored = pack.empty() ? s.bytes.size() : pack.size();
    append(table, static_cast<uint32_t>(s.kind));
    append(table, uint32_t{pack.empty() ? 0u : 1u});
    append(table, offset);
    append(table, stored);
    append(table, uint64_t{s.bytes.size()});
    offset += stored;
  }
  std::string out(kMagic);
  append(out, kVersion);
  append(out, static_cast<uint32_t>(sections.size()));
  append(out, offset + kChecksumBytes);
  out += table;
  for (size_t i = 0; i < sections.size(); ++i) {
    const std::span<const uint8_t> bytes = sections[i].bytes;
    out += packs[i].empty()
               ? std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size())
               : std::string_view(packs[i]);
  }
  append(out, static_cast<uint64_t>(XXH64(out.data(), out.size(), 0)));
  return out;
}

Result<std::vector<Section>> read_container(std::span<const uint8_t> bytes) {
  TY_TRY(check_header(bytes));
  const size_t count = at<uint32_t>(bytes, 12);
  const size_t room = (bytes.size() - kHeaderBytes - kChecksumBytes) / kEntryBytes;
  if (count > std::min(room, kMostSections)) {
    return bad_table(12, fmt::format("the file has {} sections, at most {} fit", count,
                                     std::min(room, kMostSections)));
  }
  std::vector<Section> sections;
  uint64_t next = kHeaderBytes + kEntryBytes * count;
  for (size_t i = 0; i < count; ++i) {
    const size_t entry = kHeaderBytes + kEntryBytes * i;
    Result<Section> section = read_entry(bytes, entry, next);
    if (!section.ok()) return section.status();
    if (!sections.empty() && section->kind <= sections.back().kind) {
      return bad_table(entry, fmt::format("section {} comes after section {}", section->kind,
                                          sections.back().kind));
    }
    if (section->kind > static_cast<uint32_t>(Kind::Constants) && section->kind < kOptional) {
      return bad_table(entry, fmt::format("section {} is needed and not known", section->kind));
    }
    sections.push_back(std::move(*section));
  }
  if (next != bytes.size() - kChecksumBytes) {
    return bad_table(next, "bytes follow that belong to no section");
  }
  return sections;
}

Result<std::vector<uint8_t>> unpack(const Section& section) {
  if (!section.compressed) {
    return std::vector<uint8_t>(section.bytes.begin(), section.bytes.end());
  }
  std::vector<uint8_t> out(section.raw_bytes);
  const size_t size =
      ZSTD_decompress(out.data(), out.size(), section.bytes.data(), section.bytes.size());
  if (ZSTD_isError(size) == 0 && size == out.size()) return out;
  return error("TY-EXE-010", "at byte {}: section {} cannot be unpacked: {}. {}", section.offset,
               section.kind,
               ZSTD_isError(size) != 0 ? ZSTD_getErrorName(size) : "it is shorter than it says",
               kCopy);
}

}  // namespace trainyard::compiler::file
