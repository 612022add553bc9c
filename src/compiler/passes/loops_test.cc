#include "compiler/passes/loops.h"

#include "compiler/passes/emit.h"
#include "compiler/passes/notes.h"
#include "compiler/passes/pass_module_test.h"
#include "compiler/passes/simplify.h"

namespace trainyard::compiler {
namespace {

using testing::add_data;
using testing::count_of;
using testing::expect_verifies;
using testing::f32;
using testing::i1;
using testing::i32;
using testing::TestModule;

const TensorType kCounter = tensor_of(ElementType::I32, {});

// while i < limit: (i, x, w) = (i + step, x * tanh(w), w), the second of which is returned.
struct Counted {
  int32_t start = 0;
  int32_t limit = 10;
  int32_t step = 1;
  Direction direction = Direction::Lt;
  bool limit_in_state = false;
};

Module counted_loop(const Counted& how) {
  TestModule test({f32({4}), f32({4})});
  const ValueId start = add_data<int32_t>(test, kCounter, {how.start});
  const ValueId limit = add_data<int32_t>(test, kCounter, {how.limit});
  const std::vector<Type> types = {i32({}), f32({4}), f32({4}), i32({})};
  const BlockId condition = add_block(test.main(), types);
  const auto seen = test.main().block(condition).arguments;
  const ValueId goes =
      test.add(OpKind::Compare, {seen[0], how.limit_in_state ? seen[3] : limit},
               CompareAttributes{.direction = how.direction}, {i1({})}, {}, condition);
  test.add(OpKind::Return, {goes}, {}, {}, {}, condition);
  const BlockId body = add_block(test.main(), types);
  const auto state = test.main().block(body).arguments;
  const ValueId step = add_data<int32_t>(test, kCounter, {how.step}, body);
  const ValueId next = test.add(OpKind::Add, {state[0], step}, {}, {i32({})}, {}, body);
  const ValueId same =
      test.add(OpKind::Tanh, {state[2]}, AccuracyAttributes{}, {f32({4})}, {}, body);
  const ValueId x = test.add(OpKind::Multiply, {state[1], same}, {}, {f32({4})}, {}, body);
  test.add(OpKind::Return, {next, x, state[2], state[3]}, {}, {}, {}, body);
  const ValueId first = test.add(OpKind::While, {start, test.argument(0), test.argument(1), limit},
                                 {}, types, {condition, body});
  const ValueId out = test.main().op(test.main().value(first).op).results[1];
  EXPECT_TRUE(test.finish({out}).ok());
  return std::move(test.module);
}

std::optional<int64_t> trips(const Counted& how) {
  Module module = counted_loop(how);
  EXPECT_TRUE(improve_loops(module).ok());
  expect_verifies(module);
  for (const Op& op : module.main()->ops) {
    if (op.kind == OpKind::While) return trip_count(op);
  }
  return -1;  // gone
}

TEST(Loops, CountedLoopsKnowTheirTrips) {
  EXPECT_EQ(trips({}), 10);
  EXPECT_EQ(trips({.limit_in_state = true}), 10);
  EXPECT_EQ(trips({.start = 3, .limit = 10, .step = 4}), 2);
  EXPECT_EQ(trips({.start = 0, .limit = 10, .direction = Direction::Le}), 11);
  EXPECT_EQ(trips({.start = 9, .limit = 0, .step = -2, .direction = Direction::Ge}), 5);
  EXPECT_EQ(trips({.start = 0, .limit = 12, .step = 3, .direction = Direction::Ne}), 4);
}

TEST(Loops, AnEndlessOrWrappingCountIsNotCounted) {
  EXPECT_EQ(trips({.step = 0}), std::nullopt);
  EXPECT_EQ(trips({.start = 0, .limit = 10, .step = 3, .direction = Direction::Ne}), std::nullopt);
  EXPECT_EQ(trips({.start = 0, .limit = 2147483647, .step = 2}), std::nullopt);
  EXPECT_EQ(trips({.step = -1}), std::nullopt);
}

TEST(Loops, ALoopThatRunsOnceOrNeverIsGone) {
  for (const int32_t limit : {0, 1}) {
    Module module = counted_loop({.limit = limit});
    ASSERT_TRUE(improve_loops(module).ok());
    expect_verifies(module);
    EXPECT_EQ(count_of(module, OpKind::While), 0U);
    EXPECT_EQ(count_of(module, OpKind::Multiply), limit == 0 ? 0U : 1U);
  }
}

TEST(Loops, StateThatStaysTheSameIsReadFromOutside) {
  Module module = counted_loop({.limit_in_state = true});
  ASSERT_TRUE(improve_loops(module).ok());
  for (const Op& op : module.main()->ops) {
    if (op.kind == OpKind::While) {
      EXPECT_EQ(op.operands.size(), 2U);  // the counter and x
    }
  }
}

TEST(Loops, WorkThatIsTheSameEachTimeStandsBeforeTheLoop) {
  Module module = counted_loop({});
  ASSERT_TRUE(improve_loops(module).ok());
  const Function& main = *module.main();
  bool before = false;
  for (const OpId id : main.entry().ops) {
    before = before || main.op(id).kind == OpKind::Tanh;
    if (main.op(id).kind == OpKind::While) {
      EXPECT_TRUE(before);
    }
  }
  EXPECT_EQ(count_of(module, OpKind::Tanh), 1U);
}

TEST(Loops, StateThatNobodyReadsIsNotCarried) {
  TestModule test({f32({4}), f32({4}), i1({})});
  const std::vector<Type> types = {f32({4}), f32({4}), i1({})};
  const BlockId condition = add_block(test.main(), types);
  test.add(OpKind::Return, {test.main().block(condition).arguments[2]}, {}, {}, {}, condition);
  const BlockId body = add_block(test.main(), types);
  const auto s = test.main().block(body).arguments;
  const ValueId a = test.add(OpKind::Negate, {s[0]}, {}, {f32({4})}, {}, body);
  const ValueId b = test.add(OpKind::Add, {s[1], s[0]}, {}, {f32({4})}, {}, body);
  const ValueId c = test.add(OpKind::Not, {s[2]}, {}, {i1({})}, {}, body);
  test.add(OpKind::Return, {a, b, c}, {}, {}, {}, body);
  const ValueId out =
      test.add(OpKind::While, {test.argument(0), test.argument(1), test.argument(2)}, {}, types,
               {condition, body});
  ASSERT_TRUE(test.finish({out}).ok());
  ASSERT_TRUE(improve_loops(test.module).ok());
  expect_verifies(test.module);
  EXPECT_EQ(count_of(test.module, OpKind::Add), 0U);
  EXPECT_EQ(count_of(test.module, OpKind::Negate), 1U);
}

// An update of an argument of the loop body; `read_after` reads the old state afterwards.
bool updates_in_place(bool read_after) {
  TestModule test({f32({8}), f32({1}), i32({}), i1({})});
  const std::vector<Type> types = {f32({8}), f32({8})};
  const BlockId condition = add_block(test.main(), types);
  test.add(OpKind::Return, {test.argument(3)}, {}, {}, {}, condition);
  const BlockId body = add_block(test.main(), types);
  const auto s = test.main().block(body).arguments;
  const ValueId a = test.add(OpKind::DynamicUpdateSlice, {s[0], test.argument(1), test.argument(2)},
                             {}, {f32({8})}, {}, body);
  const ValueId b = test.add(OpKind::Negate, {read_after ? s[0] : s[1]}, {}, {f32({8})}, {}, body);
  test.add(OpKind::Return, {a, b}, {}, {}, {}, body);
  const ValueId out =
      test.add(OpKind::While, {test.argument(0), test.argument(0)}, {}, types, {condition, body});
  EXPECT_TRUE(test.finish({out}).ok());
  EXPECT_TRUE(mark_in_place(test.module).ok());
  for (const Op& op : test.main().ops) {
    if (op.kind == OpKind::DynamicUpdateSlice) return note(op, kInPlaceNote).has_value();
  }
  return false;
}

TEST(InPlace, AnUpdateOverwritesAStateThatNobodyReadsAnyMore) {
  EXPECT_TRUE(updates_in_place(false));
  EXPECT_FALSE(updates_in_place(true));
}

TEST(InPlace, AParameterIsNeverOverwritten) {
  TestModule test({f32({8}), f32({1}), i32({})});
  const ValueId a =
      test.add(OpKind::DynamicUpdateSlice, {test.argument(0), test.argument(1), test.argument(2)},
               {}, {f32({8})});
  ASSERT_TRUE(test.finish({a}).ok());
  ASSERT_TRUE(mark_in_place(test.module).ok());
  EXPECT_FALSE(note(test.main().op(0), kInPlaceNote).has_value());
}

TEST(Cumulative, AFullWindowWithPaddingOnOneSideIsARunningSum) {
  for (const auto& [low, high, dim, reverse] : {std::tuple{Dims{0, 7}, Dims{0, 0}, 1, 0},
                                                {Dims{0, 0}, Dims{0, 7}, 1, 1},
                                                {Dims{0, 6}, Dims{0, 1}, -1, 0}}) {
    TestModule test({f32({3, 8}), f32({})});
    const ValueId out = test.add(OpKind::ReduceWindow, {test.argument(0), test.argument(1)},
                                 WindowAttributes{.dimensions = {1, 8},
                                                  .strides = {1, 1},
                                                  .base_dilations = {1, 1},
                                                  .window_dilations = {1, 1},
                                                  .padding_low = low,
                                                  .padding_high = high},
                                 {f32({3, 8})}, {test.reducer(OpKind::Add, f32({}))});
    ASSERT_TRUE(test.finish({out}).ok());
    ASSERT_TRUE(mark_cumulative(test.module).ok());
    const OpId id = test.main().value(out).op;
    EXPECT_EQ(note(test.main().op(id), kCumulativeNote).value_or(-1), dim);
    if (dim >= 0) {
      EXPECT_EQ(note(test.main().op(id), kReverseNote), reverse);
    }
  }
}

}  // namespace
}  // namespace trainyard::compiler
