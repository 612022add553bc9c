#include "compiler/stablehlo/reader.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "compiler/ir/element_value.h"
#include "compiler/ir/print.h"
#include "compiler/ir/verify.h"
#include "compiler/stablehlo/bytecode_writer_test.h"

namespace trainyard::compiler {
namespace {

using testing::Bytes;
using testing::operator+;
using testing::operator+=;
using testing::MainModule;
using testing::svarint;
using testing::varint;

constexpr uint64_t kF32 = 4;
constexpr uint64_t kBool = 0;

Bytes tensor_type(const std::vector<int64_t>& shape, uint64_t element) {
  Bytes out = varint(20) + varint(shape.size());
  for (const int64_t size : shape) out += svarint(size);
  return out + varint(element);
}

// Type 0 is tensor<shape x f32>, type 1 is f32.
MainModule with_argument(const std::vector<int64_t>& shape) {
  MainModule module;
  module.w.type(tensor_type(shape, 1));
  module.w.type(varint(kF32));
  return module;
}

std::string code(const Bytes& file) { return read_stablehlo(file).status().code(); }

TEST(Reader, AFunctionThatReturnsItsArgumentIsOneBlock) {
  MainModule source = with_argument({2, 3});
  source.op("return_v1", {0}, {});
  const Result<Module> module = read_stablehlo(source.file(0));
  ASSERT_TRUE(module.ok()) << module.status().str();
  EXPECT_EQ(print(*module),
            "module @ {\n"
            "  func.func public @main(%0: tensor<2x3xf32>) -> (tensor<2x3xf32>) {\n"
            "    func.return %0 : tensor<2x3xf32>\n"
            "  }\n"
            "}\n");
  EXPECT_TRUE(verify(*module).ok());
  EXPECT_EQ(module->producer, "test");
}

TEST(Reader, OperandsAreNumberedInTheOrderOfDefinition) {
  MainModule source = with_argument({4});
  source.op("negate_v1", {0}, {0});
  source.op("add_v1", {1, 0}, {0});
  source.op("return_v1", {2}, {});
  const Result<Module> module = read_stablehlo(source.file(0));
  ASSERT_TRUE(module.ok()) << module.status().str();
  EXPECT_NE(print(*module).find("%2 = stablehlo.add %1, %0 : tensor<4xf32>"), std::string::npos);
}

TEST(Reader, AValueUsedBeforeItIsDefinedIsRefused) {
  MainModule source = with_argument({4});
  source.op("negate_v1", {1}, {0});
  source.op("return_v1", {0}, {});
  EXPECT_EQ(code(source.file(0)), "TY-SHLO-013");
}

TEST(Reader, AnUnknownOperationIsNamed) {
  MainModule source = with_argument({4});
  source.op("frobnicate_v7", {0}, {0});
  source.op("return_v1", {1}, {});
  const Result<Module> module = read_stablehlo(source.file(0));
  EXPECT_EQ(module.status().code(), "TY-SHLO-008");
  EXPECT_NE(module.status().message().find("vhlo.frobnicate_v7"), std::string::npos);
}

TEST(Reader, AnUnknownTypeCodeIsRefused) {
  MainModule source;
  source.w.type(varint(99));
  source.op("return_v1", {0}, {});
  EXPECT_EQ(code(source.file(0)), "TY-SHLO-007");
}

TEST(Reader, PropertiesOfAnotherLengthAreRefused) {
  MainModule source = with_argument({4});
  source.op("transpose_v1", {0}, {0}, source.w.property({}));
  source.op("return_v1", {1}, {});
  EXPECT_EQ(code(source.file(0)), "TY-SHLO-009");
}

// main(%0) { %1 = constant; return %1 } where the constant's type is type 2 and its data `blob`.
Bytes constant_file(const Bytes& type, const Bytes& scalar, const Bytes& blob) {
  MainModule source = with_argument({});
  source.w.type(type);  // type 2, its element is type 3
  source.w.type(scalar);
  source.w.vhlo_attributes.push_back(varint(15) + varint(2) + varint(blob.size()) + blob);
  source.op("constant_v1", {}, {2}, source.w.property(varint(1)));
  source.op("return_v1", {1}, {});
  return source.file(2);
}

Constant only_constant(const Bytes& file) {
  const Result<Module> module = read_stablehlo(file);
  EXPECT_TRUE(module.ok()) << module.status().str();
  return module.ok() ? module->constants.at(0) : Constant{};
}

TEST(Reader, ASplatKeepsOneElementForAHugeTensor) {
  const Bytes one{0, 0, 0x80, 0x3F};
  const Constant constant =
      only_constant(constant_file(tensor_type({1 << 20, 1 << 20}, 3), varint(kF32), one));
  EXPECT_TRUE(constant.splat);
  EXPECT_EQ(constant.bytes.size(), 4u);
  EXPECT_EQ(str(constant), "dense<1>");
}

TEST(Reader, TruthValuesComePackedLowBitFirst) {
  const Constant constant =
      only_constant(constant_file(tensor_type({10}, 3), varint(kBool), {0b0000'0101, 0b10}));
  EXPECT_EQ(constant.bytes, (Bytes{1, 0, 1, 0, 0, 0, 0, 0, 0, 1}));
}

TEST(Reader, AllTrueIsTheSingleByteFF) {
  const Constant constant =
      only_constant(constant_file(tensor_type({100}, 3), varint(kBool), {0xFF}));
  EXPECT_TRUE(constant.splat);
  EXPECT_EQ(constant.bytes, Bytes{1});
}

TEST(Reader, TruthValuesMayTakeAByteEach) {
  const Constant constant =
      only_constant(constant_file(tensor_type({3}, 3), varint(kBool), {0xFF, 0, 1}));
  EXPECT_EQ(constant.bytes, (Bytes{1, 0, 1}));
}

TEST(Reader, AConstantWithTooFewBytesIsRefused) {
  EXPECT_EQ(code(constant_file(tensor_type({3}, 3), varint(kF32), {0, 0, 0, 0, 0, 0, 0, 0})),
            "TY-SHLO-014");
}

TEST(Reader, ANegativeDimensionIsRefused) {
  EXPECT_EQ(code(constant_file(tensor_type({-5}, 3), varint(kF32), {0, 0, 0, 0})), "TY-SHLO-010");
}

TEST(Reader, ATypeThatContainsItselfIsRefused) {
  MainModule source;
  source.w.type(varint(23) + varint(1) + varint(0));  // tuple<itself>
  source.op("return_v1", {0}, {});
  EXPECT_EQ(code(source.file(0)), "TY-SHLO-011");
}

TEST(Reader, ATupleThatDoublesAtEachLevelMeetsTheBudget) {
  MainModule source;
  for (uint64_t i = 0; i < 60; ++i) {
    source.w.type(varint(23) + varint(2) + varint(i + 1) + varint(i + 1));
  }
  source.w.type(varint(22));  // a token at the bottom
  source.op("return_v1", {0}, {});
  EXPECT_EQ(code(source.file(0)), "TY-SHLO-012");
}

TEST(Reader, AListOfDimensionsMayNotBeASplatOfAnySize) {
  MainModule source = with_argument({4});
  source.w.type(tensor_type({int64_t{1} << 40}, 3));
  source.w.type(varint(14));  // i64
  source.w.vhlo_attributes.push_back(varint(15) + varint(2) + varint(8) + Bytes(8, 0));
  source.op("transpose_v1", {0}, {0}, source.w.property(varint(1)));
  source.op("return_v1", {1}, {});
  EXPECT_EQ(code(source.file(0)), "TY-SHLO-012");
}

TEST(Reader, TextIsToldFromBytecode) {
  const std::string_view text = "module @jit_f { func.func public @main() }";
  const Result<Module> module = read_stablehlo(Bytes(text.begin(), text.end()));
  EXPECT_EQ(module.status().code(), "TY-SHLO-001");
  EXPECT_NE(module.status().message().find("trainyard.mlir_text"), std::string::npos);
  EXPECT_EQ(code({}), "TY-SHLO-001");
}

TEST(Reader, ANewerContainerIsRefused) {
  EXPECT_EQ(code(Bytes{0x4D, 0x4C, 0xEF, 0x52} + varint(7) + Bytes{0}), "TY-SHLO-002");
}

TEST(Reader, EveryPrefixOfAFileIsAnError) {
  MainModule source = with_argument({2, 3});
  source.op("negate_v1", {0}, {0});
  source.op("return_v1", {1}, {});
  const Bytes file = source.file(0);
  ASSERT_TRUE(read_stablehlo(file).ok());
  for (size_t size = 0; size < file.size(); ++size) {
    const Result<Module> module = read_stablehlo(std::span<const uint8_t>(file).first(size));
    EXPECT_FALSE(module.ok()) << size;
    EXPECT_TRUE(module.status().code().starts_with("TY-SHLO-")) << size;
  }
}

TEST(Reader, AnyChangedByteGivesAModuleOrACodedError) {
  std::ifstream in("tests/data/stablehlo/mlp_grad.mlirbc", std::ios::binary);
  Bytes file{std::istreambuf_iterator<char>(in), {}};
  ASSERT_FALSE(file.empty());
  for (size_t i = 0; i < file.size(); ++i) {
    const uint8_t before = file[i];
    for (const uint8_t change : {0x01, 0x80, 0xFF}) {
      file[i] = before ^ change;
      const Result<Module> module = read_stablehlo(file);
      if (module.ok()) {
        (void)verify(*module);
        (void)print(*module);
      } else {
        EXPECT_TRUE(module.status().code().starts_with("TY-SHLO-"));
      }
    }
    file[i] = before;
  }
}

}  // namespace
}  // namespace trainyard::compiler
