// Refusals of ALU and element-wise instructions.
#include "isa/verify/refusal_test.h"

namespace trainyard::isa {
namespace {

const hw::CoreSpec* const kCores[] = {&kNeuronCoreV2, &kNeuronCoreV3, &kNeuronCoreV4};

auto tensor_tensor(AluOp op, Dtype a = Dtype::F32, Dtype c = Dtype::F32, Dtype d = Dtype::F32) {
  return [=](SmallBody& b) {
    return TensorTensor{b.sbuf(d, {128, 8}), b.sbuf(a, {128, 8}), b.sbuf(c, {128, 8}), op};
  };
}

auto tensor_scalar(AluOp op0, Operand o0, AluOp op1 = AluOp::Bypass, Operand o1 = 0.0f,
                   Dtype dtype = Dtype::F32) {
  return [=](SmallBody& b) {
    return TensorScalar{.dst = b.sbuf(dtype, {128, 8}),
                        .data = b.sbuf(dtype, {128, 8}),
                        .op0 = op0,
                        .operand0 = o0,
                        .op1 = op1,
                        .operand1 = o1};
  };
}

TEST(VerifyAlu, TwoTilesFromPsumAreRefused) {
  for (const hw::CoreSpec* core : kCores) {
    expect_refused(
        [](SmallBody& b) {
          return TensorTensor{b.sbuf(Dtype::F32, {128, 8}), b.psum(Dtype::F32, {128, 8}),
                              b.psum(Dtype::F32, {128, 8}), AluOp::Add};
        },
        *core, "TY-ISA-126", {"data1", "data2", "tensor_copy"});
  }
}

TEST(VerifyAlu, NothingIsBroadcastByItself) {
  const auto make = [](bool repeat) {
    return [=](SmallBody& b) {
      TensorTensor i = tensor_tensor(AluOp::Add)(b);
      i.data2 = b.sbuf(Dtype::F32, {128, 1});
      if (repeat) i.data2.dims = {{0, 8}};
      return i;
    };
  };
  expect_refused(make(false), kNeuronCoreV3, "TY-ISA-127", {"8 elements", "has 1", "step of 0"});
  expect_ok(make(true), kNeuronCoreV3);
}

TEST(VerifyAlu, PartitionCountsAgree) {
  expect_refused(
      [](SmallBody& b) {
        TensorTensor i = tensor_tensor(AluOp::Add)(b);
        i.data2 = b.sbuf(Dtype::F32, {64, 8});
        return i;
      },
      kNeuronCoreV3, "TY-ISA-127", {"128 partitions", "64"});
}

TEST(VerifyAlu, TensorTensorNeedsAnOperatorWithTwoOperands) {
  expect_refused(tensor_tensor(AluOp::Abs), kNeuronCoreV3, "TY-ISA-130", {"op abs", "two"});
  expect_refused(tensor_tensor(AluOp::Bypass), kNeuronCoreV3, "TY-ISA-130", {"bypass"});
}

TEST(VerifyAlu, BitwiseOperatorsTakeIntegersOfOneSize) {
  const auto all = [](Dtype d) { return tensor_tensor(AluOp::BitwiseAnd, d, d, d); };
  expect_ok(all(Dtype::U16), kNeuronCoreV3);
  expect_refused(all(Dtype::F32), kNeuronCoreV3, "TY-ISA-129", {"data1 is f32", "integer"});
  expect_refused(tensor_tensor(AluOp::BitwiseAnd, Dtype::U32, Dtype::U32, Dtype::U8), kNeuronCoreV3,
                 "TY-ISA-129", {"u32", "u8", "sizes equal"});
}

TEST(VerifyAlu, ExactOrderComparisonsNeedOneType) {
  expect_refused(tensor_tensor(AluOp::Less, Dtype::S32, Dtype::U32, Dtype::S32), kNeuronCoreV3,
                 "TY-ISA-129", {"i32", "u32", "make them equal"});
  expect_ok(tensor_tensor(AluOp::Add, Dtype::S32, Dtype::U32, Dtype::S32), kNeuronCoreV3);
}

TEST(VerifyAlu, SomeOperatorsCameWithV4) {
  for (const AluOp op : {AluOp::AbsMax, AluOp::AbsMin}) {
    expect_refused(tensor_tensor(op), kNeuronCoreV3, "TY-ISA-131", {"NeuronCore-v4", "abs"});
    expect_ok(tensor_tensor(op), kNeuronCoreV4);
  }
  expect_refused(tensor_scalar(AluOp::Square, 0.0f), kNeuronCoreV2, "TY-ISA-131",
                 {"square", "by itself"});
  expect_refused(tensor_scalar(AluOp::Relu, 0.0f), kNeuronCoreV3, "TY-ISA-131", {"max with 0"});
  expect_ok(tensor_scalar(AluOp::Square, 0.0f), kNeuronCoreV4);
}

TEST(VerifyAlu, BitwiseAndArithmeticDoNotMix) {
  expect_refused(tensor_scalar(AluOp::BitwiseAnd, int64_t{3}, AluOp::Add, int64_t{1}, Dtype::S32),
                 kNeuronCoreV3, "TY-ISA-130", {"bitwise_and", "add", "two instructions"});
}

TEST(VerifyAlu, AnOperatorWithOneOperandComesFirst) {
  expect_ok(tensor_scalar(AluOp::Abs, 0.0f, AluOp::Add, 1.0f), kNeuronCoreV3);
  expect_refused(tensor_scalar(AluOp::Add, 1.0f, AluOp::Abs, 0.0f), kNeuronCoreV3, "TY-ISA-130",
                 {"op1 abs", "only be op0"});
}

TEST(VerifyAlu, BitwiseConstantsAreIntegers) {
  expect_ok(tensor_scalar(AluOp::ShiftLeft, int64_t{3}, AluOp::Bypass, 0.0f, Dtype::S32),
            kNeuronCoreV3);
  expect_refused(tensor_scalar(AluOp::ShiftLeft, 3.0f, AluOp::Bypass, 0.0f, Dtype::S32),
                 kNeuronCoreV3, "TY-ISA-132", {"operand0", "without a point"});
  expect_refused(tensor_scalar(AluOp::Add, int64_t{1} << 40, AluOp::Bypass, 0.0f, Dtype::S32),
                 kNeuronCoreV3, "TY-ISA-132", {"32 bits"});
}

TEST(VerifyAlu, APerPartitionOperandIsOneFp32ColumnOfTheSamePartitions) {
  const auto make = [](Dtype dtype, std::vector<int64_t> shape) {
    return [=](SmallBody& b) {
      TensorScalar i = tensor_scalar(AluOp::Add, 0.0f)(b);
      i.operand0 = b.sbuf(dtype, shape);
      return i;
    };
  };
  expect_ok(make(Dtype::F32, {128, 1}), kNeuronCoreV3);
  expect_refused(make(Dtype::F32, {128, 2}), kNeuronCoreV3, "TY-ISA-128", {"128 x 2", "operand0"});
  expect_refused(make(Dtype::F32, {64, 1}), kNeuronCoreV3, "TY-ISA-128", {"64 x 1", "128"});
  expect_refused(make(Dtype::BF16, {128, 1}), kNeuronCoreV3, "TY-ISA-129", {"bf16", "f32"});
}

TEST(VerifyAlu, AnEngineWithoutTheOperatorIsRefusedWithOneThatHasIt) {
  expect_refused(tensor_tensor(AluOp::Max), kNeuronCoreV3, "TY-ISA-120", {"gpsimd", "vector can"},
                 Engine::Gpsimd);
  expect_refused(tensor_scalar(AluOp::Max, 0.0f), kNeuronCoreV3, "TY-ISA-120",
                 {"scalar", "vector can"}, Engine::Scalar);
  expect_ok(tensor_scalar(AluOp::Multiply, 2.0f, AluOp::Add, 1.0f), kNeuronCoreV3, Engine::Scalar);
  expect_refused(tensor_scalar(AluOp::Multiply, 2.0f), kNeuronCoreV2, "TY-ISA-120", {"scalar"},
                 Engine::Scalar);
}

TEST(VerifyAlu, ScalarTensorTensorIsArithmetic) {
  const auto make = [](AluOp op1, bool psum) {
    return [=](SmallBody& b) {
      return ScalarTensorTensor{
          .dst = b.sbuf(Dtype::S32, {128, 8}),
          .data = psum ? b.psum(Dtype::S32, {128, 8}) : b.sbuf(Dtype::S32, {128, 8}),
          .operand1 = psum ? b.psum(Dtype::S32, {128, 8}) : b.sbuf(Dtype::S32, {128, 8}),
          .op0 = AluOp::Add,
          .op1 = op1};
    };
  };
  expect_ok(make(AluOp::Multiply, false), kNeuronCoreV3);
  expect_refused(make(AluOp::BitwiseOr, false), kNeuronCoreV3, "TY-ISA-130", {"tensor_tensor"});
  expect_refused(make(AluOp::Multiply, true), kNeuronCoreV3, "TY-ISA-126", {"operand1"});
}

TEST(VerifyAlu, AScanTakesANumberOrAColumnToBeginWith) {
  const auto make = [](int64_t n) {
    return [=](SmallBody& b) {
      return TensorTensorScan{.dst = b.sbuf(Dtype::F32, {128, 8}),
                              .data0 = b.sbuf(Dtype::F32, {128, 8}),
                              .data1 = b.sbuf(Dtype::F32, {128, 8}),
                              .initial = b.sbuf(Dtype::F32, {128, n})};
    };
  };
  expect_ok(make(1), kNeuronCoreV3);
  expect_refused(make(8), kNeuronCoreV3, "TY-ISA-128", {"initial", "128 x 8"});
}

TEST(VerifyAlu, AReductionTakesTheLastDims) {
  const auto make = [](int64_t axes, AluOp op, int64_t kept) {
    return [=](SmallBody& b) {
      TensorReduce i{.dst = b.sbuf(Dtype::F32, {128, kept}),
                     .data = b.sbuf(Dtype::F32, {128, 4, 8}),
                     .op = op,
                     .axes = axes};
      return i;
    };
  };
  expect_ok(make(1, AluOp::Add, 4), kNeuronCoreV3);
  expect_ok(make(2, AluOp::Max, 1), kNeuronCoreV3);
  expect_refused(make(3, AluOp::Add, 1), kNeuronCoreV3, "TY-ISA-133", {"axes is 3", "transpose"});
  expect_refused(make(0, AluOp::Add, 1), kNeuronCoreV3, "TY-ISA-133", {"axes is 0"});
  expect_refused(make(1, AluOp::Add, 8), kNeuronCoreV3, "TY-ISA-127", {"must have 4"});
  expect_refused(make(1, AluOp::Less, 4), kNeuronCoreV3, "TY-ISA-130", {"reductions are"});
  expect_refused(make(1, AluOp::BitwiseAnd, 4), kNeuronCoreV3, "TY-ISA-129", {"f32"});
}

TEST(VerifyElementwise, PredicatesAreUnsignedIntegers) {
  const auto make = [](Dtype predicate, Dtype src) {
    return [=](SmallBody& b) {
      return TensorCopyPredicated{.dst = b.sbuf(Dtype::F32, {128, 8}),
                                  .src = b.sbuf(src, {128, 8}),
                                  .predicate = b.sbuf(predicate, {128, 8})};
    };
  };
  for (const Dtype d : {Dtype::U8, Dtype::U16, Dtype::U32}) {
    expect_ok(make(d, Dtype::F32), kNeuronCoreV3);
  }
  expect_refused(make(Dtype::F32, Dtype::F32), kNeuronCoreV3, "TY-ISA-129", {"u8, u16, u32"});
  expect_refused(make(Dtype::U8, Dtype::BF16), kNeuronCoreV3, "TY-ISA-129", {"does not convert"});
}

TEST(VerifyElementwise, SelectRoundsThroughFp32SoItTakesNo32BitIntegers) {
  const auto make = [](Dtype value, Dtype predicate, bool psum = false) {
    return [=](SmallBody& b) {
      return Select{b.sbuf(value, {128, 8}),
                    psum ? b.psum(predicate, {128, 8}) : b.sbuf(predicate, {128, 8}),
                    psum ? b.psum(value, {128, 8}) : b.sbuf(value, {128, 8})};
    };
  };
  expect_ok(make(Dtype::F32, Dtype::U8), kNeuronCoreV3);
  expect_refused(make(Dtype::S32, Dtype::U8), kNeuronCoreV3, "TY-ISA-129",
                 {"on_true is i32", "tensor_copy_predicated"});
  expect_refused(make(Dtype::F32, Dtype::U32), kNeuronCoreV3, "TY-ISA-129", {"predicate is u32"});
  expect_refused(make(Dtype::F32, Dtype::U8, true), kNeuronCoreV3, "TY-ISA-126", {"predicate"});
}

TEST(VerifyElementwise, MemsetStoresNumbersThatFit) {
  const auto make = [](Dtype dtype, Operand value) {
    return [=](SmallBody& b) { return Memset{b.sbuf(dtype, {128, 8}), value}; };
  };
  for (const hw::CoreSpec* core : kCores) {
    expect_ok(make(Dtype::F32, 1.5f), *core);
    expect_ok(make(Dtype::U8, int64_t{255}), *core);
    expect_ok(make(Dtype::S32, int64_t{-5}), *core);
    expect_refused(make(Dtype::U8, int64_t{256}), *core, "TY-ISA-132", {"256", "0 to 255"});
    expect_refused(make(Dtype::S8, int64_t{-129}), *core, "TY-ISA-132", {"-128 to 127"});
    expect_refused(make(Dtype::S32, 1.0f), *core, "TY-ISA-132", {"i32", "write an integer"});
  }
}

auto activation(auto change) {
  return [=](SmallBody& b) {
    Activation i{.dst = b.sbuf(Dtype::BF16, {128, 8}),
                 .data = b.sbuf(Dtype::F32, {128, 8}),
                 .op = Function::Exp};
    change(i, b);
    return i;
  };
}

TEST(VerifyElementwise, ANumberAsBiasNeedsV3) {
  const auto number = activation([](Activation& i, SmallBody&) { i.bias = 1.0f; });
  expect_refused(number, kNeuronCoreV2, "TY-ISA-131", {"bias is a number", "memset"});
  expect_ok(number, kNeuronCoreV3);
  expect_ok(activation([](Activation& i, SmallBody& b) {
              i.bias = b.sbuf(Dtype::BF16, {128, 1});
            }),
            kNeuronCoreV2);
}

TEST(VerifyElementwise, ReciprocalTakesNoBiasOnV2) {
  const auto make = activation([](Activation& i, SmallBody& b) {
    i.op = Function::Reciprocal;
    i.bias = b.sbuf(Dtype::F32, {128, 1});
  });
  expect_refused(make, kNeuronCoreV2, "TY-ISA-131", {"reciprocal", "tensor_scalar"});
  expect_ok(make, kNeuronCoreV3);
}

TEST(VerifyElementwise, ScaleBiasAndSumHaveOneElementPerPartition) {
  expect_refused(activation([](Activation& i, SmallBody& b) {
                   i.scale = b.sbuf(Dtype::F32, {128, 8});
                 }),
                 kNeuronCoreV3, "TY-ISA-128", {"scale is 128 x 8"});
  expect_refused(activation([](Activation& i, SmallBody& b) {
                   i.scale = b.sbuf(Dtype::BF16, {128, 1});
                 }),
                 kNeuronCoreV3, "TY-ISA-129", {"scale is bf16"});
  expect_refused(activation([](Activation& i, SmallBody& b) {
                   i.bias = b.sbuf(Dtype::TF32, {128, 1});
                 }),
                 kNeuronCoreV3, "TY-ISA-129", {"tf32"});
  expect_refused(activation([](Activation& i, SmallBody& b) {
                   i.reduce_res = b.sbuf(Dtype::F32, {64, 1});
                 }),
                 kNeuronCoreV3, "TY-ISA-128", {"reduce_res is 64 x 1"});
}

TEST(VerifyElementwise, AnIotaPatternGivesOneValuePerElement) {
  const auto make = [](std::vector<Dim> pattern) {
    return [=](SmallBody& b) {
      return Iota{.dst = b.sbuf(Dtype::S32, {128, 12}), .pattern = pattern};
    };
  };
  expect_ok(make({{4, 3}, {1, 4}}), kNeuronCoreV3);
  expect_refused(make({{1, 8}}), kNeuronCoreV3, "TY-ISA-127", {"must have 8"});
  expect_refused(make({{1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 12}}), kNeuronCoreV3, "TY-ISA-133",
                 {"5 dims", "at most 4"});
  expect_refused(make({{1, 70'000}}), kNeuronCoreV3, "TY-ISA-133", {"70000", "65535"});
}

TEST(VerifyElementwise, AffineSelectCompares) {
  const auto make = [](AluOp cmp) {
    return [=](SmallBody& b) {
      return AffineSelect{.dst = b.sbuf(Dtype::F32, {128, 8}),
                          .on_true_tile = b.sbuf(Dtype::F32, {128, 8}),
                          .pattern = {{1, 8}},
                          .cmp_op = cmp};
    };
  };
  expect_ok(make(AluOp::GreaterEqual), kNeuronCoreV3);
  expect_refused(make(AluOp::Add), kNeuronCoreV3, "TY-ISA-130", {"comparison"});
}

TEST(VerifyElementwise, StatisticsAndMaximaHaveTheirSizes) {
  const auto stats = [](int64_t n, int64_t out) {
    return [=](SmallBody& b) {
      return BnStats{b.sbuf(Dtype::F32, {128, out}), b.sbuf(Dtype::F32, {128, n})};
    };
  };
  const auto aggr = [](int64_t n, int64_t out) {
    return [=](SmallBody& b) {
      return BnAggr{b.sbuf(Dtype::F32, {128, out}), b.sbuf(Dtype::F32, {128, n})};
    };
  };
  const auto max8 = [](int64_t n, int64_t out) {
    return [=](SmallBody& b) {
      return Max8{b.sbuf(Dtype::F32, {128, out}), b.sbuf(Dtype::F32, {128, n})};
    };
  };
  for (const hw::CoreSpec* core : kCores) {
    expect_ok(stats(512, 6), *core);
    expect_refused(stats(513, 6), *core, "TY-ISA-133", {"513", "512", "2 instructions", "bn_aggr"});
    expect_refused(stats(512, 2), *core, "TY-ISA-127", {"must have 6"});
    expect_ok(aggr(12, 2), *core);
    expect_refused(aggr(10, 2), *core, "TY-ISA-133", {"multiple of 3"});
    expect_refused(aggr(12, 3), *core, "TY-ISA-127", {"mean and variance"});
    expect_ok(max8(8, 8), *core);
    expect_ok(max8(16'384, 8), *core);
    expect_refused(max8(7, 8), *core, "TY-ISA-133", {"7 elements", "8 to 16384", "pad"});
    expect_refused(max8(16'385, 8), *core, "TY-ISA-133", {"16385"});
  }
  expect_refused(
      [](SmallBody& b) {
        Max8 i{b.sbuf(Dtype::F32, {128, 8}), b.sbuf(Dtype::F32, {128, 4096})};
        i.src.dims = {{1100, 2}, {500, 2}, {200, 2}, {50, 2}};
        return i;
      },
      kNeuronCoreV3, "TY-ISA-124", {"4 free dims", "at most 3"});
}

}  // namespace
}  // namespace trainyard::isa
