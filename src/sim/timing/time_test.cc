#include "sim/timing/time.h"

#include <gtest/gtest.h>

#include "isa/text/text.h"
#include "isa/verify.h"

namespace trainyard::sim {
namespace {

using hw::Engine;

class Recorder : public TraceSink {
 public:
  void slice(const Slice& s) override { slices.push_back(s); }
  void transfer(const Slice& s, Ticks first, Ticks last, int64_t) override {
    transfers.push_back(s);
    first_byte.push_back(first);
    last_byte.push_back(last);
  }
  void touch(isa::TensorId, int64_t, Ticks, Ticks) override {}
  void mark(Engine, const char* what, Ticks, Ticks) override { marks.emplace_back(what); }

  std::vector<Slice> slices, transfers;
  std::vector<Ticks> first_byte, last_byte;
  std::vector<std::string> marks;
};

struct Timed {
  isa::Program program;
  TimeResult time;
  Recorder trace;
};

Timed run(std::string_view text, const hw::CoreSpec& core, isa::Level level,
          std::vector<int64_t> trips = {}) {
  Timed r;
  Result<isa::Program> p = isa::parse_text(text, "test.tya");
  EXPECT_TRUE(p.ok()) << p.status().str();
  r.program = std::move(*p);
  const Status verified = isa::verify(r.program, core);
  EXPECT_TRUE(verified.ok()) << verified.str();
  isa::TripRecord record;
  record.loops.resize(r.program.loops.size());
  record.branches.resize(r.program.branches.size());
  for (size_t i = 0; i < trips.size(); ++i) record.loops[i] = {{trips[i], 1}};
  Result<TimeResult> t =
      simulate_time(r.program, core, record, {.level = level, .trace = &r.trace});
  EXPECT_TRUE(t.ok()) << t.status().str();
  if (t.ok()) r.time = std::move(*t);
  return r;
}

double ns(const hw::CoreSpec& core, Ticks t) { return hw::seconds(core, t) * 1e9; }

// T-PE-7: the array alone, 32,768 fp32 matmuls of two hardware instructions each.
TEST(Time, AnUnstarvedFp32MatmulTakesThePublishedTime) {
  const Timed r = run(R"(program mm target trn2 placed
    a: sbuf f32[128,128] @ 0x0
    b: sbuf f32[128,512] @ 0x1000
    p: psum f32[128,512] @ bank 0
    repeat i 32768 { mm: nc_matmul p <- a, b @ tensor })",
                      hw::kNeuronCoreV3, isa::Level::C);
  const double seconds =
      hw::seconds(hw::kNeuronCoreV3, r.time.engines[hw::index(Engine::Tensor)].busy);
  EXPECT_NEAR(seconds, 28.16e-3, 0.01e-3);
  EXPECT_EQ(r.time.executed, 32768);
}

// T-PE-5 and the power ramp: half rate for one window, then full.
TEST(Time, TheArrayRampsUpAfterThreeMicroseconds) {
  const Timed r = run(R"(program mm target trn2 placed
    a: sbuf bf16[128,128] @ 0x0
    b: sbuf bf16[128,512] @ 0x1000
    p: psum f32[128,512] @ bank 0
    repeat i 1000 { mm: nc_matmul p <- a, b @ tensor })",
                      hw::kNeuronCoreV3, isa::Level::D);
  const auto& s = r.trace.slices;
  EXPECT_NEAR(ns(hw::kNeuronCoreV3, s[1].start - s[0].start), 426.7, 0.1);
  EXPECT_NEAR(ns(hw::kNeuronCoreV3, s[999].start - s[998].start), 213.3, 0.1);
  EXPECT_NEAR(ns(hw::kNeuronCoreV3, Ticks(r.time.pe_throttled_ticks)), 3000, 450);
}

// T-PE-11: half of the rows is too little work to leave the limit.
TEST(Time, AStreamWithHalfTheRowsStaysAtHalfRate) {
  const Timed r = run(R"(program mm target trn2 placed
    a: sbuf f32[64,128] @ 0x0
    b: sbuf f32[64,512] @ 0x1000
    p: psum f32[128,512] @ bank 0
    repeat i 200 { mm: nc_matmul p <- a, b @ tensor })",
                      hw::kNeuronCoreV3, isa::Level::C);
  const auto& s = r.trace.slices;
  EXPECT_NEAR(ns(hw::kNeuronCoreV3, s[199].start - s[198].start), 1707, 0.01 * 1707);
}

// T-PE-10: an isolated matmul is cold.
TEST(Time, AnIsolatedMatmulIsServedAtHalfRate) {
  const Timed r = run(R"(program mm target trn2 placed
    a: sbuf bf16[128,128] @ 0x0
    b: sbuf bf16[128,512] @ 0x1000
    p: psum f32[128,512] @ bank 0
    mm: nc_matmul p <- a, b @ tensor)",
                      hw::kNeuronCoreV3, isa::Level::C);
  EXPECT_NEAR(ns(hw::kNeuronCoreV3, r.trace.slices[0].end - r.trace.slices[0].start), 627,
              0.02 * 627);
}

// T-ACT-3: 159 ns of latency and 30 ns to hand over.
TEST(Time, ADependentChainOfTinyActivationsStartsEvery189Nanoseconds) {
  const Timed r = run(R"(program chain target trn1 placed
    x: sbuf f32[128,1] @ 0x0
    repeat i 10 { a: activation x <- x op=copy @ scalar, after a{i-1} })",
                      hw::kNeuronCoreV2, isa::Level::C);
  const auto& s = r.trace.slices;
  EXPECT_NEAR(ns(hw::kNeuronCoreV2, s[9].start - s[8].start), 189, 2);
}

// T-ACT-6
TEST(Time, AnotherFunctionTableCosts1283Nanoseconds) {
  const std::string head = R"(program tables target trn2 placed
    x: sbuf f32[128,64] @ 0x0
    y: sbuf f32[128,64] @ 0x1000
    a: activation y <- x op=exp @ scalar
    b: activation y <- x op=)";
  const auto& core = hw::kNeuronCoreV3;
  const Timed same = run(head + "exp @ scalar", core, isa::Level::C);
  const Timed other = run(head + "tanh @ scalar", core, isa::Level::C);
  EXPECT_NEAR(ns(core, other.time.total - same.time.total), 1283, 1);
  EXPECT_EQ(same.time.table_loads, 1);
  EXPECT_EQ(other.time.table_loads, 2);
}

// T-SEM-1
TEST(Time, AResultIsHandedOverInThirtyNanoseconds) {
  const auto& core = hw::kNeuronCoreV3;
  const Timed r = run(R"(program hand target trn2 placed
    x: sbuf f32[128,512] @ 0x0
    y: sbuf f32[128,512] @ 0x1000
    z: sbuf f32[128,512] @ 0x2000
    a: tensor_copy y <- x @ vector
    b: tensor_copy z <- y @ scalar, after a)",
                      core, isa::Level::C);
  EXPECT_NEAR(ns(core, r.trace.slices[1].start - r.trace.slices[0].end), 30, 0.3);
  EXPECT_EQ(r.trace.slices[1].cause, WaitCause::Edge);
  ASSERT_EQ(r.time.insts[1].waits.size(), 1u);
  EXPECT_EQ(r.time.insts[1].waits[0].producer, 0);
  EXPECT_EQ(r.time.insts[1].waits[0].time, r.time.insts[1].waited);
}

// T-DMA-7: descriptor generation in software bounds many small transfers.
TEST(Time, SixtySixThousandSoftwareTransfersTakeTheirIssueTime) {
  const auto& core = hw::kNeuronCoreV3;
  const Timed r = run(R"(program swdge target trn2 placed
    x: hbm f32[128,256] in @ 0x0
    t: sbuf f32[128,256] @ 0x0
    repeat i 66048 { ld: dma_copy t <- x dge_mode=swdge @ q0 by gpsimd })",
                      core, isa::Level::C);
  EXPECT_NEAR(hw::seconds(core, r.time.total), 39.9e-3, 0.4e-3);
}

// T-DMA-2
TEST(Time, ASmallLoadUsesAllSixteenEngines) {
  const auto& core = hw::kNeuronCoreV3;
  const Timed r = run(R"(program load target trn2 placed
    x: hbm bf16[128,128] in @ 0x0
    t: sbuf bf16[128,128] @ 0x0
    y: sbuf bf16[128,128] @ 0x1000
    ld: dma_copy t <- x @ q0 by sync
    use: tensor_copy y <- t @ vector, after ld)",
                      core, isa::Level::C);
  EXPECT_NEAR(ns(core, r.trace.first_byte[0] - r.trace.slices[0].start), 750, 1);
  EXPECT_NEAR(ns(core, r.time.dma_engine_busy[0]), 89, 35);  // the gap between transfers included
  EXPECT_EQ(r.time.dma_engine_busy[0], r.time.dma_engine_busy[15]);
}

// T-DMA-3 and T-DMA-4: the gap between transfers holds the engine, not the waiter.
TEST(Time, AnIsolatedTransferTakesWhatWasMeasured) {
  const auto& core = hw::kNeuronCoreV3;
  const Timed load = run(R"(program load target trn2 placed
    x: hbm f32[128,512] in @ 0x0
    t: sbuf f32[128,512] @ 0x0
    ld: dma_copy t <- x dge_mode=swdge @ q0 by gpsimd)",
                         core, isa::Level::C);
  const Timed store = run(R"(program store target trn2 placed
    x: hbm f32[128,512] out @ 0x0
    t: sbuf f32[128,512] @ 0x0
    st: dma_copy x <- t dge_mode=swdge @ q0 by gpsimd)",
                          core, isa::Level::C);
  EXPECT_NEAR(ns(core, load.time.total), 2288, 5);
  EXPECT_NEAR(ns(core, store.time.total), 1769, 5);
  EXPECT_NEAR(ns(core, load.trace.last_byte[0] - load.trace.first_byte[0]), 712, 1);
}

TEST(Time, TwoQueuesShareTheEnginesEqually) {
  const auto& core = hw::kNeuronCoreV3;
  const std::string head = R"(program share target trn2 placed
    x: hbm f32[128,8192] in @ 0x0
    t: sbuf f32[128,8192] @ 0x0
    u: sbuf f32[128,8192] @ 0x8000
    a: dma_copy t <- x @ q0 by sync
    )";
  const Timed one = run(head, core, isa::Level::D);
  const Timed two = run(head + "b: dma_copy u <- x @ q1 by scalar", core, isa::Level::D);
  const double alone = ns(core, one.trace.last_byte[0] - one.trace.first_byte[0]);
  ASSERT_EQ(two.trace.last_byte.size(), 2u);
  EXPECT_NEAR(ns(core, two.trace.last_byte[0] - two.trace.first_byte[0]), 2 * alone, 0.02 * alone);
  EXPECT_NEAR(ns(core, two.trace.last_byte[1] - two.trace.first_byte[1]), 2 * alone, 0.02 * alone);
}

TEST(Time, AStackSharedByTwoCoresSlowsThemBothDown) {
  const auto& core = hw::kNeuronCoreV3;
  Result<isa::Program> p = isa::parse_text(R"(program load target trn2 placed
    x: hbm f32[128,16384] in @ 0x0
    t: sbuf f32[128,16384] @ 0x0
    a: dma_copy t <- x @ q0 by sync)",
                                           "t");
  ASSERT_TRUE(p.ok());
  const auto payload = [&](int cores) {
    return simulate_time(*p, core, {}, {.level = isa::Level::D, .sharing_cores = cores})
        ->dma_engine_busy[0];
  };
  // 368 GB/s of engines against 716 / 2 of a stack.
  EXPECT_NEAR(static_cast<double>(payload(2).value) / static_cast<double>(payload(1).value),
              368.0 / 358.0, 0.002);
}

TEST(Time, VectorAndScalarTakeTurnsOnOnePsumBank) {
  const auto& core = hw::kNeuronCoreV3;
  const auto program = [](int bank) {
    return fmt::format(R"(program banks target trn2 placed
      p: psum f32[128,512] @ bank 0
      q: psum f32[128,512] @ bank {}
      x: sbuf f32[128,512] @ 0x0
      y: sbuf f32[128,512] @ 0x1000
      a: tensor_copy x <- p @ vector
      b: tensor_copy y <- q @ scalar)",
                       bank);
  };
  const Timed apart = run(program(1), core, isa::Level::D);
  const Timed same = run(program(0), core, isa::Level::D);
  EXPECT_EQ(apart.trace.slices[1].start, Ticks(0));
  EXPECT_EQ(same.trace.slices[1].start, same.trace.slices[0].free);
  EXPECT_EQ(same.trace.slices[1].cause, WaitCause::BankConflict);
}

TEST(Time, OnTrainium1VectorAndGpsimdExcludeEachOther) {
  const std::string text = R"(program ports target trn1 placed
      x: sbuf f32[128,512] @ 0x0
      y: sbuf f32[128,512] @ 0x1000
      a: memset x value=0.0 @ vector
      b: memset y value=0.0 @ gpsimd)";
  const Timed v2 = run(text, hw::kNeuronCoreV2, isa::Level::D);
  EXPECT_EQ(v2.trace.slices[1].start, v2.trace.slices[0].free);
  EXPECT_EQ(v2.trace.slices[1].cause, WaitCause::PortConflict);
  const Timed v3 = run(text, hw::kNeuronCoreV3, isa::Level::D);
  EXPECT_EQ(v3.trace.slices[1].start, Ticks(0));
}

TEST(Time, HandWrittenSemaphoresCountIncrements) {
  const auto& core = hw::kNeuronCoreV3;
  const Timed r = run(R"(program sems target trn2 placed
      semaphore s
      x: sbuf f32[128,512] @ 0x0
      y: sbuf f32[128,512] @ 0x1000
      repeat i 3 { a: memset x value=0.0 @ vector, inc s }
      b: tensor_copy y <- x @ scalar, wait s >= 3)",
                      core, isa::Level::D);
  EXPECT_GE(r.trace.slices.back().start, r.trace.slices[2].end);
  EXPECT_EQ(r.trace.slices.back().cause, WaitCause::Semaphore);
}

TEST(Time, ADeadlockNamesWhoWaitsForWhom) {
  Result<isa::Program> p = isa::parse_text(R"(program dead target trn2 placed
      x: sbuf f32[128,512] @ 0x0
      y: sbuf f32[128,512] @ 0x1000
      a: tensor_copy y <- x @ vector, after b
      b: tensor_copy x <- y @ scalar, after a)",
                                           "dead.tya");
  ASSERT_TRUE(p.ok()) << p.status().str();
  const auto t = simulate_time(*p, hw::kNeuronCoreV3, {}, {});
  ASSERT_FALSE(t.ok());
  EXPECT_EQ(t.status().code(), "TY-HAZ-002");
  EXPECT_NE(t.status().message().find("vector waits in a for 1 instances of b"), std::string::npos)
      << t.status().str();
}

constexpr std::string_view kLoop = R"(program loop target trn2 placed
      n: hbm i32[1] in @ 0x0
      x: sbuf f32[128,512] @ 0x0
      y: sbuf f32[128,512] @ 0x1000
      reg r
      reg i
      load: register_load r <- n[0] @ sync
      loop steps i from 0 to r step 1 {
        a: tensor_copy y <- x @ vector
        b: tensor_copy x <- y @ scalar, after a
      })";

TEST(Time, ARunTimeLoopTakesTimeForEachRecordedTurn) {
  const auto& core = hw::kNeuronCoreV3;
  const Ticks none = run(kLoop, core, isa::Level::C, {0}).time.total;
  const Ticks ten = run(kLoop, core, isa::Level::C, {10}).time.total;
  const Ticks twenty = run(kLoop, core, isa::Level::C, {20}).time.total;
  EXPECT_LT(none, ten);
  EXPECT_EQ((twenty - ten).value / 10, (ten - none).value / 10);
  // Both engines pay the branch; an iteration ends when both are done.
  EXPECT_GT(ns(core, ten - none) / 10, 500);
}

TEST(Time, TheSameProgramTakesTheSameTicks) {
  const Ticks a = run(kLoop, hw::kNeuronCoreV3, isa::Level::C, {7}).time.total;
  const Ticks b = run(kLoop, hw::kNeuronCoreV3, isa::Level::C, {7}).time.total;
  EXPECT_EQ(a, b);
}

// An engine triggers faster than the queues move: the backlog must cost nothing per transfer.
TEST(Time, ALongBacklogOfTransfersEndsInOrder) {
  const Timed r = run(R"(program backlog target trn2 placed
    x: hbm f32[128,512] in  @ 0x0
    y: hbm f32[128,512] out @ 0x40000
    z: hbm f32[1,512] out   @ 0x80000
    repeat i 100000 {
      wide: dma_copy y <- x        @ q0 by gpsimd
      thin: dma_copy z <- x[0+:1,:] @ q1 by sync
    })",
                      hw::kNeuronCoreV3, isa::Level::C);
  ASSERT_EQ(r.trace.transfers.size(), 200'000u);
  int64_t next[2] = {0, 0};
  for (const Slice& s : r.trace.transfers) EXPECT_EQ(s.instance, next[s.queue]++);
  EXPECT_EQ(next[0], 100'000);
  EXPECT_EQ(r.time.dma_bytes, int64_t{100000} * (128 + 1) * 2048);
}

}  // namespace
}  // namespace trainyard::sim
