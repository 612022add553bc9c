#include "compiler/ir/element_value.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace trainyard::compiler {
namespace {

TEST(ElementValue, EveryFloatTypeHasItsLargestNumber) {
  EXPECT_EQ(to_double(ElementType::F8E4M3FN, 0x7E), 448);
  EXPECT_EQ(to_double(ElementType::F8E4M3, 0x77), 240);
  EXPECT_EQ(to_double(ElementType::F8E5M2, 0x7B), 57344);
  EXPECT_EQ(to_double(ElementType::F8E4M3FNUZ, 0x7F), 240);
  EXPECT_EQ(to_double(ElementType::F8E4M3B11FNUZ, 0x7F), 30);
  EXPECT_EQ(to_double(ElementType::F8E3M4, 0x6F), 15.5);
  EXPECT_EQ(to_double(ElementType::F6E2M3FN, 0x1F), 7.5);
  EXPECT_EQ(to_double(ElementType::F6E3M2FN, 0x1F), 28);
  EXPECT_EQ(to_double(ElementType::F4E2M1FN, 0x7), 6);
  EXPECT_EQ(to_double(ElementType::F16, 0x7BFF), 65504);
  EXPECT_EQ(to_double(ElementType::BF16, 0x3F80), 1);
  EXPECT_EQ(to_double(ElementType::F8E8M0FNU, 0x7F), 1);
}

TEST(ElementValue, NanAndInfinityAreWhereTheTypePutsThem) {
  EXPECT_TRUE(std::isnan(to_double(ElementType::F8E4M3FN, 0x7F)));
  EXPECT_TRUE(std::isnan(to_double(ElementType::F8E5M2FNUZ, 0x80)));
  EXPECT_TRUE(std::isnan(to_double(ElementType::F8E8M0FNU, 0xFF)));
  EXPECT_EQ(to_double(ElementType::F8E5M2, 0xFC), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(to_double(ElementType::F16, 0x0001), std::ldexp(1.0, -24));
}

TEST(ElementValue, IntegersAreExtendedByTheirSign) {
  EXPECT_EQ(to_integer(ElementType::I4, 0xF), -1);
  EXPECT_EQ(to_integer(ElementType::U4, 0xF), 15);
  EXPECT_EQ(to_integer(ElementType::I32, 0xFFFFFFFF), -1);
  EXPECT_EQ(to_integer(ElementType::U32, 0xFFFFFFFF), 4294967295);
}

TEST(ElementValue, ConstantsPrintAsNumbers) {
  const Constant ints{tensor_of(ElementType::I16, {2}), false, {0xFE, 0xFF, 7, 0}};
  EXPECT_EQ(str(ints), "dense<[-2, 7]>");
  const Constant complex{
      tensor_of(ElementType::Complex64, {}), false, {0, 0, 0x80, 0x3F, 0, 0, 0, 0xC0}};
  EXPECT_EQ(str(complex), "dense<(1, -2)>");
  const Constant empty{tensor_of(ElementType::F32, {0}), false, {}};
  EXPECT_EQ(str(empty), "dense<[]>");
}

TEST(ElementValue, LongConstantsThatDifferPrintDifferently) {
  Constant a{tensor_of(ElementType::U8, {100}), false, std::vector<uint8_t>(100, 1)};
  Constant b = a;
  b.bytes[99] = 2;
  EXPECT_NE(str(a), str(b));
}

}  // namespace
}  // namespace trainyard::compiler
