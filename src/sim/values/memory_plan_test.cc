#include "sim/values/memory_plan.h"

#include <gtest/gtest.h>

#include <cstring>

#include "isa/text/text.h"
#include "sim/values.h"
#include "sim/values/compile.h"

namespace trainyard::sim {
namespace {

struct Planned {
  isa::Program program;
  MemoryPlan plan;

  int64_t at(std::string_view name) const {
    for (size_t t = 0; t < program.tensors.size(); ++t) {
      if (program.tensors[t].name == name) return plan.offset[t];
    }
    return -2;
  }
};

Planned planned(const std::string& body) {
  Result<isa::Program> program = isa::parse_text(
      "program p target trn2\nx: hbm f32[128,64] in\ny: hbm f32[128,64] out\n" + body, "p.tya");
  EXPECT_TRUE(program.ok()) << program.status().str();
  const std::vector<Home> homes = find_homes(*program);
  const Uses uses(*program, homes);
  const std::vector<std::optional<HbmView>> views(program->tensors.size());
  MemoryPlan plan = shared_memory(*program, homes, uses, views, {});
  return {std::move(*program), std::move(plan)};
}

TEST(MemoryPlan, TilesOneAfterTheOtherShareTheirBytes) {
  const Planned p = planned(R"(
    a: sbuf f32[128,64]
    b: sbuf f32[128,64]
    c: sbuf f32[128,64]
    dma_copy a <- x
    tensor_copy b <- a
    tensor_copy c <- b
    dma_copy y <- c)");
  EXPECT_NE(p.at("a"), p.at("b")) << "both live at the copy";
  EXPECT_EQ(p.at("a"), p.at("c"));
  EXPECT_EQ(p.plan.tile_bytes, 2 * 128 * 64 * 4);
  EXPECT_EQ(p.at("x"), -1) << "in the caller's memory";
}

TEST(MemoryPlan, ATileThatALoopReadsLivesForAllOfTheLoop) {
  const Planned p = planned(R"(
    a: sbuf f32[128,64]
    dma_copy a <- x
    repeat i 2 {
      b: sbuf f32[128,64]
      c: sbuf f32[128,64]
      tensor_copy b <- a
      tensor_copy c <- b
      dma_copy y <- c
    })");
  EXPECT_NE(p.at("a"), p.at("b"));
  EXPECT_NE(p.at("a"), p.at("c")) << "the next turn reads a again";
}

TEST(MemoryPlan, HbmTensorsOfALoopHaveMemoryOfTheirOwn) {
  const Planned p = planned(R"(
    h: hbm f32[128,64]
    a: sbuf f32[128,64]
    dma_copy a <- x
    dma_copy h <- a
    repeat i 2 {
      g: hbm f32[128,64]
      b: sbuf f32[128,64]
      dma_copy b <- h
      dma_copy g <- b
      dma_copy y <- g
    })");
  EXPECT_GE(p.at("h"), 0);
  EXPECT_EQ(p.at("g"), -1) << "each worker needs one";
}

// A run with shared memory gives the bytes of a run without, and does so again on other memory.
TEST(MemoryPlan, SharingChangesNoValue) {
  const Result<isa::Program> program = isa::parse_text(R"(program p target trn2
    x: hbm f32[256,64] in
    y: hbm f32[256,64] out
    h: hbm f32[256,64]
    repeat i 2 {
      a: sbuf f32[128,64]
      t: psum f32[64,128]
      u: sbuf f32[64,128]
      v: psum f32[128,64]
      w: sbuf f32[128,64]
      dma_copy a <- x[128*i+:128, :]
      nc_transpose t <- a @ tensor
      tensor_copy u <- t
      nc_transpose v <- u @ tensor
      tensor_copy w <- v
      dma_copy h[128*i+:128, :] <- w
    }
    repeat j 2 {
      b: sbuf f32[128,64]
      c: sbuf f32[128,64]
      dma_copy b <- h[128*j+:128, :]
      tensor_scalar c <- b op0=multiply operand0=2.0
      dma_copy y[128*j+:128, :] <- c
    })",
                                                       "p.tya");
  ASSERT_TRUE(program.ok()) << program.status().str();
  std::vector<float> x(256 * 64), expected(x.size());
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i % 977);
  for (size_t i = 0; i < x.size(); ++i) expected[i] = 2 * x[i];
  for (const bool share : {false, true}) {
    for (const bool shortcuts : {false, true}) {
      const auto plan = ValuePlan::make(*program, hw::kNeuronCoreV3,
                                        {.shortcuts = shortcuts, .share_memory = share});
      ASSERT_TRUE(plan.ok()) << plan.status().str();
      std::vector<float> first(x.size(), -1), second(x.size(), -1);
      const auto bindings = [&](std::vector<float>& out) {
        return std::vector<Binding>{{0, std::as_writable_bytes(std::span(x))},
                                    {1, std::as_writable_bytes(std::span(out))}};
      };
      auto run = ValueRun::make(*plan, bindings(first), serial());
      ASSERT_TRUE(run.ok()) << run.status().str();
      EXPECT_EQ((*run)->resume(), ValueRun::State::Done);
      ASSERT_TRUE((*run)->rebind(bindings(second)).ok());
      EXPECT_EQ((*run)->resume(), ValueRun::State::Done);
      EXPECT_EQ(first, expected) << share << shortcuts;
      EXPECT_EQ(second, expected) << share << shortcuts;
    }
  }
}

}  // namespace
}  // namespace trainyard::sim
