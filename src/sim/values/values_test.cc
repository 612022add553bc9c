#include "sim/values.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>

#include "isa/text/text.h"

namespace trainyard::sim {
namespace {

using State = ValueRun::State;

// A program in text form, its memory, and one run.
class Machine {
 public:
  explicit Machine(std::string_view text, const ValueOptions& options = {})
      : program_(isa::parse_text(text, "test.tya")) {
    EXPECT_TRUE(program_.ok()) << program_.status().str();
    auto plan = ValuePlan::make(*program_, hw::kNeuronCoreV3, options);
    EXPECT_TRUE(plan.ok()) << plan.status().str();
    plan_ = *plan;
    for (size_t id = 0; id < program_->tensors.size(); ++id) {
      const isa::Tensor& t = program_->tensors[id];
      if (t.io != isa::Io::None) memory_[t.name].resize((t.total_bytes() + 3) / 4);
    }
  }

  template <class T>
  T* at(const std::string& tensor) {
    return reinterpret_cast<T*>(memory_.at(tensor).data());
  }
  State run(const ParallelFor& parallel = serial()) {
    std::vector<Binding> bindings;
    for (size_t id = 0; id < program_->tensors.size(); ++id) {
      const isa::Tensor& t = program_->tensors[id];
      if (t.io == isa::Io::None) continue;
      bindings.push_back({static_cast<isa::TensorId>(id),
                          {reinterpret_cast<std::byte*>(memory_.at(t.name).data()),
                           static_cast<size_t>(t.total_bytes())}});
    }
    auto made = ValueRun::make(plan_, bindings, parallel);
    EXPECT_TRUE(made.ok()) << made.status().str();
    run_ = std::move(*made);
    return run_->resume();
  }
  const ValueRun& result() const { return *run_; }
  const isa::Program& program() const { return *program_; }
  std::shared_ptr<const ValuePlan> plan() const { return plan_; }

 private:
  Result<isa::Program> program_;
  std::shared_ptr<const ValuePlan> plan_;
  std::map<std::string, std::vector<uint32_t>> memory_;
  std::unique_ptr<ValueRun> run_;
};

TEST(Values, AnInnerRepeatMayCountByAnOuterCounter) {
  // Row i of y gets the sum of rows 0 to i of x.
  Machine m(R"(
program triangle target trn2
x: hbm f32[8,4] in   y: hbm f32[8,4] out
repeat i 8 {
  s: sbuf f32[1,4]
  memset s value=0.0
  repeat j i + 1 {
    t: sbuf f32[1,4]
    dma_copy t <- x[j+:1,:]
    tensor_tensor s <- s, t op=add
  }
  dma_copy y[i+:1,:] <- s
})");
  for (int i = 0; i < 32; ++i) m.at<float>("x")[i] = static_cast<float>(i / 4 + 1);
  EXPECT_EQ(m.run(), State::Done);
  for (int i = 0; i < 8; ++i) {
    for (int c = 0; c < 4; ++c)
      EXPECT_EQ(m.at<float>("y")[4 * i + c], static_cast<float>((i + 1) * (i + 2)) / 2);
  }
  EXPECT_EQ(m.result().executed(), 8 + 2 * 36 + 8);
}

TEST(Values, RunTimeLoopsAndBranchesAreRecordedInOrder) {
  // Doubles v until it passes 100, for three starts; counts and branches are kept per entry.
  Machine m(R"(
program collatz target trn2
reg v, go, n
starts: hbm i32[3] in   steps: hbm i32[3] out
repeat k 3 {
  register_load v <- starts[k]
  register_move n <- 0
  loop grow {
    register_alu go <- v, 100 op=less
    exit_unless go
    register_alu v <- v, v op=add
    register_alu n <- n, 1 op=add
  }
  if grew n {
    register_store steps[k] <- n
  } else {
    register_store steps[k] <- -1
  }
})");
  const int32_t starts[] = {30, 200, 1};
  std::memcpy(m.at<int32_t>("starts"), starts, sizeof(starts));
  EXPECT_EQ(m.run(), State::Done);
  EXPECT_EQ(m.at<int32_t>("steps")[0], 2);
  EXPECT_EQ(m.at<int32_t>("steps")[1], -1);
  EXPECT_EQ(m.at<int32_t>("steps")[2], 7);
  using Runs = std::vector<isa::TripRecord::Run>;
  EXPECT_EQ(m.result().trips().loops[1], (Runs{{2, 1}, {0, 1}, {7, 1}}));
  EXPECT_EQ(m.result().trips().branches[0], (Runs{{1, 1}, {0, 1}, {1, 1}}));
}

TEST(Values, ACountedLoopSeesItsRegisterAndAddressesWithIt) {
  Machine m(R"(
program counted target trn2
reg i, end
x: hbm f32[16,4] in   y: hbm f32[16,4] inout   bound: hbm i32[1] in
register_load end <- bound[0]
loop rows i from 1 to end step 3 {
  t: sbuf f32[1,4]
  dma_copy t <- x[i+:1,:]
  dma_copy y[i+:1,:] <- t
})");
  for (int i = 0; i < 64; ++i) m.at<float>("x")[i] = static_cast<float>(i);
  *m.at<int32_t>("bound") = 11;
  EXPECT_EQ(m.run(), State::Done);
  for (int row = 0; row < 16; ++row) {
    const bool copied = row % 3 == 1 && row < 11;
    EXPECT_EQ(m.at<float>("y")[4 * row + 2], copied ? 4.0f * row + 2 : 0.0f);
  }
  EXPECT_EQ(m.result().trips().loops[0].front().value, 4);
}

TEST(Values, ARunTimeAddressOutsideItsTensorFaultsAtTheInstruction) {
  Machine m(R"(
program outside target trn2
reg i
x: hbm f32[4,4] in   y: hbm f32[4] out
t: sbuf f32[1,4]
register_move i <- 4
bad: dma_copy t <- x[i+:1,:]
dma_copy y <- t)");
  EXPECT_EQ(m.run(), State::Fault);
  EXPECT_EQ(m.result().fault().code(), "TY-RUN-010");
  EXPECT_EQ(m.result().fault().place().line, 7);
  EXPECT_NE(m.result().fault().message().find("16 to 19"), std::string::npos)
      << m.result().fault().str();
}

TEST(Values, ALoopThatPassesItsMaximumIsStopped) {
  Machine m(R"(
program endless target trn2
reg one
register_move one <- 1
loop spin trips(max=5) {
  exit_unless one
  nop
})");
  EXPECT_EQ(m.run(), State::Fault);
  EXPECT_EQ(m.result().fault().code(), "TY-RUN-013");
}

TEST(Values, OneCoreAloneRefusesToMeetAnother) {
  Machine m(R"(
program meet target trn2
nop
meet: core_barrier)");
  EXPECT_EQ(m.run(), State::Fault);
  EXPECT_EQ(m.result().fault().code(), "TY-RUN-012");
  EXPECT_EQ(m.result().fault().place().line, 4);
}

TEST(Values, ANewPsumInstanceStartsAnAccumulationAgain) {
  Machine m(R"(
program groups target trn2
a: hbm f32[4,4] in   y: hbm f32[3,4,4] out
s: sbuf f32[4,4]
dma_copy s <- a
repeat i 3 {
  p: psum f32[4,4]
  repeat k i + 1 {
    nc_matmul p <- s, s
  }
  c: sbuf f32[4,4]
  tensor_copy c <- p
  dma_copy y[i,:,:] <- c
})");
  for (int i = 0; i < 4; ++i) m.at<float>("a")[5 * i] = 2.0f;  // twice the identity
  EXPECT_EQ(m.run(), State::Done);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(m.at<float>("y")[16 * i], 4.0f * (i + 1));
    EXPECT_EQ(m.at<float>("y")[16 * i + 1], 0.0f);
  }
}

TEST(Values, AViewSeesTheBytesOfItsBase) {
  Machine m(R"(
program views target trn2
x: hbm f32[2,4] in   y: hbm i32[2,4] out
t: sbuf f32[2,8]
bits: sbuf i32[2,4] view t + 16
dma_copy t[:,4+:4] <- x
tensor_scalar bits <- bits op0=bitwise_xor operand0=1
dma_copy y <- bits)");
  for (int i = 0; i < 8; ++i) m.at<float>("x")[i] = 1.5f * static_cast<float>(i);
  EXPECT_EQ(m.run(), State::Done);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(m.at<uint32_t>("y")[i], m.at<uint32_t>("x")[i] ^ 1u);
}

TEST(Values, CarriedStateLivesInATensorDeclaredOutside) {
  Machine m(R"(
program carry target trn2
y: hbm f32[1,2] out
s: sbuf f32[1,2]
memset s value=1.0
repeat i 10 {
  tensor_scalar s <- s op0=multiply operand0=2.0
}
dma_copy y <- s)");
  EXPECT_EQ(m.run(), State::Done);
  EXPECT_EQ(m.at<float>("y")[1], 1024.0f);
}

TEST(Values, OverlappingInPlaceWorkReadsBeforeItWrites) {
  Machine m(R"(
program inplace target trn2
x: hbm bf16[4,3000] in   y: hbm bf16[4,3000] out
t: sbuf bf16[4,3000]
dma_copy t <- x
tensor_tensor t <- t, t op=add
activation t <- t op=square
dma_copy y <- t)");
  for (int i = 0; i < 12000; ++i) m.at<uint16_t>("x")[i] = 0x3F80;  // 1
  EXPECT_EQ(m.run(), State::Done);
  for (int i = 0; i < 12000; ++i) ASSERT_EQ(m.at<uint16_t>("y")[i], 0x4080);  // 4
}

TEST(Values, BindingsMustFitTheProgram) {
  const Result<isa::Program> program = isa::parse_text(
      "program p target trn2\nx: hbm f32[4] in\nt: sbuf f32[1,4]\ndma_copy t <- x\n", "p.tya");
  ASSERT_TRUE(program.ok());
  const auto plan = ValuePlan::make(*program, hw::kNeuronCoreV3, {});
  ASSERT_TRUE(plan.ok());
  std::vector<uint32_t> words(8);
  auto* bytes = reinterpret_cast<std::byte*>(words.data());
  const auto code = [&](std::vector<Binding> bindings) {
    const auto run = ValueRun::make(*plan, bindings, serial());
    return run.ok() ? std::string() : run.status().code();
  };
  EXPECT_EQ(code({{0, {bytes, 16}}}), "");
  EXPECT_EQ(code({}), "TY-RUN-014");
  EXPECT_EQ(code({{0, {bytes, 20}}}), "TY-RUN-014");
  EXPECT_EQ(code({{1, {bytes, 16}}}), "TY-RUN-014");
  EXPECT_EQ(code({{7, {bytes, 16}}}), "TY-RUN-014");
  EXPECT_EQ(code({{0, {bytes + 2, 16}}}), "TY-RUN-014");
}

TEST(Values, AProgramThatCannotRunIsRefusedByThePlan) {
  const Result<isa::Program> program = isa::parse_text(
      "program p target trn2\nt: sbuf f32[4,4]\nu: sbuf f32[4,5]\ntensor_copy t <- u\n", "p.tya");
  ASSERT_TRUE(program.ok());
  EXPECT_FALSE(ValuePlan::make(*program, hw::kNeuronCoreV3, {}).ok());
}

TEST(Watch, AReadBeforeAnyWriteIsReportedWithItsIteration) {
  Machine m(R"(
program uninit target trn2
y: hbm f32[4,4] out
repeat i 2 {
  t: sbuf f32[4,8]
  memset t[:,0+:4] value=1.0
  c: sbuf f32[4,4]
  use: tensor_copy c <- t[:,2+:4]
  dma_copy y <- c
})",
            {.watch = true});
  EXPECT_EQ(m.run(), State::Done);
  ASSERT_EQ(m.result().events().size(), 1u);
  const ValueEvent& e = m.result().events()[0];
  EXPECT_EQ(e.status.code(), "TY-CHK-030");
  EXPECT_EQ(e.status.place().line, 8);
  EXPECT_EQ(e.times, 2);
  EXPECT_EQ(e.counters[0], 0);
  EXPECT_TRUE(std::isnan(m.at<float>("y")[2])) << "new tensors are poisoned";
  EXPECT_EQ(m.at<float>("y")[0], 1.0f);
}

TEST(Watch, EveryOtherColumnIsTrackedByItself) {
  Machine m(R"(
program strided target trn2
y: hbm f32[4,4] out
t: sbuf f32[4,8]
memset t[:,0+:4:2] value=1.0
c: sbuf f32[4,4]
even: tensor_copy c <- t[:,0+:4:2]
memset t[:,1+:3:2] value=2.0
most: tensor_copy c <- t[:,3+:4]
last: tensor_copy c <- t[:,4+:4]
memset t[:,7+:1] value=3.0
all: tensor_copy c <- t[:,4+:4]
dma_copy y <- c)",
            {.watch = true});
  EXPECT_EQ(m.run(), State::Done);
  ASSERT_EQ(m.result().events().size(), 1u);
  EXPECT_EQ(m.result().events()[0].status.place().line, 10) << "only `last` reads column 7";
}

TEST(Watch, InputsOutsideTheRangeOfAFunctionAreCounted) {
  Machine m(R"(
program range target trn2
x: hbm f32[2,4] in   y: hbm f32[2,4] out
t: sbuf f32[2,4]
dma_copy t <- x
activation t <- t op=sin
dma_copy y <- t)",
            {.watch = true});
  m.at<float>("x")[3] = 9.0f;
  m.at<float>("x")[6] = -4.0f;
  EXPECT_EQ(m.run(), State::Done);
  ASSERT_EQ(m.result().events().size(), 1u);
  EXPECT_EQ(m.result().events()[0].status.code(), "TY-CHK-031");
  EXPECT_NE(m.result().events()[0].status.message().find("2 inputs of sin"), std::string::npos);
}

TEST(Watch, RowsThatAScatterWroteMayBeGathered) {
  Machine m(R"(
program gather target trn2
i: hbm i32[3,1] in   y: hbm f32[3,2] out
h: hbm f32[8,2]
t: sbuf f32[3,2]   u: sbuf f32[3,2]   s: sbuf i32[3,1]
memset t value=1.0
dma_copy s <- i
dma_copy h[0+:3,:] <- t dst_index=s
dma_copy u <- h[0+:3,:] src_index=s
dma_copy y <- u
bad: dma_copy u <- h[0+:3,:])",
            {.watch = true});
  const int32_t rows[] = {5, 1, 7};
  std::memcpy(m.at<int32_t>("i"), rows, sizeof(rows));
  EXPECT_EQ(m.run(), State::Done);
  ASSERT_EQ(m.result().events().size(), 1u);
  EXPECT_EQ(m.result().events()[0].status.code(), "TY-CHK-030");
  EXPECT_EQ(m.result().events()[0].status.place().line, 11);
  EXPECT_EQ(m.at<float>("y")[5], 1.0f);
}

TEST(Watch, AScatterToOneRowTwiceIsReported) {
  Machine m(R"(
program scatter target trn2
i: hbm i32[3,1] in   y: hbm f32[8,2] out
t: sbuf f32[3,2]   s: sbuf i32[3,1]
memset t value=1.0
dma_copy s <- i
dma_copy y[0+:3,:] <- t dst_index=s)",
            {.watch = true});
  const int32_t rows[] = {5, 2, 5};
  std::memcpy(m.at<int32_t>("i"), rows, sizeof(rows));
  EXPECT_EQ(m.run(), State::Done);
  ASSERT_EQ(m.result().events().size(), 1u);
  EXPECT_EQ(m.result().events()[0].status.code(), "TY-CHK-032");
}

}  // namespace
}  // namespace trainyard::sim
