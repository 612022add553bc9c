#pragma once
// Writes the numbers and strings of the binary form. Its methods mirror those of Reader, so that a
// description of a part (isa/binary/parts.h) serves both directions.
#include <bit>
#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/binary/codes.h"

namespace trainyard::isa::binary {

// Each string is stored once, in the order of first use, and named by its number.
class StringTable {
 public:
  uint64_t number(std::string_view text);
  const std::vector<std::string>& strings() const { return strings_; }

 private:
  std::map<std::string, uint64_t, std::less<>> numbers_;
  std::vector<std::string> strings_;
};

class Writer {
 public:
  static constexpr bool kReads = false;

  explicit Writer(StringTable& strings) : strings_(&strings) {}
  const std::vector<uint8_t>& bytes() const { return bytes_; }
  StringTable& strings() { return *strings_; }
  bool ok() const { return true; }

  void bits(uint64_t value);  // seven bits a byte, the lowest first
  // Small numbers of either sign are short: 0, -1, 1, -2, ... become 0, 1, 2, 3, ...
  template <std::signed_integral T>
  void number(T value) {
    const auto wide = static_cast<int64_t>(value);
    bits(static_cast<uint64_t>(wide) << 1 ^ static_cast<uint64_t>(wide >> 63));
  }
  void number(float value);  // its four bytes, the lowest first
  void flag(bool value) { bits(value ? 1 : 0); }
  void text(const std::string& text) { bits(strings_->number(text)); }
  template <class E>
  void code(E value) {
    bits(to_code(value));
  }
  template <class T, class F>
  void list(const std::vector<T>& items, F&& each) {
    bits(items.size());
    for (const T& item : items) each(item);
  }
  template <class T, class F>
  void optional(const std::optional<T>& value, F&& each) {
    flag(value.has_value());
    if (value) each(*value);
  }
  void raw(const std::vector<uint8_t>& bytes);

 private:
  StringTable* strings_;
  std::vector<uint8_t> bytes_;
};

}  // namespace trainyard::isa::binary
