#include "compiler/passes/inline.h"

#include <gtest/gtest.h>

#include "compiler/ir/test_module_test.h"
#include "compiler/passes/rebuild.h"

namespace trainyard::compiler {
namespace {

using testing::f32;
using testing::i32;
using testing::TestModule;

// Adds `name`(x) = kind(x), which calls `inner` on the result if that is given.
void add_callee(Module& module, const std::string& name, OpKind kind, const Type& type,
                const std::string& inner = "") {
  Function function;
  function.name = name;
  function.body = add_block(function, {type});
  function.argument_attributes.resize(1);
  function.result_types = {type};
  function.result_attributes.resize(1);
  const ValueId argument = function.entry().arguments[0];
  OpId made = add_op(function, 0, {.kind = kind, .operands = {argument}}, {type});
  if (!inner.empty()) {
    made = add_op(function, 0,
                  {.kind = OpKind::Call,
                   .operands = {function.op(made).results[0]},
                   .attributes = CallAttributes{inner}},
                  {type});
  }
  add_op(function, 0, {.kind = OpKind::FuncReturn, .operands = {function.op(made).results[0]}}, {});
  module.functions.push_back(std::move(function));
}

std::vector<OpKind> kinds(const Module& module) {
  std::vector<OpKind> out;
  const Function& main = *module.main();
  for_each_op(main, main.body, [&](OpId id, BlockId) { out.push_back(main.op(id).kind); });
  return out;
}

TEST(Inline, CallsOfCallsBecomeOperationsOfMain) {
  TestModule test({f32({4})});
  add_callee(test.module, "outer", OpKind::Negate, f32({4}), "inner");
  add_callee(test.module, "inner", OpKind::Abs, f32({4}));
  const ValueId a = test.add(OpKind::Call, {test.argument(0)}, CallAttributes{"outer"}, {f32({4})});
  const ValueId b = test.add(OpKind::Call, {a}, CallAttributes{"inner"}, {f32({4})});
  ASSERT_TRUE(test.finish({b}).ok());
  ASSERT_TRUE(inline_calls(test.module).ok());
  EXPECT_TRUE(verify(test.module).ok()) << verify(test.module).str();
  EXPECT_EQ(test.module.functions.size(), 1U);
  EXPECT_EQ(kinds(test.module),
            (std::vector{OpKind::Negate, OpKind::Abs, OpKind::Abs, OpKind::FuncReturn}));
}

TEST(Inline, AnOperationWithoutALineGetsThatOfItsCall) {
  TestModule test({f32({4})});
  add_callee(test.module, "inner", OpKind::Abs, f32({4}));
  const ValueId a = test.add(OpKind::Call, {test.argument(0)}, CallAttributes{"inner"}, {f32({4})});
  ASSERT_TRUE(test.finish({a}).ok());
  ASSERT_TRUE(inline_calls(test.module).ok());
  const Op& op = test.main().op(0);
  ASSERT_EQ(op.kind, OpKind::Abs);
  EXPECT_EQ(test.module.place(op.location).str(), "model.py:7:3");
}

TEST(Inline, ACallInALoopBodyIsInlinedThere) {
  TestModule test({f32({4})});
  add_callee(test.module, "inner", OpKind::Abs, f32({4}));
  const BlockId condition = add_block(test.main(), {f32({4})});
  Constant yes{.type = tensor_of(ElementType::I1, {}), .splat = true, .bytes = {1}};
  test.module.constants.push_back(yes);
  const ValueId always =
      test.add(OpKind::Constant, {}, ConstantAttributes{0}, {testing::i1({})}, {}, condition);
  test.add(OpKind::Return, {always}, {}, {}, {}, condition);
  const BlockId body = add_block(test.main(), {f32({4})});
  const ValueId x = test.main().block(body).arguments[0];
  const ValueId y = test.add(OpKind::Call, {x}, CallAttributes{"inner"}, {f32({4})}, {}, body);
  test.add(OpKind::Return, {y}, {}, {}, {}, body);
  const ValueId out =
      test.add(OpKind::While, {test.argument(0)}, {}, {f32({4})}, {condition, body});
  ASSERT_TRUE(test.finish({out}).ok());
  ASSERT_TRUE(inline_calls(test.module).ok());
  EXPECT_TRUE(verify(test.module).ok()) << verify(test.module).str();
  EXPECT_EQ(kinds(test.module), (std::vector{OpKind::While, OpKind::Constant, OpKind::Return,
                                             OpKind::Abs, OpKind::Return, OpKind::FuncReturn}));
}

TEST(Inline, ACompositeStaysWhereItHasAKernel) {
  for (const auto& [element, stays] :
       {std::pair{ElementType::F32, true}, {ElementType::F64, false}}) {
    const Type type = tensor_of(element, {4});
    TestModule test({type});
    add_callee(test.module, "chlo.erf.impl", OpKind::Tanh, type);
    test.module.functions[1].ops[0].attributes = AccuracyAttributes{};
    const ValueId a =
        test.add(OpKind::Composite, {test.argument(0)},
                 CompositeAttributes{.name = "chlo.erf", .decomposition = "chlo.erf.impl"}, {type});
    ASSERT_TRUE(test.finish({a}).ok());
    ASSERT_TRUE(inline_calls(test.module).ok());
    EXPECT_TRUE(verify(test.module).ok()) << verify(test.module).str();
    EXPECT_EQ(test.module.main()->op(0).kind, stays ? OpKind::Composite : OpKind::Tanh);
    EXPECT_EQ(test.module.functions.size(), stays ? 2U : 1U);
  }
}

TEST(Inline, WhatSaysOnlyWhereAValueLivesIsItsOperand) {
  TestModule test({f32({4})});
  ValueId x = test.argument(0);
  for (const char* target : {"Sharding", "annotate_device_placement", "LayoutConstraint"}) {
    x = test.add(OpKind::CustomCall, {x}, CustomCallAttributes{.target = target}, {f32({4})});
  }
  ASSERT_TRUE(test.finish({x}).ok());
  ASSERT_TRUE(inline_calls(test.module).ok());
  EXPECT_EQ(kinds(test.module), std::vector{OpKind::FuncReturn});
  EXPECT_EQ(test.main().op(0).operands[0], test.argument(0));
}

TEST(Inline, AProgramOfSeveralDevicesIsRefused) {
  TestModule test({f32({4})});
  ASSERT_TRUE(test.finish({test.argument(0)}).ok());
  EXPECT_TRUE(check_single_device(test.module).ok());
  test.module.meshes.push_back({.name = "mesh", .axes = {{"x", 1}}});
  EXPECT_TRUE(check_single_device(test.module).ok());
  test.module.meshes.push_back({.name = "wide", .axes = {{"x", 2}}});
  EXPECT_EQ(check_single_device(test.module).code(), "TY-SHLO-046");
  test.module.meshes.clear();
  test.module.attributes.push_back(
      {"mhlo.num_partitions", {IntegerAttribute{.value = 8, .type = ElementType::I32}}});
  EXPECT_EQ(check_single_device(test.module).code(), "TY-SHLO-046");
}

}  // namespace
}  // namespace trainyard::compiler
