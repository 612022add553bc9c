#include "sim/check/check.h"

#include <gtest/gtest.h>

#include "isa/text/text.h"

namespace trainyard::sim {
namespace {

isa::Program program_of(const std::string& text) {
  Result<isa::Program> program =
      isa::parse_text("program p target trn2 placed\n" + text, "test.tya");
  EXPECT_TRUE(program.ok()) << program.status().str();
  return program.ok() ? *program : isa::Program{};
}

isa::TripRecord trips_of(const isa::Program& program, int64_t turns = 2) {
  isa::TripRecord trips;
  trips.loops.resize(program.loops.size(), {{turns, 1}});
  trips.branches.resize(program.branches.size(), {{1, 1}, {0, 1}});
  return trips;
}

Result<CheckResult> run(const std::string& text, int64_t turns = 2,
                        const hw::CoreSpec& core = hw::kNeuronCoreV3,
                        const CheckOptions& options = {}) {
  const isa::Program program = program_of(text);
  return check(program, core, trips_of(program, turns), options);
}

std::string codes(const Result<CheckResult>& result) {
  if (!result.ok()) return result.status().code();
  std::string out;
  for (const Finding& f : result->findings) out += (out.empty() ? "" : " ") + f.status.code();
  return out;
}

const std::string kCounting = R"(
semaphore full, free
x: hbm f32[512,16] in   y: hbm f32[512,16] out
repeat i 4 {
  t: sbuf f32[128,16]                 @ 0x0 slots 2
  ld: dma_copy t <- x[128*i+:128, :]  @ q0 by sync, wait free >= i-1, inc full
  st: dma_copy y[128*i+:128, :] <- t  @ q1 by scalar, wait full >= i+1, inc free
}
)";

TEST(Check, AcceptsProducerAndConsumerThatCountWithSemaphores) {
  EXPECT_EQ(codes(run(kCounting)), "");
}

TEST(Check, ASemaphoreOfTwoStreamsProvesBothOnlyWhenItIsFull) {
  const std::string text = R"(
semaphore full
x: hbm f32[128,16] in   y: hbm f32[128,16] out
a: sbuf f32[128,16]                 @ 0x0
b: sbuf f32[128,16]                 @ 0x40
la: dma_copy a <- x                 @ q0 by sync, inc full
lb: dma_copy b <- x                 @ q1 by sync, inc full
ad: tensor_tensor a <- a, b op=add  @ vector, wait full >= VALUE
st: dma_copy y <- a                 @ q2 by scalar, after ad
)";
  const auto with = [&](const char* value) {
    std::string t = text;
    return t.replace(t.find("VALUE"), 5, value);
  };
  EXPECT_EQ(codes(run(with("2"))), "");
  EXPECT_EQ(codes(run(with("1"))), "TY-HAZ-001 TY-HAZ-001");
}

TEST(Check, ATransferDoesNotKnowOfUnfinishedWorkOfItsTriggerEngine) {
  const std::string text = R"(
y: hbm f32[128,16] out
a: sbuf f32[128,16]       @ 0x0
z: memset a value=0.0     @ vector
st: dma_copy y <- a       @ q0 by vectorEDGE
)";
  const auto with = [&](const char* edge) {
    std::string t = text;
    return t.replace(t.find("EDGE"), 4, edge);
  };
  EXPECT_EQ(codes(run(with(", after z"))), "");
  EXPECT_EQ(codes(run(with(""))), "TY-HAZ-001");
}

// Vector waits for z; its later instructions know it without saying so, and who waits for them,
// too.
TEST(Check, WhatAnEngineHasWaitedForIsKnownFromThenOn) {
  EXPECT_EQ(codes(run(R"(
y: hbm f32[128,16] out
a: sbuf f32[128,16]       @ 0x0
b: sbuf f32[128,16]       @ 0x40
z: memset a value=0.0     @ gpsimd
n: nop                    @ vector, after z
cp: tensor_copy b <- a    @ vector
up: activation a <- b     @ scalar, after cp
st: dma_copy y <- a       @ q0 by scalar, after up
)")),
            "");
}

const std::string kLoop = R"(
reg n, i
c: hbm i32[1] in   x: hbm f32[128,16] in   y: hbm f32[128,16] out
s: sbuf f32[128,16]                   @ 0x0
z: memset s value=0.0                 @ vector
ln: register_load n <- c[0]           @ sync
loop rounds i from 0 to n step 1 {
  t: sbuf f32[128,16]                 @ 0x40 slots SLOTS
  ld: dma_copy t <- x                 @ q0 by sync
  ad: tensor_tensor s <- s, t op=add  @ vector, after ld, z
}
st: dma_copy y <- s                   @ q1 by scalar, after ad, z
)";

TEST(Check, TurnsOfARunTimeLoopMeetInABarrier) {
  std::string text = kLoop;
  text.replace(text.find("SLOTS"), 5, "1");
  for (const int64_t turns : {0, 1, 2, 5}) EXPECT_EQ(codes(run(text, turns)), "") << turns;
}

TEST(Check, WalksARunTimeLoopOnlyUntilItsSlotsHaveComeRound) {
  std::string text = kLoop;
  text.replace(text.find("SLOTS"), 5, "3");
  const Result<CheckResult> few = run(text, 4), many = run(text, 1000000);
  ASSERT_TRUE(few.ok() && many.ok());
  EXPECT_EQ(many->instructions, few->instructions);
}

TEST(Check, EveryEngineThatKeepsARegisterReadsItFromMemory) {
  // The loop runs on vector and sync, so both load n; the store of c must wait for both.
  const std::string text = R"(
reg n, i
c: hbm i32[1] inout   y: hbm f32[128,16] out
s: sbuf f32[128,16]                   @ 0x0
o: sbuf i32[1,1]                      @ 0x40
z: memset s value=0.0                 @ vector
zo: memset o value=0                  @ gpsimd
ln: register_load n <- c[0]           @ sync
loop rounds i from 0 to n step 1 {
  ad: tensor_scalar s <- s op0=add operand0=1.0 @ vector, after z
  sy: nop                             @ sync
}
so: dma_copy c.ap(offset=0, dims=[[1,1],[1,1]]) <- o @ q1 by gpsimd, after zoEDGE
st: dma_copy y <- s                   @ q0 by scalar, after ad, z
)";
  const auto with = [&](const char* edge) {
    std::string t = text;
    return t.replace(t.find("EDGE"), 4, edge);
  };
  EXPECT_EQ(codes(run(with(", ln"), 0)), "");
  EXPECT_EQ(codes(run(with(""), 0)), "TY-HAZ-001");
}

TEST(Check, OneFindingPerPairCountsItsInstances) {
  const Result<CheckResult> result = run(R"(
x: hbm f32[1024,16] in   y: hbm f32[1024,16] out
repeat i 8 {
  t: sbuf f32[128,16]                 @ 0x0 slots 2
  ld: dma_copy t <- x[128*i+:128, :]  @ q0 by sync
  st: dma_copy y[128*i+:128, :] <- t  @ q1 by scalar, after ld
}
)");
  ASSERT_EQ(codes(result), "TY-HAZ-001");
  const Finding& f = result->findings[0];
  EXPECT_EQ(f.times, 6);
  EXPECT_EQ(f.instance, 2);
  EXPECT_EQ(f.other_instance, 0);
  EXPECT_EQ(f.status.place().line, 6);
}

TEST(Check, KeepsNoMoreFindingsThanAskedFor) {
  std::string text = "y: hbm f32[128,16] out\n";
  for (int i = 0; i < 8; ++i) {
    text += fmt::format("t{}: sbuf f32[128,16] @ {}\ns{}: dma_copy y <- t{} @ q0 by sync\n", i,
                        64 * i, i, i);
  }
  EXPECT_EQ(run(text)->findings.size(), 8u);
  EXPECT_EQ(run(text, 2, hw::kNeuronCoreV3, {.max_findings = 3})->findings.size(), 3u);
}

TEST(Check, ASumOntoAnotherEnginesDataIsAnErrorUntilV4) {
  const std::string text = R"(
y: hbm f32[128,128] out
a: sbuf bf16[128,128]               @ 0x0
p: psum f32[128,128]                @ bank 0
c: sbuf f32[128,128]                @ 0x400
za: memset a value=1.0              @ gpsimd
zp: memset p value=0.0              @ vector
mm: nc_matmul p <- a, a accumulate  @ tensor, after za, zp
ev: tensor_copy c <- p              @ vector, after mm
st: dma_copy y <- c                 @ q0 by sync, after ev
)";
  EXPECT_EQ(codes(run(text, 2, hw::kNeuronCoreV3)), "TY-HAZ-006");
  EXPECT_EQ(codes(run(text, 2, hw::kNeuronCoreV4)), "");
}

TEST(Check, AReadEndsASumSoTheNextMatmulBeginsAnother) {
  EXPECT_EQ(codes(run(R"(
y: hbm f32[128,128] out
a: sbuf bf16[128,128]    @ 0x0
p: psum f32[128,128]     @ bank 0
c: sbuf f32[128,128]     @ 0x400
za: memset a value=1.0   @ gpsimd
repeat i 3 {
  mm: nc_matmul p <- a, a  @ tensor, after za, ev{i-1}
  ev: tensor_copy c <- p   @ vector, after mm, st{i-1}
  st: dma_copy y <- c      @ q0 by sync, after ev
}
)")),
            "");
}

TEST(Check, ADynamicReadIsOrderedBehindEveryWriteOfItsTensor) {
  const std::string text = R"(
reg r
c: hbm i32[1] in   x: hbm f32[128,16] in   y: hbm f32[128,4] out
t: sbuf f32[128,16]                       @ 0x0
ln: register_load r <- c[0]               @ sync
lo: dma_copy t[:, 0+:8] <- x[:, 0+:8]     @ q0 by sync
hi: dma_copy t[:, 8+:8] <- x[:, 8+:8]     @ q1 by sync
st: dma_copy y <- t[:, r+:4]              @ q2 by sync, after loEDGE
)";
  const auto with = [&](const char* edge) {
    std::string t = text;
    return t.replace(t.find("EDGE"), 4, edge);
  };
  EXPECT_EQ(codes(run(with(", hi"))), "");
  EXPECT_EQ(codes(run(with(""))), "TY-HAZ-001");
}

TEST(Check, RefusesWhatIsNotPlaced) {
  isa::Program program = program_of("t: sbuf f32[128,16] @ 0x0\nz: memset t value=0.0 @ vector\n");
  EXPECT_EQ(codes(check(program, hw::kNeuronCoreV3, {})), "");
  isa::Program no_engine = program;
  no_engine.placement.insts[0].engine.reset();
  EXPECT_EQ(codes(check(no_engine, hw::kNeuronCoreV3, {})), "TY-CHK-001");
  isa::Program no_address = program;
  no_address.placement.tensors[0].address.reset();
  EXPECT_EQ(codes(check(no_address, hw::kNeuronCoreV3, {})), "TY-CHK-001");
  isa::Program unplaced = program;
  unplaced.placement.complete = false;
  EXPECT_EQ(codes(check(unplaced, hw::kNeuronCoreV3, {})), "TY-CHK-001");
  isa::Program bad_edge = program;
  bad_edge.placement.insts[0].after.push_back({.producer = 7});
  EXPECT_EQ(codes(check(bad_edge, hw::kNeuronCoreV3, {})), "TY-CHK-001");
}

TEST(Check, RefusesAQueueOfTwoEngines) {
  EXPECT_EQ(codes(run(R"(
x: hbm f32[128,16] in
t: sbuf f32[128,16]   @ 0x0
u: sbuf f32[128,16]   @ 0x40
a: dma_copy t <- x    @ q0 by sync
b: dma_copy u <- x    @ q0 by scalar
)")),
            "TY-CHK-002");
}

TEST(Check, RefusesMoreThanItsClocksCanCount) {
  EXPECT_EQ(codes(run(R"(
repeat i 100000 {
  repeat j 100000 {
    n: nop @ vector
  }
}
)")),
            "TY-CHK-003");
}

}  // namespace
}  // namespace trainyard::sim
