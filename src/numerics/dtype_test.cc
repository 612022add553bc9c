#include "numerics/dtype.h"

#include <gtest/gtest.h>

#include <set>

#include "numerics/float_format.h"

namespace trainyard::numerics {
namespace {

TEST(Dtype, EveryTextNameReadsBackAsTheSameType) {
  std::set<std::string_view> seen;
  for (const Dtype dtype : kAllDtypes) {
    EXPECT_EQ(parse_dtype(name(dtype)), dtype) << name(dtype);
    EXPECT_TRUE(seen.insert(name(dtype)).second) << name(dtype);
  }
}

TEST(Dtype, NumpyNamesReadBackExceptTheContainerOfTf32) {
  for (const Dtype dtype : kAllDtypes) {
    const Dtype expected = dtype == Dtype::TF32 ? Dtype::F32 : dtype;
    EXPECT_EQ(parse_dtype(numpy_name(dtype)), expected) << name(dtype);
  }
  EXPECT_EQ(parse_dtype("tfloat32"), Dtype::TF32);
  EXPECT_EQ(parse_dtype("float8_e4m3"), Dtype::F8E4M3);
  EXPECT_EQ(parse_dtype("bfloat16"), Dtype::BF16);
}

TEST(Dtype, AWordThatNamesNoTypeIsNotRead) {
  for (const std::string_view word : {"", "f", "f33", "F32", "float", "int4", "f8e4m3fnuz"}) {
    EXPECT_FALSE(parse_dtype(word)) << word;
  }
}

TEST(Dtype, SizesAreThoseOfTheContainer) {
  EXPECT_EQ(size_of(Dtype::TF32), 4);
  EXPECT_EQ(size_of(Dtype::BF16), 2);
  EXPECT_EQ(size_of(Dtype::F8E3M4), 1);
  EXPECT_EQ(size_of(Dtype::U32), 4);
}

TEST(Dtype, KindsAreDisjoint) {
  for (const Dtype dtype : kAllDtypes) EXPECT_NE(is_float(dtype), is_integer(dtype)) << name(dtype);
  EXPECT_TRUE(is_float(Dtype::F8E3M4));
  EXPECT_TRUE(is_integer(Dtype::S8));
  EXPECT_TRUE(is_signed(Dtype::S8));
  EXPECT_TRUE(is_signed(Dtype::F8E4M3FN));
  EXPECT_FALSE(is_signed(Dtype::U16));
}

TEST(FloatFormat, TheBitsOfEachFormatFillItsContainer) {
  EXPECT_EQ(kTF32.bits(), 19);
  EXPECT_EQ(kBF16.bits(), 16);
  EXPECT_EQ(kF16.bits(), 16);
  for (const FloatFormat& f : {kF8E5M2, kF8E4M3, kF8E4M3FN, kF8E3M4}) EXPECT_EQ(f.bits(), 8);
}

}  // namespace
}  // namespace trainyard::numerics
