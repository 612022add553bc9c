#include "pjrt/compile_options.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>

namespace trainyard::pjrt {
namespace {

// A writer of the wire format, independent of the reader.
std::string varint(uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  return out + static_cast<char>(value);
}
std::string number(int field, uint64_t value) { return varint(field << 3) + varint(value); }
std::string bytes(int field, const std::string& inner) {
  return varint(field << 3 | 2) + varint(inner.size()) + inner;
}
std::string real(int field, double value) {
  char raw[8];
  std::memcpy(raw, &value, 8);
  return varint(field << 3 | 1) + std::string(raw, 8);
}

TEST(CompileOptions, ReadsDevicesAndCounts) {
  const std::string computation = bytes(1, varint(3));
  const std::string assignment = number(1, 1) + number(2, 1) + bytes(3, computation);
  const std::string build = number(1, ~uint64_t{0}) + bytes(3, std::string(300, 'x')) +
                            number(4, 1) + number(5, 2) + bytes(9, assignment) + number(19, 1);
  const auto options = read_compile_options(bytes(3, build) + number(5, 7));
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->replicas, 1);
  EXPECT_EQ(options->partitions, 2);
  EXPECT_EQ(options->device_ids, std::vector<int64_t>{3});
  EXPECT_EQ(options->device_assignment, assignment);
}

TEST(CompileOptions, ReadsUserOptionsOfEveryType) {
  const auto entry = [](const std::string& key, const std::string& value) {
    return bytes(7, bytes(1, key) + bytes(2, value));
  };
  const auto options =
      read_compile_options(entry("a", bytes(1, "text")) + entry("b", number(2, 1)) +
                           entry("c", number(3, 42)) + entry("d", real(4, 0.5)));
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->overrides.at("a"), "text");
  EXPECT_EQ(options->overrides.at("b"), "true");
  EXPECT_EQ(options->overrides.at("c"), "42");
  EXPECT_EQ(options->overrides.at("d"), "0.5");
}

TEST(CompileOptions, EveryCutIsRefusedOrReadAndNeverRunsOver) {
  const std::string whole = bytes(3, number(4, 1) + bytes(9, bytes(3, bytes(1, varint(3)))));
  for (size_t size = 1; size < whole.size(); ++size) {
    const auto options = read_compile_options(std::string(whole, 0, size));
    ASSERT_FALSE(options.ok()) << size;
    EXPECT_EQ(options.status().code(), "TY-PJRT-004");
  }
  EXPECT_TRUE(read_compile_options("").ok());
}

}  // namespace
}  // namespace trainyard::pjrt
