#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "hw/catalogue.h"
#include "isa/text/text.h"
#include "sim/values.h"

namespace trainyard::sim {
namespace {

// A program with bound tensors of 32-bit words.
class Calls : public testing::Test {
 protected:
  void load(const std::string& text, const ValueOptions& options = {}) {
    Result<isa::Program> parsed = isa::parse_text("program p target trn2\n" + text, "p.tya");
    ASSERT_TRUE(parsed.ok()) << parsed.status().str();
    program_ = std::move(*parsed);
    Result<std::shared_ptr<const ValuePlan>> plan =
        ValuePlan::make(program_, machine_.core, options);
    ASSERT_TRUE(plan.ok()) << plan.status().str();
    plan_ = *plan;
    for (size_t t = 0; t < program_.tensors.size(); ++t) {
      if (program_.tensors[t].io == isa::Io::None) continue;
      std::vector<uint32_t>& m = memory_[program_.tensors[t].name];
      m.resize(program_.tensors[t].total_bytes() / 4);
      bindings_.push_back({static_cast<isa::TensorId>(t), std::as_writable_bytes(std::span(m))});
    }
  }
  // The fault, or nothing.
  Status run(const ParallelFor& parallel = serial()) {
    Result<std::unique_ptr<ValueRun>> run = ValueRun::make(plan_, bindings_, parallel);
    if (!run.ok()) return run.status();
    (*run)->resume();
    events_.assign((*run)->events().begin(), (*run)->events().end());
    return (*run)->fault();
  }
  std::vector<uint32_t>& operator[](const std::string& name) { return memory_[name]; }
  void count_up(const std::string& name, uint32_t from = 0) {
    std::iota(memory_[name].begin(), memory_[name].end(), from);
  }

  const hw::Machine machine_ = *hw::find_target("trn2");
  isa::Program program_;
  std::shared_ptr<const ValuePlan> plan_;
  std::map<std::string, std::vector<uint32_t>> memory_;
  std::vector<Binding> bindings_;
  std::vector<ValueEvent> events_;
};

// y = x + 1 on n words, through windows of any place and order.
std::string plus_one(int n) {
  return fmt::format(R"(gpsimd plus_one {{
  window x: u32[{0}] of [{0}] at [0] read
  window y: u32[{0}] of [{0}] at [0] write
  body() {{
    zero: s32 = constant 0
    one: u32 = constant 1
    ones: u32[{0}] = broadcast one
    a: u32[{0}] = load zero (window x)
    b: u32[{0}] = add a, ones
    store zero, b (window y)
    yield
  }}
}}
)",
                     n);
}

TEST_F(Calls, ReadStridedHbmInPatternOrder) {
  load(plus_one(8) + R"(x: hbm u32[4,8] in
    y: hbm u32[8] out
    c: gpsimd_call plus_one(read x.ap(offset=31, dims=[[-8,4],[-4,2]]), write y))");
  count_up("x");
  ASSERT_TRUE(run().ok());
  EXPECT_EQ(memory_["y"], (std::vector<uint32_t>{32, 28, 24, 20, 16, 12, 8, 4}));
}

TEST_F(Calls, WriteTilesPartitionByPartition) {
  load(plus_one(8) + R"(x: hbm u32[8] in
    y: hbm u32[4,4] out
    s: sbuf u32[4,4]
    z: memset s value=7
    c: gpsimd_call plus_one(read x, write s[:,1+:2])
    st: dma_copy y <- s)");
  count_up("x");
  ASSERT_TRUE(run().ok());
  EXPECT_EQ(memory_["y"], (std::vector<uint32_t>{7, 1, 2, 7, 7, 3, 4, 7, 7, 5, 6, 7, 7, 7, 8, 7}));
}

TEST_F(Calls, SeeWhatOverlappingOperandsHeldBefore) {
  load(plus_one(8) + R"(x: hbm u32[12] inout
    c: gpsimd_call plus_one(read x[0+:8], write x[4+:8]))");
  count_up("x");
  ASSERT_TRUE(run().ok());
  EXPECT_EQ(memory_["x"], (std::vector<uint32_t>{0, 1, 2, 3, 1, 2, 3, 4, 5, 6, 7, 8}));
}

TEST_F(Calls, TakeSixtyFourBitElementsAsPairs) {
  load(R"(gpsimd square {
    window x: s64[3] of [3] at [0] update
    body(k: s64) {
      zero: s32 = constant 0
      a: s64[3] = load zero (window x)
      b: s64[3] = mul a, a
      c: s64[3] = broadcast k
      d: s64[3] = add b, c
      store zero, d (window x)
      yield
    }
  }
  reg r
  x: hbm u32[6] inout
  m: register_move r <- -1
  c: gpsimd_call square(update x, r))");
  const int64_t in[] = {-3'000'000'000, 5, 0};
  std::memcpy(memory_["x"].data(), in, sizeof(in));
  ASSERT_TRUE(run().ok());
  int64_t out[3];
  std::memcpy(out, memory_["x"].data(), sizeof(out));
  EXPECT_EQ(out[0], 8'999'999'999'999'999'999);
  EXPECT_EQ(out[1], 24);
  EXPECT_EQ(out[2], -1);
}

TEST_F(Calls, TakeAnyByteButZeroForTrue) {
  load(R"(gpsimd count {
    window m: i1[8] of [8] at [0] read
    window n: s32[1] of [1] at [0] write
    body() {
      zero: s32 = constant 0
      a: i1[8] = load zero (window m)
      b: s32[8] = convert a
      c: s32 = reduce b, zero (fold add)
      store zero, c (window n)
      yield
    }
  }
  m: hbm u8[8] in
  n: hbm i32[1] out
  c: gpsimd_call count(read m, write n))");
  const uint8_t in[] = {0, 1, 2, 255, 0, 0, 128, 1};
  std::memcpy(memory_["m"].data(), in, sizeof(in));
  ASSERT_TRUE(run().ok());
  EXPECT_EQ(memory_["n"][0], 5u);
}

TEST_F(Calls, KeepTheRestOfATensorWhoseWindowIsAPart) {
  load(R"(gpsimd fill {
    window y: u32[2] of [6] at [3] write
    body() {
      zero: s32 = constant 0
      nine: u32 = constant 9
      a: u32[2] = broadcast nine
      store zero, a (window y)
      yield
    }
  }
  y: hbm u32[6] inout
  c: gpsimd_call fill(update y))");
  count_up("y");
  ASSERT_TRUE(run().ok());
  EXPECT_EQ(memory_["y"], (std::vector<uint32_t>{0, 1, 2, 9, 9, 5}));
}

TEST_F(Calls, FaultAtTheLineOfTheCall) {
  load(plus_one(8) + R"(
    gpsimd at_index {
      window x: u32[8] of [8] at [0] update
      body(i: s32) {
        v: u32 = load i (window x)
        yield
      }
    }
    reg r
    x: hbm u32[8] inout
    m: register_move r <- 8
    c: gpsimd_call at_index(update x, r))");
  const Status fault = run();
  EXPECT_EQ(fault.code(), "TY-GPS-020");
  EXPECT_EQ(fault.place().line, 26);
  EXPECT_NE(fault.message().find("c: gpsimd 'at_index', line 19: "), std::string::npos)
      << fault.message();
}

TEST_F(Calls, MayRunInIndependentIterationsOnSeveralWorkers) {
  const std::string text = plus_one(1024) + R"(x: hbm u32[64,1024] in
    y: hbm u32[64,1024] out
    repeat i 64 { c: gpsimd_call plus_one(read x[i,:], write y[i,:]) })";
  load(text);
  count_up("x");
  bool shared = false;
  for (const std::string& remark : plan_->remarks())
    shared |= remark == "i: iterations are independent";
  EXPECT_TRUE(shared);
  // Backwards, as two workers.
  const ParallelFor backwards{2, [](int64_t n, const std::function<void(int64_t, int)>& work) {
                                for (int64_t i = n; i-- > 0;) work(i, static_cast<int>(i % 2));
                              }};
  ASSERT_TRUE(run(backwards).ok());
  for (uint32_t i = 0; i < 64 * 1024; ++i) ASSERT_EQ(memory_["y"][i], i + 1);
}

TEST_F(Calls, ThatReadWhatNobodyWroteAreReported) {
  const std::string text = R"(gpsimd touch {
    window a: u32[4] of [4] at [0] read
    window b: u32[4] of [4] at [0] update
    window c: u32[4] of [4] at [0] write
    body() {
      yield
    }
  }
  a: hbm u32[4]
  b: hbm u32[4]
  c: hbm u32[4] out
  t: gpsimd_call touch(read a, update b, write c))";
  load(text, {.watch = true});
  ASSERT_TRUE(run().ok());
  ASSERT_EQ(events_.size(), 1u);
  EXPECT_EQ(events_[0].times, 2);  // a and b, not c
  EXPECT_EQ(events_[0].status.code(), "TY-CHK-030");
}

}  // namespace
}  // namespace trainyard::sim
