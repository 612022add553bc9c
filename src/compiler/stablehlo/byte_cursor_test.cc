#include "compiler/stablehlo/byte_cursor.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "compiler/stablehlo/bytecode_writer_test.h"

namespace trainyard::compiler {
namespace {

using testing::Bytes;
using testing::operator+;

std::string code_of(const std::function<void()>& read) {
  try {
    read();
  } catch (const ReadFailure& failure) {
    return failure.status.code();
  }
  return "";
}

TEST(ByteCursor, TrailingZeroBitsOfTheFirstByteCountTheOthers) {
  const Bytes bytes{0x03, 0x02, 0x04, 0xA0, 0x00, 0x01, 2, 3, 4, 5, 6, 7, 8};
  ByteCursor cursor(bytes, 0);
  EXPECT_EQ(cursor.varint(), 1u);
  EXPECT_EQ(cursor.varint(), (0x0402u) >> 2);
  const std::span<const uint8_t> all(bytes);
  ByteCursor five(all.subspan(3, 1), 3);
  EXPECT_EQ(code_of([&] { five.varint(); }), "TY-SHLO-003");
  ByteCursor nine(all.subspan(4), 4);
  EXPECT_EQ(nine.varint(), 0x0807060504030201u);
  EXPECT_TRUE(nine.empty());
}

TEST(ByteCursor, SignedNumbersComeBackFromZigzag) {
  for (const int64_t value :
       {int64_t{0}, int64_t{-1}, int64_t{1}, int64_t{-64}, int64_t{12345},
        std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()}) {
    const Bytes bytes = testing::svarint(value);
    EXPECT_EQ(ByteCursor(bytes, 0).svarint(), value);
  }
}

TEST(ByteCursor, ACountIsBoundedByTheBytesThatAreLeft) {
  const Bytes bytes = testing::varint(1'000'000'000) + Bytes{1, 2, 3};
  ByteCursor cursor(bytes, 0);
  EXPECT_EQ(code_of([&] { cursor.count("things"); }), "TY-SHLO-006");
  const Bytes exact = testing::varint(3) + Bytes{1, 2, 3};
  EXPECT_EQ(ByteCursor(exact, 0).count("things"), 3u);
  ByteCursor pairs(exact, 0);
  EXPECT_EQ(code_of([&] { pairs.count("pairs", 2); }), "TY-SHLO-006");
}

TEST(ByteCursor, AnIndexMustLieInsideItsTable) {
  const Bytes bytes = testing::varint(4);
  EXPECT_EQ(ByteCursor(bytes, 0).index("string", 5), 4u);
  ByteCursor cursor(bytes, 0);
  EXPECT_EQ(code_of([&] { cursor.index("string", 4); }), "TY-SHLO-005");
}

TEST(ByteCursor, AlignmentCountsFromTheStartOfTheFile) {
  const Bytes bytes{0xCB, 0xCB, 7};
  ByteCursor cursor(bytes, 6);
  cursor.align(8);
  EXPECT_EQ(cursor.byte(), 7);
  ByteCursor damaged(bytes, 5);
  EXPECT_EQ(code_of([&] { damaged.align(8); }), "TY-SHLO-004");
  EXPECT_EQ(code_of([&] { damaged.align(3); }), "TY-SHLO-004");
}

TEST(ByteCursor, AnErrorNamesTheByteInTheFile) {
  ByteCursor cursor({}, 77);
  try {
    cursor.byte();
    FAIL();
  } catch (const ReadFailure& failure) {
    EXPECT_NE(failure.status.message().find("at byte 77"), std::string::npos);
  }
}

TEST(Budget, ASmallFileCannotAskForMuchMemory) {
  Budget budget(10);
  budget.spend(1 << 20, 0);
  EXPECT_EQ(code_of([&] { budget.spend(1 << 20, 0); }), "TY-SHLO-012");
}

}  // namespace
}  // namespace trainyard::compiler
