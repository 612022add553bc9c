#include "compiler/ir/verify.h"

#include <gtest/gtest.h>

#include "compiler/ir/print.h"
#include "compiler/ir/supported.h"
#include "compiler/ir/test_module_test.h"

namespace trainyard::compiler {
namespace {

using testing::f32;
using testing::i1;
using testing::i32;
using testing::TestModule;

TEST(Verify, AnErrorNamesTheOperationTheUsersLineAndTheTypes) {
  TestModule test({f32({2}), f32({3})});
  const Status status =
      test.finish({test.add(OpKind::Add, {test.argument(0), test.argument(1)}, {}, {f32({2})})});
  EXPECT_EQ(status.place().str(), "model.py:7:3");
  for (const char* part : {"stablehlo.add", "tensor<2xf32>", "tensor<3xf32>", "@main", "jit(f)/op",
                           "lower the program again"}) {
    EXPECT_NE(status.message().find(part), std::string::npos) << part;
  }
}

TEST(Verify, AValueIsSeenOnlyAfterItsDefinition) {
  TestModule test({f32({2})});
  const ValueId first = test.add(OpKind::Negate, {test.argument(0)}, {}, {f32({2})});
  const ValueId second = test.add(OpKind::Negate, {first}, {}, {f32({2})});
  test.main().ops[0].operands = {second};
  EXPECT_EQ(test.finish({second}).code(), "TY-SHLO-027");
}

TEST(Verify, AValueOfARegionIsNotSeenOutside) {
  TestModule test({f32({4}), f32({})});
  const BlockId add = test.reducer(OpKind::Add, f32({}));
  test.add(OpKind::Reduce, {test.argument(0), test.argument(1)}, DimsAttributes{{0}}, {f32({})},
           {add});
  const ValueId inside = test.main().block(add).arguments[0];
  EXPECT_EQ(test.finish({inside}).code(), "TY-SHLO-027");
}

TEST(Verify, ABlockEndsWithItsTerminator) {
  TestModule test({f32({2})});
  test.add(OpKind::Return, {test.argument(0)}, {}, {});
  EXPECT_EQ(test.finish({test.argument(0)}).code(), "TY-SHLO-027");
}

TEST(Verify, AFunctionReturnsWhatItDeclares) {
  TestModule test({f32({2}), f32({3})});
  ASSERT_TRUE(test.finish({test.argument(0)}).ok());
  test.main().result_types = {f32({3})};
  EXPECT_EQ(verify(test.module).code(), "TY-SHLO-024");
}

// while (cond(x)) x = body(x), where the body returns `body_result`.
Status check_while(const Type& state, const Type& body_result) {
  TestModule test({state, body_result});
  const BlockId cond = add_block(test.main(), {state});
  const auto take = [&](BlockId block) { return test.main().block(block).arguments[0]; };
  const ValueId less =
      test.add(OpKind::Compare, {take(cond), take(cond)}, CompareAttributes{}, {i1({})}, {}, cond);
  test.add(OpKind::Return, {less}, {}, {}, {}, cond);
  const BlockId body = add_block(test.main(), {state});
  test.add(OpKind::Return, {test.argument(1)}, {}, {}, {}, body);
  return test.finish({test.add(OpKind::While, {test.argument(0)}, {}, {state}, {cond, body})});
}

TEST(Verify, ALoopKeepsTheTypesOfItsState) {
  EXPECT_TRUE(check_while(i32({}), i32({})).ok());
  EXPECT_EQ(check_while(i32({}), f32({})).code(), "TY-SHLO-025");
}

TEST(Verify, ACallMatchesItsFunction) {
  TestModule test({f32({2})});
  Function callee = test.main();
  callee.name = "negate";
  callee.result_types = {f32({2})};
  callee.result_attributes.resize(1);
  Op ret;
  ret.kind = OpKind::FuncReturn;
  ret.operands = {callee.entry().arguments[0]};
  add_op(callee, callee.body, ret, {});
  test.module.functions.push_back(callee);
  const ValueId out =
      test.add(OpKind::Call, {test.argument(0)}, CallAttributes{"negate"}, {f32({2})});
  EXPECT_TRUE(test.finish({out}).ok());
  std::get<CallAttributes>(test.main().ops[0].attributes).callee = "nobody";
  EXPECT_EQ(verify(test.module).code(), "TY-SHLO-026");
  std::get<CallAttributes>(test.main().ops[0].attributes).callee = "main";
  const Status recursion = verify(test.module);
  EXPECT_EQ(recursion.code(), "TY-SHLO-026");
  EXPECT_NE(recursion.message().find("cycle"), std::string::npos);
}

TEST(Verify, AModuleHasOneMain) {
  TestModule test({f32({2})});
  ASSERT_TRUE(test.finish({test.argument(0)}).ok());
  test.module.functions.push_back(test.main());
  EXPECT_EQ(verify(test.module).code(), "TY-SHLO-026");
  test.module.functions.clear();
  EXPECT_EQ(verify(test.module).code(), "TY-SHLO-026");
}

TensorSharding sharded_by(std::string axis) {
  TensorSharding out;
  out.mesh_name = "mesh";
  out.dims = {{.axes = {{.name = std::move(axis), .sub = {}}}, .closed = true, .priority = {}}};
  return out;
}

Status check_constraint(const TensorSharding& sharding) {
  TestModule test({f32({8})});
  test.module.meshes = {{.name = "mesh", .axes = {{"x", 2}, {"y", 4}}, .device_ids = {}}};
  return test.finish({test.add(OpKind::SdyShardingConstraint, {test.argument(0)},
                               ShardingAttributes{sharding}, {f32({8})})});
}

TEST(Verify, AShardingNamesAxesOfItsMesh) {
  EXPECT_TRUE(check_constraint(sharded_by("x")).ok());
  EXPECT_EQ(check_constraint(sharded_by("z")).code(), "TY-SHLO-028");
  TensorSharding twice = sharded_by("x");
  twice.replicated = twice.dims[0].axes;
  EXPECT_EQ(check_constraint(twice).code(), "TY-SHLO-028");
  TensorSharding long_one = sharded_by("x");
  long_one.dims.push_back({});
  EXPECT_EQ(check_constraint(long_one).code(), "TY-SHLO-028");
  TensorSharding elsewhere = sharded_by("x");
  elsewhere.mesh_name = "other";
  EXPECT_EQ(check_constraint(elsewhere).code(), "TY-SHLO-028");
}

TEST(Verify, AManualComputationSeesLocalShapes) {
  for (const int64_t local : {4, 8}) {
    TestModule test({f32({8})});
    test.module.meshes = {{.name = "mesh", .axes = {{"x", 2}}, .device_ids = {}}};
    const BlockId body = add_block(test.main(), {f32({local})});
    test.add(OpKind::SdyReturn, {test.main().block(body).arguments[0]}, {}, {}, {}, body);
    const ManualComputationAttributes a{{sharded_by("x")}, {sharded_by("x")}, {"x"}};
    const Status status = test.finish(
        {test.add(OpKind::SdyManualComputation, {test.argument(0)}, a, {f32({8})}, {body})});
    EXPECT_EQ(status.code(), local == 4 ? "" : "TY-SHLO-028");
  }
}

TEST(Supported, WhatIsRefusedHasAReasonAndAWayOut) {
  for (const RefusedOp& row : refused_ops()) {
    EXPECT_FALSE(row.why.empty()) << name(row.kind);
    EXPECT_FALSE(row.remedy.empty()) << name(row.kind);
    EXPECT_TRUE(row.code.starts_with("TY-SHLO-04")) << name(row.kind);
  }
}

TEST(Supported, ADynamicShapeIsRefusedWithTheUsersLine) {
  TestModule test({f32({2})});
  const ValueId out = test.add(OpKind::Negate, {test.argument(0)}, {}, {f32({kDynamic})});
  ASSERT_TRUE(test.finish({out}).ok());
  const Status status = check_supported(test.module);
  EXPECT_EQ(status.code(), "TY-SHLO-040");
  EXPECT_EQ(status.place().str(), "model.py:7:3");
}

TEST(Supported, AnUnknownCustomCallNamesItsTarget) {
  TestModule test({f32({2})});
  CustomCallAttributes call;
  call.target = "Qr";
  const ValueId out = test.add(OpKind::CustomCall, {test.argument(0)}, call, {f32({2})});
  ASSERT_TRUE(test.finish({out}).ok());
  const Status status = check_supported(test.module);
  EXPECT_EQ(status.code(), "TY-SHLO-043");
  EXPECT_NE(status.message().find("\"Qr\""), std::string::npos);
  std::get<CustomCallAttributes>(test.main().ops[0].attributes).target = "Sharding";
  EXPECT_TRUE(check_supported(test.module).ok());
}

TEST(Supported, ALineIsBorrowedFromTheCallerWhenTheCalleeHasNone) {
  TestModule test({f32({2})});
  Function callee = test.main();
  callee.name = "inner";
  EXPECT_FALSE(user_place(test.module, callee, 0).known());
  test.module.functions.push_back(callee);
  test.add(OpKind::Call, {test.argument(0)}, CallAttributes{"inner"}, {f32({2})});
  EXPECT_EQ(user_place(test.module, test.module.functions[1], 0).line, 7);
}

TEST(Graph, ACustomCallSaysItselfWhetherItHasAnEffect) {
  CustomCallAttributes call;
  Op op;
  op.kind = OpKind::CustomCall;
  op.attributes = call;
  EXPECT_FALSE(has_side_effect(op));
  call.has_side_effect = true;
  op.attributes = call;
  EXPECT_TRUE(has_side_effect(op));
}

TEST(Print, ValuesAreNumberedInTheOrderOfTheText) {
  TestModule test({f32({4}), f32({})});
  const BlockId add = test.reducer(OpKind::Add, f32({}));
  const ValueId sum = test.add(OpKind::Reduce, {test.argument(0), test.argument(1)},
                               DimsAttributes{{0}}, {f32({})}, {add});
  ASSERT_TRUE(test.finish({sum}).ok());
  EXPECT_EQ(print(test.module, test.main()),
            "  func.func public @main(%0: tensor<4xf32>, %1: tensor<f32>) -> (tensor<f32>) {\n"
            "    %2 = stablehlo.reduce %0, %1, dims = [0] : (tensor<4xf32>, tensor<f32>) -> "
            "tensor<f32> { (%3: tensor<f32>, %4: tensor<f32>)\n"
            "      %5 = stablehlo.add %3, %4 : tensor<f32>\n"
            "      stablehlo.return %5 : tensor<f32>\n"
            "    }\n"
            "    func.return %2 : tensor<f32>\n"
            "  }\n");
}

}  // namespace
}  // namespace trainyard::compiler
