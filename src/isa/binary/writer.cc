#include "isa/binary/writer.h"

namespace trainyard::isa::binary {

uint64_t StringTable::number(std::string_view text) {
  if (const auto found = numbers_.find(text); found != numbers_.end()) return found->second;
  const uint64_t number = strings_.size();
  strings_.emplace_back(text);
  numbers_.emplace(text, number);
  return number;
}

void Writer::bits(uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes_.push_back(static_cast<uint8_t>(value | 0x80));
  bytes_.push_back(static_cast<uint8_t>(value));
}

void Writer::number(float value) {
  const auto word = std::bit_cast<uint32_t>(value);
  for (int i = 0; i < 4; ++i) bytes_.push_back(static_cast<uint8_t>(word >> (8 * i)));
}

void Writer::raw(const std::vector<uint8_t>& bytes) {
  bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
}

}  // namespace trainyard::isa::binary
