// Limits of tensor operands. The same questions for every generation where the limit is the same.
#include "isa/verify/refusal_test.h"

namespace trainyard::isa {
namespace {

auto copy_of(int64_t p, int64_t n) {
  return [=](SmallBody& b) {
    return TensorCopy{b.sbuf(Dtype::F32, {p, n}), b.sbuf(Dtype::F32, {p, n})};
  };
}

class EveryCore : public testing::TestWithParam<const hw::CoreSpec*> {
 protected:
  const hw::CoreSpec& core() const { return *GetParam(); }
};
INSTANTIATE_TEST_SUITE_P(Generations, EveryCore,
                         testing::Values(&kNeuronCoreV2, &kNeuronCoreV3, &kNeuronCoreV4),
                         [](const auto& info) {
                           return std::string(hw::name(info.param->generation));
                         });

TEST_P(EveryCore, ACopyInSbufIsFine) { expect_ok(copy_of(128, 512), core()); }

TEST_P(EveryCore, TheArrayWritesPsumOnly) {
  expect_refused(
      [](SmallBody& b) {
        return Matmul{b.sbuf(Dtype::F32, {128, 512}), b.sbuf(Dtype::BF16, {128, 128}),
                      b.sbuf(Dtype::BF16, {128, 512})};
      },
      core(), "TY-ISA-121", {"dst", "sbuf", "psum", "tensor_copy"});
}

TEST_P(EveryCore, TheArrayReadsSbufOnly) {
  expect_refused(
      [](SmallBody& b) {
        return Matmul{b.psum(Dtype::F32, {128, 512}), b.psum(Dtype::BF16, {128, 128}),
                      b.sbuf(Dtype::BF16, {128, 512})};
      },
      core(), "TY-ISA-121", {"stationary", "psum", "tensor_copy"});
}

TEST_P(EveryCore, GpsimdDoesNotReachPsum) {
  expect_refused(
      [](SmallBody& b) {
        return TensorCopy{b.sbuf(Dtype::F32, {128, 8}), b.psum(Dtype::F32, {128, 8})};
      },
      core(), "TY-ISA-121", {"src", "gpsimd", "tensor_copy"}, Engine::Gpsimd);
}

TEST_P(EveryCore, EnginesDoNotReachHbm) {
  expect_refused(
      [](SmallBody& b) {
        TensorCopy i{b.sbuf(Dtype::F32, {128, 8}), b.hbm(Dtype::F32, {128, 8})};
        return i;
      },
      core(), "TY-ISA-121", {"src", "hbm", "dma_copy"});
}

TEST_P(EveryCore, AnOperandHasAtLeastOnePartition) {
  expect_refused(
      [](SmallBody& b) {
        TensorCopy i = copy_of(128, 8)(b);
        i.dst.partitions = 0;
        return i;
      },
      core(), "TY-ISA-122", {"dst covers 0", "1 to 128"});
}

TEST_P(EveryCore, StartPartitionsLieOnTheGranuleOfTheirCount) {
  struct Case {
    int64_t start, count;
    bool legal;
  };
  const Case cases[] = {{0, 128, true}, {0, 65, true},   {32, 65, false}, {64, 64, true},
                        {0, 33, true},  {32, 64, false}, {64, 33, true},  {96, 32, true},
                        {32, 32, true}, {1, 1, false},   {16, 16, false}, {96, 1, true}};
  for (const Case& c : cases) {
    const auto make = [&](SmallBody& b) {
      TensorCopy i = copy_of(128, 8)(b);
      i.src.partition = c.start;
      i.src.partitions = i.dst.partitions = c.count;
      return i;
    };
    if (c.legal) {
      expect_ok(make, core());
    } else {
      expect_refused(make, core(), "TY-ISA-123",
                     {"src begins at partition " + std::to_string(c.start), "dma_copy"});
    }
  }
}

TEST_P(EveryCore, ThePlacedPartitionOfTheTensorCounts) {
  SmallBody b;
  const TensorId t = b.declare(Memory::Sbuf, Dtype::F32, {16, 8});
  b.program.placement.tensors[t].partition = 16;
  b.add(TensorCopy{b.sbuf(Dtype::F32, {16, 8}), b.all(t)});
  expect_refused(b.program, core(), "TY-ISA-123", {"src begins at partition 16"});
}

TEST_P(EveryCore, AStartPartitionThatMovesWithACounterMovesInGranules) {
  const auto make = [&](int64_t step) {
    SmallBody b;
    const Access dst = b.sbuf(Dtype::F32, {32, 8}), src = b.sbuf(Dtype::F32, {128, 8});
    const Affine i = b.repeat(4);
    TensorCopy copy{dst, src};
    copy.src.partition = i * step;
    copy.src.partitions = 32;
    b.add(copy);
    return b.program;
  };
  expect_ok(make(32), core());
  expect_refused(make(16), core(), "TY-ISA-123", {"multiple of a counter"});
}

TEST_P(EveryCore, APatternHasAtMostFourDims) {
  const auto make = [](std::vector<Dim> dims) {
    return [=](SmallBody& b) {
      TensorCopy i{b.sbuf(Dtype::F32, {128, 32}), b.sbuf(Dtype::F32, {128, 4096})};
      i.src.dims = dims;
      return i;
    };
  };
  expect_ok(make({{1100, 2}, {500, 2}, {210, 2}, {50, 4}}), core());
  // Dims of one element and dims that merge do not count.
  expect_ok(make({{1100, 2}, {7, 1}, {500, 2}, {200, 2}, {2, 2}, {1, 2}}), core());
  expect_refused(make({{1100, 2}, {500, 2}, {200, 2}, {50, 2}, {3, 2}}), core(), "TY-ISA-124",
                 {"src", "more than 4 dims", "several instructions"});
}

TEST_P(EveryCore, AStepHas16Bits) {
  const auto make = [](int64_t step) {
    return [=](SmallBody& b) {
      TensorCopy i{b.sbuf(Dtype::U8, {128, 2}), b.sbuf(Dtype::U8, {128, 40'000})};
      i.src.dims = {{step, 2}};
      if (step < 0) i.src.offset = 39'999;
      return i;
    };
  };
  expect_ok(make(32'767), core());
  expect_ok(make(-32'768), core());
  expect_refused(make(32'768), core(), "TY-ISA-124", {"step", "32767"});
}

TEST_P(EveryCore, APartitionHoldsAtMost65536ElementsOfAnOperand) {
  expect_ok(copy_of(1, 20'000), core());
  expect_refused(
      [](SmallBody& b) {
        TensorCopy i{b.sbuf(Dtype::U8, {128, 70'000}), b.sbuf(Dtype::U8, {128, 70'000})};
        i.dst.dims = i.src.dims = {{1000, 70}, {1, 1000}};
        return i;
      },
      core(), "TY-ISA-124", {"70000 elements", "65536", "split"});
}

TEST_P(EveryCore, AccessesStayInsideTheirTensorInEveryIteration) {
  const auto make = [](int64_t iterations) {
    SmallBody b;
    const Access x = b.hbm(Dtype::F32, {1024, 512});
    const Affine i = b.repeat(iterations);
    DmaCopy ld{.dst = b.sbuf(Dtype::F32, {128, 512}), .src = x};
    ld.src.dims[0].count = 128;
    ld.src.offset = i * (128 * 512);
    b.add(ld);
    return b.program;
  };
  expect_ok(make(8), core());
  expect_refused(make(9), core(), "TY-ISA-125", {"src", "524288 f32", "loop bound"});
}

TEST_P(EveryCore, TriangularLoopsAreBoundedByTheirTriangle) {
  const auto make = [](int64_t more) {
    SmallBody b;
    const Access x = b.hbm(Dtype::F32, {1024, 64});
    const Affine q = b.repeat(8);
    const Affine j = b.repeat(q + Affine(1));
    DmaCopy ld{.dst = b.sbuf(Dtype::F32, {128, 64}), .src = x};
    ld.src.dims[0].count = 128;
    ld.src.offset = (q - j + Affine(more)) * (128 * 64);
    b.add(ld);
    return b.program;
  };
  expect_ok(make(0), core());
  expect_refused(make(1), core(), "TY-ISA-125", {"src"});
  expect_refused(make(-1), core(), "TY-ISA-125", {"-8192"});
}

TEST_P(EveryCore, PartitionsStayInsideTheirTensor) {
  expect_refused(
      [](SmallBody& b) {
        TensorCopy i{b.sbuf(Dtype::F32, {32, 8}), b.sbuf(Dtype::F32, {64, 8})};
        i.src.partition = 64;
        i.src.partitions = 32;
        return i;
      },
      core(), "TY-ISA-125", {"partitions 64 to 95", "64"});
}

TEST_P(EveryCore, AnAddressInARegisterIsLeftToTheRun) {
  expect_ok(
      [](SmallBody& b) {
        TensorCopy i{b.sbuf(Dtype::F32, {128, 8}), b.sbuf(Dtype::F32, {128, 64})};
        i.src.dims = {{1, 8}};
        i.src.offset = Affine::reg(b.reg(), 8);
        return i;
      },
      core());
}

TEST_P(EveryCore, AReadAsAnotherTypeIsMeasuredInBytes) {
  const auto make = [](int64_t n) {
    return [=](SmallBody& b) {
      TensorCopy i{b.sbuf(Dtype::BF16, {128, n}), b.sbuf(Dtype::F32, {128, 64})};
      i.src.dtype = Dtype::BF16;
      i.src.dims = {{1, n}};
      return i;
    };
  };
  expect_ok(make(128), core());
  expect_refused(make(129), core(), "TY-ISA-125", {"128 bf16"});
}

TEST(Operands, E4m3fnIsNativeFromV4On) {
  const auto make = [](SmallBody& b) {
    return TensorCopy{b.sbuf(Dtype::F32, {128, 8}), b.sbuf(Dtype::F8E4M3FN, {128, 8})};
  };
  expect_refused(make, kNeuronCoreV3, "TY-ISA-131", {"f8e4m3fn", "f8e4m3 ", "240"});
  expect_ok(make, kNeuronCoreV4);
}

TEST(Operands, MessagesLieAtTheUsersLine) {
  SmallBody b;
  b.add(Nop{});
  b.add(copy_of(128, 8)(b));
  std::get<TensorCopy>(b.program.insts[1].op).dst.partitions = 0;
  const Status s = verify(b.program, kNeuronCoreV3);
  EXPECT_EQ(s.place().file, "test.tya");
  EXPECT_EQ(s.place().line, 2);
  EXPECT_NE(s.message().find("tensor_copy 'i1'"), std::string::npos);
}

TEST(Operands, EveryRefusalIsReportedOncePerInstruction) {
  SmallBody b;
  for (int i = 0; i < 3; ++i) {
    const InstId id = b.add(copy_of(128, 8)(b));
    std::get<TensorCopy>(b.program.insts[id].op).dst.partitions = 0;
  }
  EXPECT_EQ(verify_all(b.program, kNeuronCoreV3).size(), 3u);
}

TEST(Operands, OneInstructionCanBeVerifiedByItself) {
  SmallBody b;
  const Affine i = b.repeat(4);
  TensorCopy copy = copy_of(128, 8)(b);
  copy.src.offset = i * 1000;  // not bounded without its loops
  const InstId id = b.add(copy);
  EXPECT_TRUE(verify(b.program, b.inst(id), kNeuronCoreV3).ok());
  EXPECT_EQ(verify(b.program, kNeuronCoreV3).code(), "TY-ISA-125");
}

}  // namespace
}  // namespace trainyard::isa
