#include "isa/binary/reader.h"

#include <bit>

namespace trainyard::isa::binary {
namespace {

constexpr std::string_view kRemedy = "Write the file again, or get another copy of it.";

}  // namespace

void Reader::fail_with(std::string_view code, const std::string& what) {
  if (!ok()) return;
  status_ = error(code, "at byte {}: {}. {}", offset_ + at_, what, kRemedy);
  at_ = bytes_.size();  // nothing more is read
}

void Reader::ends_early() { fail_with("TY-EXE-003", "a part ends early"); }

void Reader::bits(uint64_t& value) {
  value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (at_ == bytes_.size()) {
      value = 0;
      return ends_early();
    }
    const uint64_t byte = bytes_[at_++];
    if (shift == 63 && byte > 1) break;
    value |= (byte & 0x7F) << shift;
    if (byte < 0x80) return;
  }
  value = 0;
  fail("a number does not fit 64 bits");
}

void Reader::number(float& value) {
  const std::span<const uint8_t> word = raw(4);
  if (!ok()) return;
  uint32_t joined = 0;
  for (size_t i = 0; i < 4; ++i) joined |= uint32_t{word[i]} << (8 * i);
  value = std::bit_cast<float>(joined);
}

void Reader::flag(bool& value) {
  uint64_t word = 0;
  bits(word);
  if (word > 1) return fail("a truth value is {}", word);
  value = word == 1;
}

void Reader::text(std::string& text) {
  uint64_t number = 0;
  bits(number);
  if (!ok()) return;
  if (number >= context_->strings.size()) {
    return fail("string number {} is named, there are {}", number, context_->strings.size());
  }
  const std::string& found = context_->strings[number];
  spend(static_cast<int64_t>(found.size()));
  if (ok()) text = found;
}

std::span<const uint8_t> Reader::raw(uint64_t count) {
  if (count > left()) {
    ends_early();
    return {};
  }
  const std::span<const uint8_t> taken = bytes_.subspan(at_, count);
  at_ += count;
  return taken;
}

void Reader::spend(int64_t bytes) {
  context_->memory_left -= bytes;
  if (context_->memory_left < 0) {
    fail_with("TY-EXE-007", "the file needs more memory than one of its size may take");
  }
}

}  // namespace trainyard::isa::binary
