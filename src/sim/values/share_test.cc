// Iterations in any order on any worker give the bytes of one worker in order. The orders here are
// chosen, so that what a host's threads do once in a while happens in every run.
#include <gtest/gtest.h>

#include <numeric>

#include "isa/text/text.h"
#include "sim/values.h"

namespace trainyard::sim {
namespace {

using Words = std::vector<float>;

// Two workers; the last iteration comes first, and its worker goes on with the others.
ParallelFor backwards() {
  return {2, [](int64_t n, const std::function<void(int64_t, int)>& work) {
            for (int64_t i = n - 1; i >= 0; --i) work(i, 1);
          }};
}

// Two workers by turns, in order.
ParallelFor by_turns() {
  return {2, [](int64_t n, const std::function<void(int64_t, int)>& work) {
            for (int64_t i = 0; i < n; ++i) work(i, static_cast<int>(i % 2));
          }};
}

// What a program leaves in its second tensor if its first holds 0, 1, 2 and so on. Both are fp32.
Words result_of(std::string_view text, const ParallelFor& parallel) {
  const Result<isa::Program> program = isa::parse_text(text, "test.tya");
  EXPECT_TRUE(program.ok()) << program.status().str();
  const auto plan = ValuePlan::make(*program, hw::kNeuronCoreV3, {.share_above = 0});
  EXPECT_TRUE(plan.ok()) << plan.status().str();
  Words x(program->tensors[0].total_bytes() / sizeof(float));
  Words y(program->tensors[1].total_bytes() / sizeof(float));
  std::iota(x.begin(), x.end(), 0.0f);
  const std::vector<Binding> bindings = {{0, std::as_writable_bytes(std::span(x))},
                                         {1, std::as_writable_bytes(std::span(y))}};
  const auto run = ValueRun::make(*plan, bindings, parallel);
  EXPECT_TRUE(run.ok()) << run.status().str();
  EXPECT_EQ((*run)->resume(), ValueRun::State::Done);
  return y;
}

void expect_any_order(std::string_view text, float first, float last) {
  const Words in_order = result_of(text, serial());
  EXPECT_EQ(in_order.front(), first);
  EXPECT_EQ(in_order.back(), last);
  EXPECT_EQ(result_of(text, backwards()), in_order);
  EXPECT_EQ(result_of(text, by_turns()), in_order);
}

TEST(Share, AfterALoopATensorHoldsWhatTheLastIterationWrote) {
  expect_any_order(R"(program last target trn2
x: hbm f32[4,8,2] in   y: hbm f32[8,2] out
t: sbuf f32[8,2]
repeat i 4 {
  dma_copy t <- x[i,:,:]
  tensor_scalar t <- t op0=multiply operand0=2.0
}
dma_copy y <- t)",
                   2.0f * 48, 2.0f * 63);
}

TEST(Share, AfterALoopATensorHoldsWhatTheLastIterationLoaded) {
  expect_any_order(R"(program loaded target trn2
x: hbm f32[4,8,2] in   y: hbm f32[8,2] out
t: sbuf f32[8,2]
repeat i 4 {
  dma_copy t <- x[i,:,:]
}
dma_copy y <- t)",
                   48.0f, 63.0f);
}

TEST(Share, AMatmulSeesWhatWorkersWroteSinceItLastRan) {
  // Turn o of the outer loop sees o + 1 in all of `a`.
  expect_any_order(R"(program again target trn2
x: hbm f32[4,4] in   y: hbm f32[3,4,4] out
a: sbuf f32[4,4]   ones: sbuf f32[4,4]
memset a value=0.0
memset ones value=1.0
repeat o 3 {
  repeat j 2 {
    tensor_scalar a[:,2*j+:2] <- a[:,2*j+:2] op0=add operand0=1.0
  }
  p: psum f32[4,4]
  c: sbuf f32[4,4]
  mm: nc_matmul p <- a, ones
  tensor_copy c <- p
  dma_copy y[o,:,:] <- c
})",
                   4.0f, 12.0f);
}

TEST(Share, SumsOfTheScalarEngineSurviveALoopLaneByLane) {
  // Each iteration leaves sums in lanes of its own; one instruction behind the loop reads them all.
  expect_any_order(R"(program sums target trn2
x: hbm f32[64,4] in   y: hbm f32[64,1] out
t: sbuf f32[64,4]   e: sbuf f32[64,4]   s: sbuf f32[64,1]
dma_copy t <- x
repeat i 2 {
  activation e[32*i+:32,:] <- t[32*i+:32,:] op=copy reduce_cmd=reset_reduce
}
activation e <- t op=copy reduce_res=s
dma_copy y <- s)",
                   0.0f + 1.0f + 2.0f + 3.0f, 252.0f + 253.0f + 254.0f + 255.0f);
}

}  // namespace
}  // namespace trainyard::sim
