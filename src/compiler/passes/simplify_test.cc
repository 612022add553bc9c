#include "compiler/passes/simplify.h"

#include <cmath>
#include <limits>

#include "compiler/ir/element_value.h"
#include "compiler/passes/pass_module_test.h"

namespace trainyard::compiler {
namespace {

using testing::add_data;
using testing::count_of;
using testing::expect_verifies;
using testing::f32;
using testing::i1;
using testing::i32;
using testing::returned_argument;
using testing::returned_constant;
using testing::TestModule;

const TensorType kF32Vector = tensor_of(ElementType::F32, {4});
const TensorType kI32Scalar = tensor_of(ElementType::I32, {});

int64_t folded_integer(OpKind kind, ElementType element, int64_t a, int64_t b) {
  TestModule test({});
  const TensorType type = tensor_of(element, {});
  const auto add = [&](int64_t v) {
    std::vector<uint8_t> bytes(static_cast<size_t>(byte_size(element)));
    std::memcpy(bytes.data(), &v, bytes.size());
    test.module.constants.push_back({.type = type, .splat = false, .bytes = bytes});
    return test.add(OpKind::Constant, {},
                    ConstantAttributes{static_cast<ConstantId>(test.module.constants.size()) - 1},
                    {Type(type)});
  };
  const ValueId x = add(a);
  const ValueId y = add(b);
  EXPECT_TRUE(test.finish({test.add(kind, {x, y}, {}, {Type(type)})}).ok());
  EXPECT_TRUE(simplify(test.module).ok());
  expect_verifies(test.module);
  const Constant* out = returned_constant(test.module);
  EXPECT_NE(out, nullptr);
  return out == nullptr ? 0 : to_integer(element, element_bits(*out, 0));
}

TEST(Fold, IntegersWrapAndDivideByStableHlosRules) {
  const ElementType s32 = ElementType::I32;
  const int64_t low = std::numeric_limits<int32_t>::min();
  const int64_t high = std::numeric_limits<int32_t>::max();
  EXPECT_EQ(folded_integer(OpKind::Add, s32, high, 1), low);
  EXPECT_EQ(folded_integer(OpKind::Multiply, s32, 65536, 65536), 0);
  EXPECT_EQ(folded_integer(OpKind::Divide, s32, -7, 2), -3);
  EXPECT_EQ(folded_integer(OpKind::Remainder, s32, -7, 2), -1);
  EXPECT_EQ(folded_integer(OpKind::Divide, s32, 7, 0), -1);
  EXPECT_EQ(folded_integer(OpKind::Remainder, s32, 7, 0), 7);
  EXPECT_EQ(folded_integer(OpKind::Divide, s32, low, -1), low);
  EXPECT_EQ(folded_integer(OpKind::Remainder, s32, low, -1), 0);
  EXPECT_EQ(folded_integer(OpKind::ShiftLeft, s32, 1, 32), 0);
  EXPECT_EQ(folded_integer(OpKind::ShiftRightArithmetic, s32, -8, 99), -1);
  EXPECT_EQ(folded_integer(OpKind::ShiftRightLogical, s32, -1, 28), 15);
  EXPECT_EQ(folded_integer(OpKind::Maximum, s32, -1, 1), 1);
  EXPECT_EQ(folded_integer(OpKind::Minimum, ElementType::U8, 255, 1), 1);
  EXPECT_EQ(folded_integer(OpKind::Subtract, ElementType::U8, 0, 1), 255);
  EXPECT_EQ(folded_integer(OpKind::Divide, ElementType::U8, 200, 3), 66);
}

TEST(Fold, FloatsKeepTheirBitsAndNanIsLeftToTheMachine) {
  TestModule test({});
  const TensorType scalar = tensor_of(ElementType::F32, {});
  const ValueId third = add_data<float>(test, scalar, {1.0F});
  const ValueId three = add_data<float>(test, scalar, {3.0F});
  const ValueId zero = add_data<float>(test, scalar, {0.0F});
  const ValueId a = test.add(OpKind::Divide, {third, three}, {}, {Type(scalar)});
  const ValueId b = test.add(OpKind::Divide, {zero, zero}, {}, {Type(scalar)});
  ASSERT_TRUE(test.finish({a, b}).ok());
  ASSERT_TRUE(simplify(test.module).ok());
  const Constant* out = returned_constant(test.module, 0);
  ASSERT_NE(out, nullptr);
  EXPECT_EQ(to_double(ElementType::F32, element_bits(*out, 0)), 1.0F / 3.0F);
  EXPECT_EQ(returned_constant(test.module, 1), nullptr);
}

TEST(Fold, MovesOfConstantsAreDoneBeforeTheProgramRuns) {
  TestModule test({});
  const ValueId data =
      add_data<int32_t>(test, tensor_of(ElementType::I32, {2, 3}), {0, 1, 2, 3, 4, 5});
  const ValueId turned = test.add(OpKind::Transpose, {data}, DimsAttributes{{1, 0}}, {i32({3, 2})});
  const ValueId cut =
      test.add(OpKind::Slice, {turned},
               SliceAttributes{.start = {1, 0}, .limit = {3, 2}, .strides = {1, 1}}, {i32({2, 2})});
  const ValueId back = test.add(OpKind::Reverse, {cut}, DimsAttributes{{0}}, {i32({2, 2})});
  ASSERT_TRUE(test.finish({back}).ok());
  ASSERT_TRUE(simplify(test.module).ok());
  expect_verifies(test.module);
  const Constant* out = returned_constant(test.module);
  ASSERT_NE(out, nullptr);
  const std::vector<int64_t> want = {2, 5, 1, 4};
  for (size_t i = 0; i < want.size(); ++i) {
    EXPECT_EQ(to_integer(ElementType::I32, element_bits(*out, static_cast<int64_t>(i))), want[i]);
  }
}

// Applies `kind` to the argument and a constant; true if it comes to the argument alone.
bool changes_nothing(OpKind kind, float number, bool number_first = false) {
  TestModule test({f32({4})});
  const ValueId c = add_data<float>(test, kF32Vector, {number});
  const ValueId x = test.argument(0);
  const ValueId y =
      test.add(kind, number_first ? std::vector{c, x} : std::vector{x, c}, {}, {f32({4})});
  EXPECT_TRUE(test.finish({y}).ok());
  EXPECT_TRUE(simplify(test.module).ok());
  expect_verifies(test.module);
  return returned_argument(test.module) == 0;
}

TEST(Simplify, OnlyTheNeutralNumberOfAFloatOperationGoes) {
  EXPECT_FALSE(changes_nothing(OpKind::Add, 0.0F));  // -0 + 0 is 0
  EXPECT_TRUE(changes_nothing(OpKind::Add, -0.0F));
  EXPECT_TRUE(changes_nothing(OpKind::Subtract, 0.0F));
  EXPECT_FALSE(changes_nothing(OpKind::Subtract, -0.0F));
  EXPECT_FALSE(changes_nothing(OpKind::Subtract, 0.0F, true));
  EXPECT_TRUE(changes_nothing(OpKind::Multiply, 1.0F));
  EXPECT_TRUE(changes_nothing(OpKind::Multiply, 1.0F, true));
  EXPECT_FALSE(changes_nothing(OpKind::Multiply, 0.0F));
  EXPECT_TRUE(changes_nothing(OpKind::Divide, 1.0F));
  EXPECT_FALSE(changes_nothing(OpKind::Divide, 1.0F, true));
}

TEST(Simplify, AConversionThereAndBackGoesOnlyWhereItIsExact) {
  for (const auto& [through, goes] :
       {std::pair{ElementType::F32, true}, {ElementType::F64, true}, {ElementType::F16, false}}) {
    TestModule test({tensor_of(ElementType::BF16, {4})});
    const ValueId a =
        test.add(OpKind::Convert, {test.argument(0)}, {}, {Type(tensor_of(through, {4}))});
    const ValueId b = test.add(OpKind::Convert, {a}, {}, {Type(tensor_of(ElementType::BF16, {4}))});
    ASSERT_TRUE(test.finish({b}).ok());
    ASSERT_TRUE(simplify(test.module).ok());
    EXPECT_EQ(returned_argument(test.module) == 0, goes);
  }
}

TEST(Simplify, ChainsOfMovesBecomeOneOrNone) {
  TestModule test({f32({2, 3, 4})});
  const ValueId a =
      test.add(OpKind::Transpose, {test.argument(0)}, DimsAttributes{{2, 0, 1}}, {f32({4, 2, 3})});
  const ValueId b = test.add(OpKind::Transpose, {a}, DimsAttributes{{1, 2, 0}}, {f32({2, 3, 4})});
  const ValueId c = test.add(OpKind::Reshape, {b}, {}, {f32({24})});
  const ValueId d = test.add(OpKind::Reshape, {c}, {}, {f32({2, 3, 4})});
  ASSERT_TRUE(test.finish({d}).ok());
  ASSERT_TRUE(simplify(test.module).ok());
  EXPECT_EQ(returned_argument(test.module), 0);
}

TEST(Simplify, ASliceOfASliceCountsFromTheFirst) {
  TestModule test({f32({20})});
  const ValueId a =
      test.add(OpKind::Slice, {test.argument(0)}, SliceAttributes{{2}, {18}, {3}}, {f32({6})});
  const ValueId b = test.add(OpKind::Slice, {a}, SliceAttributes{{1}, {6}, {2}}, {f32({3})});
  ASSERT_TRUE(test.finish({b}).ok());
  ASSERT_TRUE(simplify(test.module).ok());
  expect_verifies(test.module);
  ASSERT_EQ(count_of(test.module, OpKind::Slice), 1U);
  const auto& slice = std::get<SliceAttributes>(test.main().op(0).attributes);
  EXPECT_EQ(slice.start, Dims{5});
  EXPECT_EQ(slice.strides, Dims{6});
}

TEST(Simplify, EqualOperationsAreSharedAndUnusedOnesGo) {
  TestModule test({f32({4}), f32({4})});
  const ValueId a = test.add(OpKind::Add, {test.argument(0), test.argument(1)}, {}, {f32({4})});
  const ValueId b = test.add(OpKind::Add, {test.argument(0), test.argument(1)}, {}, {f32({4})});
  test.add(OpKind::Multiply, {a, b}, {}, {f32({4})});
  const ValueId c = test.add(OpKind::Subtract, {a, b}, {}, {f32({4})});
  ASSERT_TRUE(test.finish({c}).ok());
  ASSERT_TRUE(simplify(test.module).ok());
  expect_verifies(test.module);
  EXPECT_EQ(count_of(test.module, OpKind::Add), 1U);
  EXPECT_EQ(count_of(test.module, OpKind::Multiply), 0U);
}

TEST(Simplify, EqualReductionsAreSharedDifferentOnesAreNot) {
  TestModule test({f32({4, 8})});
  const Type scalar = f32({});
  const ValueId zero = add_data<float>(test, tensor_of(ElementType::F32, {}), {0.0F});
  std::vector<ValueId> sums;
  for (const OpKind kind : {OpKind::Add, OpKind::Add, OpKind::Maximum}) {
    sums.push_back(test.add(OpKind::Reduce, {test.argument(0), zero}, DimsAttributes{{1}},
                            {f32({4})}, {test.reducer(kind, scalar)}));
  }
  ASSERT_TRUE(test.finish(sums).ok());
  ASSERT_TRUE(simplify(test.module).ok());
  expect_verifies(test.module);
  EXPECT_EQ(count_of(test.module, OpKind::Reduce), 2U);
}

TEST(Simplify, AnOperationOfOneArmIsNotSharedWithTheOther) {
  TestModule test({i1({}), f32({4})});
  std::vector<BlockId> arms;
  for (int i = 0; i < 2; ++i) {
    const BlockId block = add_block(test.main());
    const ValueId y = test.add(OpKind::Negate, {test.argument(1)}, {}, {f32({4})}, {}, block);
    test.add(OpKind::Return, {y}, {}, {}, {}, block);
    arms.push_back(block);
  }
  const ValueId out = test.add(OpKind::If, {test.argument(0)}, {}, {f32({4})}, arms);
  ASSERT_TRUE(test.finish({out}).ok());
  ASSERT_TRUE(simplify(test.module).ok());
  expect_verifies(test.module);
  EXPECT_EQ(count_of(test.module, OpKind::Negate), 2U);
}

TEST(Simplify, ACaseOnAConstantIsItsArm) {
  for (const int32_t index : {0, 1, 7}) {
    TestModule test({f32({4}), f32({4})});
    const ValueId choice = add_data<int32_t>(test, kI32Scalar, {index});
    std::vector<BlockId> arms;
    for (size_t i = 0; i < 2; ++i) {
      const BlockId block = add_block(test.main());
      test.add(OpKind::Return, {test.argument(i)}, {}, {}, {}, block);
      arms.push_back(block);
    }
    const ValueId out = test.add(OpKind::Case, {choice}, {}, {f32({4})}, arms);
    ASSERT_TRUE(test.finish({out}).ok());
    ASSERT_TRUE(simplify(test.module).ok());
    EXPECT_EQ(returned_argument(test.module), index == 0 ? 0 : 1);
  }
}

TEST(Simplify, WhatIsDrawnFromNothingIsItsInitialValue) {
  TestModule test({f32({0, 4}), f32({4, 0}), f32({})});
  const ValueId sum =
      test.add(OpKind::Reduce, {test.argument(0), test.argument(2)}, DimsAttributes{{0}},
               {f32({4})}, {test.reducer(OpKind::Add, f32({}))});
  const ValueId dot =
      test.add(OpKind::DotGeneral, {test.argument(1), test.argument(0)},
               DotAttributes{.lhs_contracting = {1}, .rhs_contracting = {0}}, {f32({4, 4})});
  const ValueId pad = test.add(OpKind::Pad, {test.argument(0), test.argument(2)},
                               PadAttributes{{1, 0}, {2, 0}, {0, 0}}, {f32({3, 4})});
  ASSERT_TRUE(test.finish({sum, dot, pad}).ok());
  ASSERT_TRUE(simplify(test.module).ok());
  expect_verifies(test.module);
  EXPECT_EQ(testing::kinds_of(test.module),
            (std::vector{OpKind::BroadcastInDim, OpKind::Constant, OpKind::BroadcastInDim,
                         OpKind::FuncReturn}));
}

TEST(Simplify, ADynamicSliceAtAKnownPlaceIsClampedAndPlain) {
  TestModule test({f32({10})});
  const ValueId at = add_data<int32_t>(test, kI32Scalar, {8});
  const ValueId out =
      test.add(OpKind::DynamicSlice, {test.argument(0), at}, DimsAttributes{{4}}, {f32({4})});
  ASSERT_TRUE(test.finish({out}).ok());
  ASSERT_TRUE(simplify(test.module).ok());
  expect_verifies(test.module);
  ASSERT_EQ(test.main().op(0).kind, OpKind::Slice);
  EXPECT_EQ(std::get<SliceAttributes>(test.main().op(0).attributes).start, Dims{6});
}

}  // namespace
}  // namespace trainyard::compiler
