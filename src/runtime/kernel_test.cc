#include "runtime/kernel.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <sstream>

#include "runtime/threads.h"

namespace trainyard::runtime {
namespace {

Result<Kernel> example(const std::string& name, const place::Options& options = {}) {
  std::ifstream in("examples/" + name + ".tya");
  std::ostringstream text;
  text << in.rdbuf();
  return Kernel::from_text(text.str(), name + ".tya", *hw::find_target("trn2"), options);
}

double seconds(const Kernel& kernel, isa::Level level) {
  const Result<RunResult> r = kernel.run({}, {.mode = Mode::Time, .level = level});
  EXPECT_TRUE(r.ok()) << r.status().str();
  return hw::seconds(kernel.core(), r->time->total);
}

// Simulated time is exact, so the quality of a placement can be a test.
TEST(Placement, AMatmulWithoutAnyHandPlacementUsesNinetyPercentOfThePeak) {
  const Result<Kernel> k = example("matmul");
  ASSERT_TRUE(k.ok()) << k.status().str();
  for (const isa::Level level : {isa::Level::D, isa::Level::C}) {
    const double flops = 2.0 * 4096 * 4096 * 4096 / seconds(*k, level);
    EXPECT_GE(flops / hw::peak_flops(k->core(), hw::MatmulMode::Bits16), 0.90);
  }
}

// Tiles that do not fit side by side share bytes. Those of `late` are free again before it is used:
// `small` has them meanwhile, and must wait for the store that still reads `early`.
TEST(Placement, ATileWaitsForTheStoreOfTheOneThatHadItsBytes) {
  const Result<Kernel> k = Kernel::from_text(R"(program shared target trn2
    x: hbm f32[128,16384] in
    out1: hbm f32[128,16384] out
    out2: hbm f32[128,16384] out
    out3: hbm f32[128,16384] out
    repeat l 4 {
      base: sbuf f32[128,16384]
      early: sbuf f32[128,16384]
      late: sbuf f32[128,16384]
      last: sbuf f32[128,16384]
      small: sbuf f32[128,1]
      ld: dma_copy base <- x
      e0: activation early <- base op=exp
      st1: dma_copy out1 <- early
      s0: activation small <- base[:,0+:1] op=exp
      m0: tensor_scalar base <- base op0=multiply operand0=small
      l0: tensor_copy late <- base
      st2: dma_copy out2 <- late
      l1: tensor_copy last <- late
      st3: dma_copy out3 <- last
    })",
                                             "shared.tya", *hw::find_target("trn2"));
  ASSERT_TRUE(k.ok()) << k.status().str();
  const Result<RunResult> r = k->run({}, {.mode = Mode::Check});
  ASSERT_TRUE(r.ok()) << r.status().str();
  for (const sim::Finding& f : r->check->findings) ADD_FAILURE() << f.status.str();
}

TEST(Placement, ASoftmaxReachesEightyPercentOfItsRoof) {
  const Result<Kernel> k = example("softmax");
  ASSERT_TRUE(k.ok()) << k.status().str();
  // The roof is what the DMA engines or one core's half of the HBM stack can move.
  const double rate = std::min(16 * k->core().dma.sustained_bytes_per_ns.value,
                               k->core().hbm.stack_bytes_per_ns.value / 2) *
                      1e9;
  const double roof = 2.0 * 4096 * 4096 * 4 / rate;
  for (const isa::Level level : {isa::Level::D, isa::Level::C})
    EXPECT_GE(roof / seconds(*k, level), 0.80);
}

TEST(Placement, AttentionTakesSixTenthsOfPlainBodyOrder) {
  const Result<Kernel> good = example("attention");
  const Result<Kernel> plain = example("attention", {.plain = true});
  ASSERT_TRUE(good.ok()) << good.status().str();
  ASSERT_TRUE(plain.ok()) << plain.status().str();
  for (const isa::Level level : {isa::Level::D, isa::Level::C}) {
    EXPECT_LE(seconds(*good, level) / seconds(*plain, level), 0.60);
  }
}

TEST(Placement, EveryExampleIsFreeOfHazards) {
  for (const char* name : {"matmul", "softmax", "layer_norm", "attention"}) {
    for (const bool plain : {false, true}) {
      const Result<Kernel> k = example(name, {.plain = plain});
      ASSERT_TRUE(k.ok()) << k.status().str();
      const Result<RunResult> r = k->run({}, {.mode = Mode::Check});
      ASSERT_TRUE(r.ok()) << r.status().str();
      EXPECT_TRUE(r->check->findings.empty()) << name << ": " << r->check->findings[0].status.str();
    }
  }
}

// ------------------------------------------------------------------ the data-dependent loop

class Newton : public testing::Test {
 protected:
  Newton() : kernel_(example("newton")), a_(128 * 512), y_(128 * 512) {
    for (size_t i = 0; i < a_.size(); ++i) a_[i] = 0.5f + static_cast<float>(i % 1000);
  }
  Result<RunResult> run(int32_t steps, RunOptions options,
                        const sim::ParallelFor& parallel = sim::serial()) {
    n_ = steps;
    const auto bytes = [](auto& v) { return std::as_writable_bytes(std::span(v)); };
    const std::vector<sim::Binding> bindings = {
        {0, bytes(a_)}, {1, std::as_writable_bytes(std::span(&n_, 1))}, {2, bytes(y_)}};
    return kernel_->run(bindings, options, parallel);
  }

  Result<Kernel> kernel_;
  std::vector<float> a_, y_;
  int32_t n_ = 0;
};

TEST_F(Newton, ValuesAreRightAndTimeIsForTheRecordedCount) {
  ASSERT_TRUE(kernel_.ok()) << kernel_.status().str();
  const Result<RunResult> r = run(20, {});
  ASSERT_TRUE(r.ok()) << r.status().str();
  for (size_t i = 0; i < a_.size(); i += 97) EXPECT_NEAR(y_[i] * y_[i], a_[i], 1e-4 * a_[i]);
  ASSERT_EQ(r->trips.loops[0], (std::vector<isa::TripRecord::Run>{{20, 1}}));
  const Result<RunResult> time = kernel_->run({}, {.mode = Mode::Time, .trips = {{"newton", 20}}});
  ASSERT_TRUE(time.ok()) << time.status().str();
  EXPECT_EQ(time->time->total, r->time->total);
  EXPECT_EQ(time->time->trust, hw::Trust::Assumed);
  ASSERT_EQ(time->time->assumptions.size(), 1u);
}

TEST_F(Newton, TimeAloneRefusesWithoutACount) {
  const Result<RunResult> r = kernel_->run({}, {.mode = Mode::Time});
  ASSERT_FALSE(r.ok());
  EXPECT_EQ(r.status().code(), "TY-TIM-002");
  EXPECT_NE(r.status().message().find("--trips newton=N"), std::string::npos);
}

TEST_F(Newton, AWrongLoopNameIsRefused) {
  const Result<RunResult> r =
      kernel_->run({}, {.mode = Mode::Time, .trips = {{"newton", 3}, {"neutron", 2}}});
  ASSERT_FALSE(r.ok());
  EXPECT_EQ(r.status().code(), "TY-TIM-003");
  const Result<RunResult> alone = kernel_->run({}, {.mode = Mode::Time, .trips = {{"newtn", 2}}});
  ASSERT_FALSE(alone.ok());
  EXPECT_EQ(alone.status().code(), "TY-TIM-003");
  EXPECT_NE(alone.status().message().find("did you mean 'newton'?"), std::string::npos);
}

TEST_F(Newton, MoreTripsThanItsMaxAreRefused) {
  EXPECT_TRUE(kernel_->run({}, {.mode = Mode::Time, .trips = {{"newton", 64}}}).ok());
  const Result<RunResult> r = kernel_->run({}, {.mode = Mode::Time, .trips = {{"newton", 65}}});
  ASSERT_FALSE(r.ok());
  EXPECT_EQ(r.status().code(), "TY-RUN-013");
  EXPECT_NE(r.status().message().find("at most 64 times"), std::string::npos);
}

TEST_F(Newton, TripsThatValuesOverruleAreNoted) {
  const Result<RunResult> r = run(5, {.mode = Mode::Values, .trips = {{"newton", 3}}});
  ASSERT_TRUE(r.ok()) << r.status().str();
  ASSERT_EQ(r->notes.size(), 1u);
  EXPECT_NE(r->notes[0].find("--trips has no effect"), std::string::npos);
  EXPECT_EQ(run(5, {.mode = Mode::Values, .trips = {{"neutron", 3}}}).status().code(),
            "TY-TIM-003");
}

TEST_F(Newton, ZeroTurnsLeaveTheStart) {
  ASSERT_TRUE(run(0, {}).ok());
  EXPECT_EQ(y_[0], 1.0f);
}

TEST_F(Newton, ThreadsDoNotChangeABit) {
  ASSERT_TRUE(run(5, {.mode = Mode::Values}).ok());
  const std::vector<float> one = y_;
  const Threads threads(2);
  ASSERT_TRUE(run(5, {.mode = Mode::Values}, threads.parallel_for()).ok());
  EXPECT_EQ(std::memcmp(one.data(), y_.data(), one.size() * sizeof(float)), 0);
}

TEST(Kernel, RefusesATargetThatTheProgramDoesNotFit) {
  const Result<Kernel> k = Kernel::from_text(R"(program wide target trn2
    w: sbuf bf16[128,128]
    x: sbuf bf16[128,1024]
    p: psum f32[128,1024]
    mm: nc_matmul p <- w, x)",
                                             "wide.tya", *hw::find_target("trn2"));
  ASSERT_FALSE(k.ok());
  EXPECT_EQ(k.status().place().line, 5);
}

TEST(Kernel, RefusesACollectiveOnOneCore) {
  const Result<Kernel> k = Kernel::from_text(R"(program coll target trn2
    x: hbm f32[1024] in
    y: hbm f32[1024] out
    c: collective y <- x all_reduce)",
                                             "coll.tya", *hw::find_target("trn2"));
  ASSERT_TRUE(k.ok()) << k.status().str();
  std::vector<float> x(1024), y(1024);
  const std::vector<sim::Binding> bindings = {{0, std::as_writable_bytes(std::span(x))},
                                              {1, std::as_writable_bytes(std::span(y))}};
  const Result<RunResult> r = k->run(bindings, {.mode = Mode::Values});
  ASSERT_FALSE(r.ok());
}

TEST(Kernel, RefusesMoreInstructionsThanAnybodyCanWaitFor) {
  const auto status = [](const std::string& repeats, int depth, const RunOptions& options) {
    const Result<Kernel> k =
        Kernel::from_text("program long target trn2\nx: sbuf f32[128,4]\n" + repeats +
                              "k: memset x value=1.0\n" + std::string(depth, '}'),
                          "long.tya", *hw::find_target("trn2"));
    EXPECT_TRUE(k.ok()) << k.status().str();
    return k->run({}, options).status();
  };
  std::string forty;
  for (int i = 0; i < 40; ++i) forty += "repeat i" + std::to_string(i) + " 2 {\n";
  for (const Mode mode : {Mode::Time, Mode::Check, Mode::Values}) {
    const Status nested = status(forty, 40, {.mode = mode});
    EXPECT_EQ(nested.code(), "TY-RUN-015");
    EXPECT_NE(nested.message().find("1099511627776 instructions"), std::string::npos);
    EXPECT_EQ(status("repeat i 1000000000000 {\n", 1, {.mode = mode}).code(), "TY-RUN-015");
    // Turns without any instruction take time, too.
    EXPECT_EQ(status("repeat i 1000000000000 {\nrepeat j 0 {\n", 2, {.mode = mode}).code(),
              "TY-RUN-015");
  }
  EXPECT_EQ(status("repeat i 100 {\n", 1, {.mode = Mode::Time, .max_instructions = 99}).code(),
            "TY-RUN-015");
  EXPECT_TRUE(status("repeat i 100 {\n", 1, {.mode = Mode::Time, .max_instructions = 100}).ok());
}

// Only the values know that this loop never ends.
TEST(Kernel, StopsARunTimeLoopAtTheLimit) {
  const Result<Kernel> k = Kernel::from_text(
      "program endless target trn2\nreg r\nx: hbm i32[1] in\n"
      "loop l {\nregister_load r <- x[0]\nexit_unless r\n}\n",
      "endless.tya", *hw::find_target("trn2"));
  ASSERT_TRUE(k.ok()) << k.status().str();
  std::vector<int32_t> x = {1};
  const std::vector<sim::Binding> bindings = {{0, std::as_writable_bytes(std::span(x))}};
  const Status status = k->run(bindings, {.mode = Mode::Values, .max_instructions = 1000}).status();
  EXPECT_EQ(status.code(), "TY-RUN-015");
  EXPECT_EQ(status.place().line, 4);
}

}  // namespace
}  // namespace trainyard::runtime
