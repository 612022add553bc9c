#pragma once
// Reads the primitives of MLIR bytecode from untrusted bytes. Inside this folder a failed read
// throws ReadFailure; read_stablehlo (stablehlo/reader.h) turns it into a Status, so that nothing
// leaves the folder by exception.
#include <fmt/format.h>

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "base/status.h"

namespace trainyard::compiler {

struct ReadFailure {
  Status status;
};

// Throws the error `code`; `offset` counts from the start of the file.
[[noreturn]] void fail_read(std::string_view code, size_t offset, const std::string& message);

template <class... Args>
[[noreturn]] void fail_at(std::string_view code, size_t offset, fmt::format_string<Args...> text,
                          Args&&... args) {
  fail_read(code, offset, fmt::format(text, std::forward<Args>(args)...));
}

// What reading one file may cost, in bytes made or looked at. A file of a few bytes can name a
// tree of any size by sharing parts of it; the budget bounds both memory and time by the size of
// the file.
class Budget {
 public:
  explicit Budget(size_t file_size) : left_(kFloor + kPerByte * file_size) {}
  void spend(size_t bytes, size_t offset);

 private:
  static constexpr size_t kFloor = size_t{1} << 20;
  static constexpr size_t kPerByte = 512;  // JAX's own files need at most 14
  size_t left_;
};

struct FlaggedInteger {
  uint64_t value;
  bool flag;
};

// A window on the file. Offsets in errors are those of the whole file.
class ByteCursor {
 public:
  ByteCursor() = default;
  ByteCursor(std::span<const uint8_t> bytes, size_t base) : bytes_(bytes), base_(base) {}

  bool empty() const { return at_ == bytes_.size(); }
  size_t left() const { return bytes_.size() - at_; }
  size_t offset() const { return base_ + at_; }

  uint8_t byte();
  // A varint: the trailing zero bits of the first byte count the bytes that follow.
  uint64_t varint();
  int64_t svarint();         // zigzag
  FlaggedInteger flagged();  // value << 1 | flag
  // A varint that counts things of at least `min_bytes` bytes each, all still to come.
  size_t count(std::string_view what, size_t min_bytes = 1);
  // A varint below `end`: an index into a table that was read before.
  size_t index(std::string_view what, size_t end);
  std::span<const uint8_t> take(size_t size, std::string_view what);
  ByteCursor sub(size_t size, std::string_view what);
  std::string_view c_string();
  // Skips padding until the offset in the file is a multiple of `alignment`.
  void align(uint64_t alignment);
  // Fails unless all bytes were used.
  void finish(std::string_view what) const;

 private:
  std::span<const uint8_t> bytes_;
  size_t base_ = 0;
  size_t at_ = 0;
};

}  // namespace trainyard::compiler
