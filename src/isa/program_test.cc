#include "isa/program.h"

#include <gtest/gtest.h>

#include "isa/small_body.h"

#include <limits>

#include "isa/builder.h"
#include "isa/normalize.h"
#include "isa/operands.h"
#include "isa/structure.h"
#include "isa/testing/random_program.h"

namespace trainyard::isa {
namespace {

Program sample() { return testing::random_program(11, {.placement = true}); }

TEST(SameProgram, SourceLinesDoNotMatter) {
  Program p = sample(), q = p;
  q.files = {"elsewhere.tya"};
  q.insts[0].source.line = 77;
  q.tensors[0].source.line = 78;
  EXPECT_TRUE(same_program(p, q));
}

TEST(SameProgram, EverythingElseMatters) {
  const Program p = sample();
  const std::vector<void (*)(Program&)> changes = {
      [](Program& q) { q.name += "x"; },
      [](Program& q) { q.target = "trn1"; },
      [](Program& q) { q.registers[0] += "x"; },
      [](Program& q) { q.semaphores[0] += "x"; },
      [](Program& q) { q.tensors[0].name += "x"; },
      [](Program& q) { q.tensors[0].shape[0] += 1; },
      [](Program& q) { q.tensors[0].io = Io::InOut; },
      [](Program& q) { q.insts[0].label += "x"; },
      [](Program& q) { q.insts[0].engine = Engine::Sync; },
      [](Program& q) { q.insts[0].op = CoreBarrier{}; },
      [](Program& q) { q.loops[0].name += "x"; },
      [](Program& q) { q.loops[0].count += 1; },
      [](Program& q) { q.body.pop_back(); },
      [](Program& q) { q.placement.complete = !q.placement.complete; },
      [](Program& q) { q.placement.tensors[0].slots += 1; },
      [](Program& q) { q.placement.insts[0].queue += 1; },
      [](Program& q) { q.placement.insts[0].after.push_back({.producer = 1}); },
  };
  ASSERT_EQ(p.loops[0].kind, Loop::Kind::Repeat);
  for (size_t i = 0; i < changes.size(); ++i) {
    Program q = p;
    changes[i](q);
    EXPECT_FALSE(same_program(p, q)) << "change " << i;
  }
}

TEST(SameProgram, FloatsCompareByTheirBits) {
  const auto filled = [](float value) {
    ProgramBuilder b("p");
    const TensorId t = b.sbuf("t", Dtype::F32, {128, 1});
    b.emit(Memset{.dst = b.all(t), .value = value});
    return b.finish();
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(same_program(filled(nan), filled(-nan)));
  EXPECT_FALSE(same_program(filled(0.0f), filled(-0.0f)));
}

TEST(SameProgram, APlacementWithoutEntriesIsAnEmptyOne) {
  Program p = testing::random_program(5), q = p;
  q.placement = {};
  EXPECT_TRUE(same_program(p, q));
}

TEST(Normalized, IdsCountUpInBodyOrderAndTheRestIsDropped) {
  Program p = sample();
  p.insts.push_back({.label = "unreachable", .op = Nop{}, .engine = {}, .source = {}});
  p.placement.insts.emplace_back();
  const Program q = normalized(p);
  EXPECT_EQ(q.insts.size(), p.insts.size() - 1);
  const Structure structure(q);
  for (size_t i = 0; i < q.insts.size(); ++i) {
    EXPECT_EQ(structure.order(static_cast<InstId>(i)), static_cast<int>(i));
  }
  EXPECT_TRUE(same_program(p, q));
}

TEST(HiddenState, OnlyAnActivationThatSumsTouchesTheReduceRegisters) {
  const auto state = [](ReduceCmd cmd, bool reads_out) {
    Activation a;
    a.reduce_cmd = cmd;
    if (reads_out) a.reduce_res = Access{};
    const HiddenState s = hidden_state(a);
    return std::pair(s.act_reduce_read, s.act_reduce_write);
  };
  EXPECT_EQ(state(ReduceCmd::Idle, false), std::pair(false, false));
  EXPECT_EQ(state(ReduceCmd::Idle, true), std::pair(true, false));
  EXPECT_EQ(state(ReduceCmd::Reset, false), std::pair(false, true));
  EXPECT_EQ(state(ReduceCmd::ResetReduce, true), std::pair(false, true));
  EXPECT_EQ(state(ReduceCmd::Reduce, false), std::pair(true, true));
  EXPECT_FALSE(hidden_state(TensorCopy{}).act_reduce_write);
}

TEST(Builder, BlocksNestAndNamesStayUnique) {
  ProgramBuilder b("p");
  const RegisterId r = b.reg("n");
  const Affine i = b.repeat("i", 4);
  const TensorId t = b.sbuf("t", Dtype::F32, {128, 8});
  b.emit(Memset{.dst = b.at(t, {all(), index(i)})}, "fill");
  b.end();
  b.repeat("i", 2);
  b.sbuf("t", Dtype::F32, {128, 8});
  b.emit(Nop{}, "fill");
  b.branch("", r, true);
  b.emit(Nop{});
  b.otherwise();
  b.emit(Nop{});
  b.end();
  b.end();
  const Program p = b.finish();
  EXPECT_EQ(p.loops[1].name, "i_1");
  EXPECT_EQ(p.tensors[1].name, "t_1");
  EXPECT_EQ(p.insts[1].label, "fill_1");
  EXPECT_EQ(p.insts[3].label, "nop_1");
  EXPECT_EQ(p.body.size(), 2u);
  EXPECT_EQ(p.loops[1].body.size(), 3u);
  EXPECT_EQ(p.branches[0].else_block.size(), 1u);
  EXPECT_EQ(std::get<Memset>(p.insts[0].op).dst.offset, i);
}

TEST(BuilderDeathTest, AnUnclosedBlockStopsTheProgram) {
  ProgramBuilder b("p");
  b.repeat("i", 4);
  EXPECT_DEATH(b.finish(), "open_.size");
}

TEST(Structure, TriangularLoopsAreCountedExactlyWhileTheyAreShort) {
  SmallBody b;
  const Affine i = b.repeat(1000);
  b.repeat(i);
  b.add(Nop{});
  const Amount amount = Structure(b.program).amount(b.program);
  EXPECT_EQ(amount.instructions, 999 * 1000 / 2);
  EXPECT_EQ(amount.turns, 1000 + 999 * 1000 / 2);
}

TEST(Structure, AbsurdTriangularLoopsAreCountedFromAboveAndAtOnce) {
  SmallBody b;
  const Affine i = b.repeat(int64_t{1} << 30);
  const Affine j = b.repeat(i);
  b.repeat(j - i);  // never runs
  b.add(Nop{});
  const Amount amount = Structure(b.program).amount(b.program);
  EXPECT_GE(amount.turns, (int64_t{1} << 59) - (int64_t{1} << 29));
}

TEST(Structure, FortyNestedRepeatsOfTwoExecuteTwoToTheForty) {
  SmallBody b;
  for (int n = 0; n < 40; ++n) b.repeat(2);
  b.add(Nop{});
  EXPECT_EQ(Structure(b.program).amount(b.program).instructions, int64_t{1} << 40);
  EXPECT_EQ(Structure(b.program).executed(b.program), int64_t{1} << 40);
}

}  // namespace
}  // namespace trainyard::isa
