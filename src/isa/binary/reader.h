#pragma once
// Reads the numbers and strings of the binary form from bytes that nobody vouches for.
//
// The first error stays, with the offset of its byte in the file; from then on every number is 0
// and every list empty, so callers come to their end by themselves. A list has no more items than
// bytes are left, and what is made of the file is counted against a budget that grows with its
// size: nobody can ask for much memory with few bytes.
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "isa/binary/codes.h"

namespace trainyard::isa::binary {

// Bytes of memory that a file may take when it is read: this many for each of its own, and some for
// the first. An instruction takes the most, about 100 for each byte of the shortest one.
inline constexpr int64_t kMemoryPerByte = 256;
inline constexpr int64_t kMemoryAtLeast = 1 << 20;

// What all readers of one file share.
struct ReadContext {
  std::vector<std::string> strings;
  int64_t memory_left = 0;
  explicit ReadContext(size_t file_bytes)
      : memory_left(kMemoryAtLeast + kMemoryPerByte * static_cast<int64_t>(file_bytes)) {}
};

class Reader {
 public:
  static constexpr bool kReads = true;

  // `offset` is where `bytes` begin in the file.
  Reader(std::span<const uint8_t> bytes, size_t offset, ReadContext& context)
      : bytes_(bytes), offset_(offset), context_(&context) {}

  bool ok() const { return status_.ok(); }
  const Status& status() const { return status_; }
  bool at_end() const { return at_ == bytes_.size(); }
  size_t left() const { return bytes_.size() - at_; }

  void bits(uint64_t& value);
  template <std::signed_integral T>
  void number(T& value) {
    uint64_t word = 0;
    bits(word);
    const auto wide = static_cast<int64_t>(word >> 1 ^ (0 - (word & 1)));
    if (wide < std::numeric_limits<T>::min() || wide > std::numeric_limits<T>::max()) {
      return fail("the number {} does not fit {} bits", wide, 8 * sizeof(T));
    }
    value = static_cast<T>(wide);
  }
  void number(float& value);
  void flag(bool& value);
  void text(std::string& text);
  template <class E>
  void code(E& value) {
    uint64_t code = 0;
    bits(code);
    if (const std::optional<E> known = from_code<E>(code)) {
      value = *known;
    } else {
      fail("there is no {} with code {}", kWhat<E>, code);
    }
  }
  template <class T, class F>
  void list(std::vector<T>& items, F&& each) {
    uint64_t count = 0;
    bits(count);
    if (count > left()) return fail("a list has {} items, but {} bytes are left", count, left());
    spend(static_cast<int64_t>(count * sizeof(T)));
    for (uint64_t i = 0; i < count && ok(); ++i) each(items.emplace_back());
  }
  template <class T, class F>
  void optional(std::optional<T>& value, F&& each) {
    bool present = false;
    flag(present);
    if (present && ok()) each(value.emplace(T{}));
  }
  // The next `count` bytes.
  std::span<const uint8_t> raw(uint64_t count);

  // Counts memory that is about to be used. TY-EXE-007 once it is too much.
  void spend(int64_t bytes);

  // TY-EXE-006 at the last byte that was read.
  template <class... Args>
  void fail(fmt::format_string<Args...> text, Args&&... args) {
    fail_with("TY-EXE-006", fmt::format(text, std::forward<Args>(args)...));
  }

 private:
  void fail_with(std::string_view code, const std::string& what);
  void ends_early();

  std::span<const uint8_t> bytes_;
  size_t at_ = 0;
  size_t offset_ = 0;
  ReadContext* context_;
  Status status_;
};

}  // namespace trainyard::isa::binary
