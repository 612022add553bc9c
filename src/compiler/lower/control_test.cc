// Loops and branches from the graph to numbers on the simulated core.
#include "compiler/ir/test_module_test.h"
#include "compiler/lower/run_module_test.h"
#include "compiler/passes/notes.h"

namespace trainyard::compiler {
namespace {

using testing::bytes_of;
using testing::f32;
using testing::i1;
using testing::i32;
using testing::lower_and_run;
using testing::TestModule;
using testing::values_of;

using Floats = std::vector<float>;

// A while whose body hands on the arguments `next` names, with `trips` noted unless negative. The
// condition is the last argument.
std::vector<ValueId> add_while(TestModule& test, const std::vector<ValueId>& operands,
                               const std::vector<size_t>& next, int64_t trips) {
  std::vector<Type> types;
  for (const ValueId v : operands) types.push_back(test.main().type(v));
  const BlockId condition = add_block(test.main(), types);
  const auto seen = test.main().block(condition).arguments;
  test.add(OpKind::Return, {seen.back()}, {}, {}, {}, condition);
  const BlockId body = add_block(test.main(), types);
  const auto state = test.main().block(body).arguments;
  std::vector<ValueId> results;
  for (const size_t k : next) results.push_back(state[k]);
  test.add(OpKind::Return, results, {}, {}, {}, body);
  const ValueId first = test.add(OpKind::While, operands, {}, types, {condition, body});
  Op& op = test.main().op(test.main().value(first).op);
  if (trips >= 0) set_note(op, kTripsNote, trips);
  return op.results;
}

TEST(Control, ACountedLoopSwapsItsStates) {
  for (const int64_t trips : {0, 1, 2, 7}) {
    TestModule test({f32({3}), f32({3}), i1({})});
    const auto out =
        add_while(test, {test.argument(0), test.argument(1), test.argument(2)}, {1, 0, 2}, trips);
    ASSERT_TRUE(test.finish({out[0], out[1]}).ok());
    const Floats a = {1, 2, 3};
    const Floats b = {4, 5, 6};
    const auto results =
        lower_and_run(test.module, {bytes_of(a), bytes_of(b), std::vector<uint8_t>{1}});
    ASSERT_EQ(results.size(), 2U);
    EXPECT_EQ(values_of<float>(results[0]), trips % 2 == 0 ? a : b) << trips;
    EXPECT_EQ(values_of<float>(results[1]), trips % 2 == 0 ? b : a) << trips;
  }
}

TEST(Control, ALoopRunsUntilItsConditionIsFalse) {
  // The states rotate: true, true, false come to the condition one after the other.
  TestModule test({f32({2}), f32({2}), i1({}), i1({}), i1({})});
  std::vector<ValueId> operands;
  for (size_t i = 0; i < 5; ++i) operands.push_back(test.argument(i));
  const auto out = add_while(test, operands, {1, 0, 2, 2, 3}, -1);
  ASSERT_TRUE(test.finish({out[0], out[1], out[4]}).ok());
  const Floats a = {1, 2};
  const Floats b = {3, 4};
  const std::vector<uint8_t> no = {0};
  const std::vector<uint8_t> yes = {1};
  for (const auto& [second, third, swapped] :
       {std::tuple{no, no, false}, std::tuple{no, yes, true}, std::tuple{yes, yes, false}}) {
    const auto results = lower_and_run(test.module, {bytes_of(a), bytes_of(b), no, second, third});
    ASSERT_EQ(results.size(), 3U);
    EXPECT_EQ(values_of<float>(results[0]), swapped ? b : a);
    EXPECT_EQ(values_of<float>(results[1]), swapped ? a : b);
    EXPECT_EQ(results[2], no);
  }
}

BlockId returning(TestModule& test, ValueId value) {
  const BlockId block = add_block(test.main());
  test.add(OpKind::Return, {value}, {}, {}, {}, block);
  return block;
}

TEST(Control, ACaseTakesTheLastArmForAnIndexOutOfRange) {
  TestModule test({i32({}), f32({2}), f32({2}), f32({2})});
  const std::vector<BlockId> arms = {returning(test, test.argument(1)),
                                     returning(test, test.argument(2)),
                                     returning(test, test.argument(3))};
  const ValueId out = test.add(OpKind::Case, {test.argument(0)}, {}, {f32({2})}, arms);
  ASSERT_TRUE(test.finish({out}).ok());
  const std::vector<Floats> choices = {{1, 2}, {3, 4}, {5, 6}};
  for (const int32_t index : {0, 1, 2, 3, 100, -1}) {
    const auto results =
        lower_and_run(test.module, {bytes_of(std::vector<int32_t>{index}), bytes_of(choices[0]),
                                    bytes_of(choices[1]), bytes_of(choices[2])});
    ASSERT_EQ(results.size(), 1U);
    EXPECT_EQ(values_of<float>(results[0]),
              choices[index < 0 || index > 2 ? 2 : static_cast<size_t>(index)])
        << index;
  }
}

TEST(Control, AnIfTakesItsFirstArmWhenTrue) {
  TestModule test({i1({}), f32({2}), f32({2})});
  const std::vector<BlockId> arms = {returning(test, test.argument(1)),
                                     returning(test, test.argument(2))};
  const ValueId out = test.add(OpKind::If, {test.argument(0)}, {}, {f32({2})}, arms);
  ASSERT_TRUE(test.finish({out}).ok());
  const Floats yes = {1, 2};
  const Floats no = {3, 4};
  for (const uint8_t taken : {0, 1}) {
    const auto results =
        lower_and_run(test.module, {std::vector<uint8_t>{taken}, bytes_of(yes), bytes_of(no)});
    ASSERT_EQ(results.size(), 1U);
    EXPECT_EQ(values_of<float>(results[0]), taken == 1 ? yes : no);
  }
}

TEST(Control, TwoRegistersServeManyBranches) {
  TestModule test({i32({}), f32({1}), f32({1})});
  std::vector<ValueId> results;
  for (int i = 0; i < 100; ++i) {
    results.push_back(
        test.add(OpKind::Case, {test.argument(0)}, {}, {f32({1})},
                 {returning(test, test.argument(1)), returning(test, test.argument(2))}));
  }
  ASSERT_TRUE(test.finish(results).ok());
  const auto out = lower_and_run(
      test.module, {bytes_of(std::vector<int32_t>{1}), bytes_of(Floats{1}), bytes_of(Floats{2})});
  ASSERT_EQ(out.size(), 100U);
  for (const auto& o : out) EXPECT_EQ(values_of<float>(o), Floats{2});
}

TEST(Control, AProductInALoopIsWrittenIntoTheStateAfterItsLastUse) {
  // x = a . x three times: the state is read by the product itself, so it needs a copy, once.
  TestModule test({f32({4, 4}), f32({4, 4}), i1({})});
  const std::vector<Type> types = {f32({4, 4})};
  const BlockId condition = add_block(test.main(), types);
  test.add(OpKind::Return, {test.argument(2)}, {}, {}, {}, condition);
  const BlockId body = add_block(test.main(), types);
  const ValueId x = test.main().block(body).arguments[0];
  const DotAttributes dims{.lhs_contracting = {1}, .rhs_contracting = {0}};
  const ValueId y =
      test.add(OpKind::DotGeneral, {test.argument(0), x}, dims, {f32({4, 4})}, {}, body);
  test.add(OpKind::Return, {y}, {}, {}, {}, body);
  const ValueId out = test.add(OpKind::While, {test.argument(1)}, {}, types, {condition, body});
  set_note(test.main().op(test.main().value(out).op), kTripsNote, 3);
  ASSERT_TRUE(test.finish({out}).ok());
  Floats shift(16, 0);  // moves rows up by one, cyclic
  for (size_t i = 0; i < 4; ++i) shift[i * 4 + (i + 1) % 4] = 1;
  Floats start(16);
  for (size_t i = 0; i < 16; ++i) start[i] = static_cast<float>(i);
  Floats want(16);
  for (size_t i = 0; i < 16; ++i) want[i] = static_cast<float>((i + 12) % 16);
  const auto results =
      lower_and_run(test.module, {bytes_of(shift), bytes_of(start), std::vector<uint8_t>{1}});
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(values_of<float>(results[0]), want);
}

}  // namespace
}  // namespace trainyard::compiler
