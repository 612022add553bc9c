#include "compiler/stablehlo/byte_cursor.h"

#include <bit>
#include <cstring>

namespace trainyard::compiler {

void fail_read(std::string_view code, size_t offset, const std::string& message) {
  throw ReadFailure{Status(code, fmt::format("{} (at byte {})", message, offset))};
}

void Budget::spend(size_t bytes, size_t offset) {
  if (bytes > left_) {
    fail_at("TY-SHLO-012", offset,
            "the module expands far beyond the size of its file; it was not written by JAX or is "
            "damaged: export it again");
  }
  left_ -= bytes;
}

uint8_t ByteCursor::byte() {
  if (empty()) {
    fail_at("TY-SHLO-003", offset(), "the bytes end early; is the file complete?");
  }
  return bytes_[at_++];
}

uint64_t ByteCursor::varint() {
  const uint8_t first = byte();
  if (first & 1) return first >> 1;
  const int extra = first == 0 ? 8 : std::countr_zero(first);
  uint64_t value = first;
  if (extra == 8) value = 0;
  for (int i = 0; i < extra; ++i) {
    const int shift = extra == 8 ? 8 * i : 8 * (i + 1);
    value |= static_cast<uint64_t>(byte()) << shift;
  }
  return extra == 8 ? value : value >> (extra + 1);
}

int64_t ByteCursor::svarint() {
  const uint64_t value = varint();
  return static_cast<int64_t>((value >> 1) ^ (~(value & 1) + 1));
}

FlaggedInteger ByteCursor::flagged() {
  const uint64_t value = varint();
  return {value >> 1, (value & 1) != 0};
}

size_t ByteCursor::count(std::string_view what, size_t min_bytes) {
  const size_t start = offset();
  const uint64_t value = varint();
  if (value > left() / min_bytes) {
    fail_at("TY-SHLO-006", start, "{} {} are announced, {} bytes are left", value, what, left());
  }
  return value;
}

size_t ByteCursor::index(std::string_view what, size_t end) {
  const size_t start = offset();
  const uint64_t value = varint();
  if (value >= end) {
    fail_at("TY-SHLO-005", start, "{} {} is named, the file has {}", what, value, end);
  }
  return value;
}

std::span<const uint8_t> ByteCursor::take(size_t size, std::string_view what) {
  if (size > left()) {
    fail_at("TY-SHLO-003", offset(), "{} needs {} bytes, {} are left; is the file complete?", what,
            size, left());
  }
  const auto part = bytes_.subspan(at_, size);
  at_ += size;
  return part;
}

ByteCursor ByteCursor::sub(size_t size, std::string_view what) {
  const size_t start = offset();
  return ByteCursor(take(size, what), start);
}

std::string_view ByteCursor::c_string() {
  const auto rest = bytes_.subspan(at_);
  const void* end = rest.empty() ? nullptr : std::memchr(rest.data(), 0, rest.size());
  if (end == nullptr) fail_at("TY-SHLO-003", offset(), "a text has no end; is the file complete?");
  const auto* begin = reinterpret_cast<const char*>(rest.data());
  const size_t size = static_cast<size_t>(static_cast<const char*>(end) - begin);
  at_ += size + 1;
  return {begin, size};
}

void ByteCursor::align(uint64_t alignment) {
  if (!std::has_single_bit(alignment)) {
    fail_at("TY-SHLO-004", offset(), "alignment {} is not a power of two", alignment);
  }
  constexpr uint8_t kPadding = 0xCB;
  while ((offset() & (alignment - 1)) != 0) {
    if (byte() != kPadding) {
      fail_at("TY-SHLO-004", offset() - 1, "padding before a section is damaged");
    }
  }
}

void ByteCursor::finish(std::string_view what) const {
  if (!empty()) fail_at("TY-SHLO-004", offset(), "{} bytes are left over after {}", left(), what);
}

}  // namespace trainyard::compiler
