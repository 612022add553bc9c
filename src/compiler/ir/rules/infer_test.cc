#include "compiler/ir/rules/infer.h"

#include <gtest/gtest.h>

#include <limits>

#include "compiler/ir/test_module_test.h"

namespace trainyard::compiler {
namespace {

using testing::code_of_one;
using testing::f32;
using testing::i1;
using testing::i32;
using testing::TestModule;

constexpr auto kOk = "";

TEST(Infer, ElementwiseOperandsMustHaveOneType) {
  EXPECT_EQ(code_of_one(OpKind::Add, {f32({2, 3}), f32({2, 3})}, {}, f32({2, 3})), kOk);
  EXPECT_EQ(code_of_one(OpKind::Add, {f32({2, 3}), f32({3, 2})}, {}, f32({2, 3})), "TY-SHLO-022");
  EXPECT_EQ(code_of_one(OpKind::Add, {f32({2}), i32({2})}, {}, f32({2})), "TY-SHLO-022");
  EXPECT_EQ(code_of_one(OpKind::Add, {f32({2}), f32({2})}, {}, f32({3})), "TY-SHLO-024");
  EXPECT_EQ(code_of_one(OpKind::Add, {f32({2})}, {}, f32({2})), "TY-SHLO-020");
}

TEST(Infer, EachOperationTakesItsOwnElementTypes) {
  const auto c64 = [](std::vector<int64_t> shape) {
    return Type(tensor_of(ElementType::Complex64, std::move(shape)));
  };
  EXPECT_EQ(code_of_one(OpKind::Tanh, {f32({2})}, {}, f32({2})), kOk);
  EXPECT_EQ(code_of_one(OpKind::Tanh, {i32({2})}, {}, i32({2})), "TY-SHLO-021");
  EXPECT_EQ(code_of_one(OpKind::ShiftLeft, {f32({2}), f32({2})}, {}, f32({2})), "TY-SHLO-021");
  EXPECT_EQ(code_of_one(OpKind::Not, {i1({2})}, {}, i1({2})), kOk);
  EXPECT_EQ(code_of_one(OpKind::Negate, {i1({2})}, {}, i1({2})), "TY-SHLO-021");
  EXPECT_EQ(code_of_one(OpKind::Abs, {c64({2})}, {}, f32({2})), kOk);
  EXPECT_EQ(code_of_one(OpKind::Abs, {c64({2})}, {}, c64({2})), "TY-SHLO-024");
  EXPECT_EQ(code_of_one(OpKind::Complex, {f32({2}), f32({2})}, {}, c64({2})), kOk);
}

TEST(Infer, ComparingComplexNumbersHasNoOrder) {
  const Type c64 = tensor_of(ElementType::Complex64, {2});
  using Direction = CompareAttributes::Direction;
  const auto compare = [](Direction d) {
    return CompareAttributes{d, CompareAttributes::Order::Float};
  };
  EXPECT_EQ(code_of_one(OpKind::Compare, {c64, c64}, compare(Direction::Eq), i1({2})), kOk);
  EXPECT_EQ(code_of_one(OpKind::Compare, {c64, c64}, compare(Direction::Lt), i1({2})),
            "TY-SHLO-021");
  EXPECT_EQ(code_of_one(OpKind::Compare, {f32({2}), f32({2})}, compare(Direction::Lt), f32({2})),
            "TY-SHLO-024");
}

TEST(Infer, ANarrowerBitcastAddsTheLastDimension) {
  const Type u64 = tensor_of(ElementType::U64, {3});
  const Type u32 = tensor_of(ElementType::U32, {3, 2});
  EXPECT_EQ(code_of_one(OpKind::BitcastConvert, {u64}, {}, u32), kOk);
  EXPECT_EQ(code_of_one(OpKind::BitcastConvert, {u32}, {}, u64), kOk);
  EXPECT_EQ(code_of_one(OpKind::BitcastConvert, {u64}, {}, tensor_of(ElementType::U32, {3, 3})),
            "TY-SHLO-022");
  EXPECT_EQ(code_of_one(OpKind::BitcastConvert, {f32({3})}, {}, i32({3})), kOk);
}

TEST(Infer, ABroadcastStretchesOnlySizeOne) {
  const auto dims = [](Dims list) { return DimsAttributes{std::move(list)}; };
  EXPECT_EQ(code_of_one(OpKind::BroadcastInDim, {f32({1, 3})}, dims({0, 2}), f32({4, 5, 3})), kOk);
  EXPECT_EQ(code_of_one(OpKind::BroadcastInDim, {f32({2, 3})}, dims({0, 2}), f32({4, 5, 3})),
            "TY-SHLO-022");
  EXPECT_EQ(code_of_one(OpKind::BroadcastInDim, {f32({1, 3})}, dims({0, 0}), f32({4, 5, 3})),
            "TY-SHLO-023");
  EXPECT_EQ(code_of_one(OpKind::BroadcastInDim, {f32({1, 3})}, dims({0, 3}), f32({4, 5, 3})),
            "TY-SHLO-023");
}

TEST(Infer, AReshapeKeepsTheNumberOfElements) {
  EXPECT_EQ(code_of_one(OpKind::Reshape, {f32({2, 6})}, {}, f32({3, 4})), kOk);
  EXPECT_EQ(code_of_one(OpKind::Reshape, {f32({2, 6})}, {}, f32({3, 5})), "TY-SHLO-022");
  EXPECT_EQ(code_of_one(OpKind::Reshape, {f32({0, 6})}, {}, f32({5, 0, 7})), kOk);
  const int64_t huge = int64_t{1} << 40;
  EXPECT_EQ(code_of_one(OpKind::Reshape, {f32({huge, huge})}, {}, f32({huge, huge})),
            "TY-SHLO-022");
}

TEST(Infer, ATransposePermutesTheShape) {
  EXPECT_EQ(
      code_of_one(OpKind::Transpose, {f32({2, 3, 4})}, DimsAttributes{{2, 0, 1}}, f32({4, 2, 3})),
      kOk);
  EXPECT_EQ(code_of_one(OpKind::Transpose, {f32({2, 3})}, DimsAttributes{{0}}, f32({2})),
            "TY-SHLO-023");
}

TEST(Infer, AConcatenationAddsOneDimension) {
  EXPECT_EQ(
      code_of_one(OpKind::Concatenate, {f32({2, 3}), f32({4, 3})}, DimAttributes{0}, f32({6, 3})),
      kOk);
  EXPECT_EQ(
      code_of_one(OpKind::Concatenate, {f32({2, 3}), f32({4, 5})}, DimAttributes{0}, f32({6, 3})),
      "TY-SHLO-022");
}

TEST(Infer, ASliceRoundsItsLengthUp) {
  EXPECT_EQ(code_of_one(OpKind::Slice, {f32({10})}, SliceAttributes{{1}, {10}, {4}}, f32({3})),
            kOk);
  EXPECT_EQ(code_of_one(OpKind::Slice, {f32({10})}, SliceAttributes{{1}, {11}, {4}}, f32({3})),
            "TY-SHLO-023");
  EXPECT_EQ(code_of_one(OpKind::Slice, {f32({10})}, SliceAttributes{{1}, {10}, {0}}, f32({3})),
            "TY-SHLO-023");
}

TEST(Infer, NegativePaddingCutsAndMayNotCutTooMuch) {
  EXPECT_EQ(code_of_one(OpKind::Pad, {f32({5}), f32({})}, PadAttributes{{-2}, {1}, {1}}, f32({8})),
            kOk);
  EXPECT_EQ(code_of_one(OpKind::Pad, {f32({5}), f32({})}, PadAttributes{{-6}, {0}, {0}}, f32({0})),
            "TY-SHLO-022");
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(code_of_one(OpKind::Pad, {f32({5}), f32({})}, PadAttributes{{kMost}, {kMost}, {kMost}},
                        f32({0})),
            "TY-SHLO-022");
}

TEST(Infer, ADotKeepsBatchThenFreeDimensions) {
  const DotAttributes dot{.lhs_batch = {0},
                          .rhs_batch = {2},
                          .lhs_contracting = {2},
                          .rhs_contracting = {0},
                          .precision = {},
                          .algorithm = {}};
  EXPECT_EQ(code_of_one(OpKind::DotGeneral, {f32({2, 3, 4}), f32({4, 5, 2})}, dot, f32({2, 3, 5})),
            kOk);
  EXPECT_EQ(code_of_one(OpKind::DotGeneral, {f32({2, 3, 4}), f32({6, 5, 2})}, dot, f32({2, 3, 5})),
            "TY-SHLO-022");
  EXPECT_EQ(code_of_one(OpKind::DotGeneral, {f32({2, 3, 4}), f32({4, 5})}, dot, f32({2, 3, 5})),
            "TY-SHLO-023");
}

ConvolutionAttributes nhwc_conv() {
  ConvolutionAttributes a;
  a.window.strides = {1, 2};
  a.window.padding_low = {1, 0};
  a.window.padding_high = {1, 0};
  a.window_reversal = {false, false};
  a.input_batch = 0;
  a.input_feature = 3;
  a.input_spatial = {1, 2};
  a.kernel_input_feature = 2;
  a.kernel_output_feature = 3;
  a.kernel_spatial = {0, 1};
  a.output_batch = 0;
  a.output_feature = 3;
  a.output_spatial = {1, 2};
  return a;
}

TEST(Infer, AConvolutionCountsItsWindows) {
  const std::vector<Type> operands{f32({2, 8, 9, 4}), f32({3, 3, 4, 6})};
  EXPECT_EQ(code_of_one(OpKind::Convolution, operands, nhwc_conv(), f32({2, 8, 4, 6})), kOk);
  ConvolutionAttributes grouped = nhwc_conv();
  grouped.feature_groups = 2;
  EXPECT_EQ(code_of_one(OpKind::Convolution, operands, grouped, f32({2, 8, 4, 6})), "TY-SHLO-022");
  EXPECT_EQ(code_of_one(OpKind::Convolution, {f32({2, 8, 9, 4}), f32({3, 3, 2, 6})}, grouped,
                        f32({2, 8, 4, 6})),
            kOk);
  ConvolutionAttributes reversed = nhwc_conv();
  reversed.window_reversal = {true};
  EXPECT_EQ(code_of_one(OpKind::Convolution, operands, reversed, f32({2, 8, 4, 6})), "TY-SHLO-023");
  ConvolutionAttributes bad = nhwc_conv();
  bad.window.strides = {0, 2};
  EXPECT_EQ(code_of_one(OpKind::Convolution, operands, bad, f32({2, 8, 4, 6})), "TY-SHLO-023");
}

GatherAttributes row_gather() {
  GatherAttributes a;
  a.offset_dims = {1};
  a.collapsed_slice_dims = {0};
  a.start_index_map = {0};
  a.index_vector_dim = 1;
  a.slice_sizes = {1, 5};
  return a;
}

TEST(Infer, AGatherOfRowsHasOneRowPerIndex) {
  EXPECT_EQ(code_of_one(OpKind::Gather, {f32({9, 5}), i32({3, 1})}, row_gather(), f32({3, 5})),
            kOk);
  EXPECT_EQ(code_of_one(OpKind::Gather, {f32({9, 5}), i32({3, 2})}, row_gather(), f32({3, 5})),
            "TY-SHLO-022");
  EXPECT_EQ(code_of_one(OpKind::Gather, {f32({9, 4}), i32({3, 1})}, row_gather(), f32({3, 5})),
            "TY-SHLO-023");
  EXPECT_EQ(code_of_one(OpKind::Gather, {f32({9, 5}), f32({3, 1})}, row_gather(), f32({3, 5})),
            "TY-SHLO-021");
}

std::string scatter_code(const Type& update) {
  TestModule test({f32({9, 5}), i32({3, 1}), update});
  ScatterAttributes a;
  a.update_window_dims = {1};
  a.inserted_window_dims = {0};
  a.scatter_dims_to_operand_dims = {0};
  a.index_vector_dim = 1;
  const BlockId add = test.reducer(OpKind::Add, f32({}));
  return test
      .finish({test.add(OpKind::Scatter, {test.argument(0), test.argument(1), test.argument(2)}, a,
                        {f32({9, 5})}, {add})})
      .code();
}

TEST(Infer, AScatterTakesOneWindowPerIndex) {
  EXPECT_EQ(scatter_code(f32({3, 5})), kOk);
  EXPECT_EQ(scatter_code(f32({3, 4})), kOk);
  EXPECT_EQ(scatter_code(f32({3, 6})), "TY-SHLO-022");
  EXPECT_EQ(scatter_code(f32({4, 5})), "TY-SHLO-022");
}

std::string reduce_code(const Dims& dims, const Type& region_scalar, const Type& result) {
  TestModule test({f32({2, 3, 4}), f32({})});
  const BlockId add = test.reducer(OpKind::Add, region_scalar);
  return test
      .finish({test.add(OpKind::Reduce, {test.argument(0), test.argument(1)}, DimsAttributes{dims},
                        {result}, {add})})
      .code();
}

TEST(Infer, AReduceDropsItsDimensions) {
  EXPECT_EQ(reduce_code({0, 2}, f32({}), f32({3})), kOk);
  EXPECT_EQ(reduce_code({0, 2}, f32({}), f32({2})), "TY-SHLO-024");
  EXPECT_EQ(reduce_code({0, 3}, f32({}), f32({3})), "TY-SHLO-023");
  EXPECT_EQ(reduce_code({0, 2}, i32({}), f32({3})), "TY-SHLO-025");
}

std::string window_code(int64_t stride, const Type& result) {
  TestModule test({f32({10}), f32({})});
  WindowAttributes window;
  window.dimensions = {3};
  window.strides = {stride};
  window.window_dilations = {2};
  window.padding_low = {1};
  window.padding_high = {0};
  const BlockId max = test.reducer(OpKind::Maximum, f32({}));
  return test
      .finish({test.add(OpKind::ReduceWindow, {test.argument(0), test.argument(1)}, window,
                        {result}, {max})})
      .code();
}

TEST(Infer, ADilatedWindowIsLonger) {
  EXPECT_EQ(window_code(2, f32({4})), kOk);  // (11 - 5) / 2 + 1
  EXPECT_EQ(window_code(2, f32({5})), "TY-SHLO-024");
  EXPECT_EQ(window_code(0, f32({4})), "TY-SHLO-023");
}

TEST(Infer, AnAllGatherMultipliesByTheGroup) {
  CollectiveAttributes a;
  a.groups = {{0, 1}, {2, 3}};
  a.dimension = 1;
  EXPECT_EQ(code_of_one(OpKind::AllGather, {f32({3, 4})}, a, f32({3, 8})), kOk);
  EXPECT_EQ(code_of_one(OpKind::AllGather, {f32({3, 4})}, a, f32({6, 4})), "TY-SHLO-024");
  a.groups = {{0, 1}, {1, 2}};
  EXPECT_EQ(code_of_one(OpKind::AllGather, {f32({3, 4})}, a, f32({3, 8})), "TY-SHLO-023");
}

TEST(Infer, ACollectivePermuteHasOneSourcePerTarget) {
  CollectiveAttributes a;
  a.groups = {{0, 1}, {1, 2}};
  EXPECT_EQ(code_of_one(OpKind::CollectivePermute, {f32({3})}, a, f32({3})), kOk);
  a.groups = {{0, 1}, {2, 1}};
  EXPECT_EQ(code_of_one(OpKind::CollectivePermute, {f32({3})}, a, f32({3})), "TY-SHLO-023");
}

TEST(Infer, DynamicShapesAreLeftToTheSupportCheck) {
  EXPECT_EQ(code_of_one(OpKind::Add, {f32({kDynamic}), f32({2})}, {}, f32({kDynamic})), kOk);
}

}  // namespace
}  // namespace trainyard::compiler
