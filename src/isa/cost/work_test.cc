#include "isa/cost_work.h"

#include <gtest/gtest.h>

#include "isa/small_body.h"

namespace trainyard::isa {
namespace {

using hw::kNeuronCoreV2;
using hw::kNeuronCoreV3;

Matmul matmul(SmallBody& b, Dtype dtype) {
  return {b.psum(Dtype::F32, {128, 512}), b.sbuf(dtype, {64, 128}), b.sbuf(dtype, {64, 512})};
}

TEST(Work, AMatmulCountsItsProductsAndWeighsThemByType) {
  SmallBody b;
  const auto of = [&](Dtype dtype, const hw::CoreSpec& core) {
    return work(b.program, b.inst(b.add(matmul(b, dtype))), core);
  };
  const int64_t macs = 64 * 128 * 512;
  EXPECT_EQ(of(Dtype::BF16, kNeuronCoreV3).macs, macs);
  EXPECT_EQ(of(Dtype::BF16, kNeuronCoreV3).flops, 2 * macs);
  EXPECT_EQ(of(Dtype::BF16, kNeuronCoreV3).bf16_flops, 2.0 * macs);
  EXPECT_EQ(of(Dtype::F32, kNeuronCoreV3).bf16_flops, 8.0 * macs);
  EXPECT_EQ(of(Dtype::F8E4M3, kNeuronCoreV3).bf16_flops, 1.0 * macs);
  EXPECT_EQ(of(Dtype::F8E4M3, kNeuronCoreV2).bf16_flops, 2.0 * macs);
}

TEST(Work, DoubleRowContractsOverTwoRowsAtOnce) {
  SmallBody b;
  const InstId id = b.add(Matmul{.dst = b.psum(Dtype::F32, {128, 512}),
                                 .stationary = b.sbuf(Dtype::F8E4M3, {128, 2, 128}),
                                 .moving = b.sbuf(Dtype::F8E4M3, {128, 2, 512}),
                                 .perf_mode = PerfMode::DoubleRow});
  EXPECT_EQ(work(b.program, b.inst(id), kNeuronCoreV3).macs, 256 * 128 * 512);
}

TEST(Work, ATransposeHasNoProducts) {
  SmallBody b;
  Matmul mm = matmul(b, Dtype::BF16);
  mm.is_transpose = true;
  const Work w = work(b.program, b.inst(b.add(mm)), kNeuronCoreV3);
  EXPECT_EQ(w.macs, 0);
  EXPECT_EQ(w.flops, 0);
  EXPECT_EQ(w.elements, 128 * 512);
}

TEST(Work, AScalarOperationCountsEachOperator) {
  SmallBody b;
  TensorScalar i{.dst = b.sbuf(Dtype::F32, {128, 8}),
                 .data = b.sbuf(Dtype::F32, {128, 8}),
                 .op0 = AluOp::Multiply};
  EXPECT_EQ(work(b.program, b.inst(b.add(i)), kNeuronCoreV3).flops, 128 * 8);
  i.op1 = AluOp::Add;
  EXPECT_EQ(work(b.program, b.inst(b.add(i)), kNeuronCoreV3).flops, 2 * 128 * 8);
}

TEST(Work, AReductionCountsWhatItReads) {
  SmallBody b;
  const InstId id =
      b.add(TensorReduce{b.sbuf(Dtype::F32, {128, 1}), b.sbuf(Dtype::F32, {128, 100})});
  EXPECT_EQ(work(b.program, b.inst(id), kNeuronCoreV3).flops, 12'800);
}

TEST(Work, ATransferCountsTheBytesOfItsLargerSide) {
  SmallBody b;
  const InstId id =
      b.add(DmaCopy{.dst = b.sbuf(Dtype::F32, {128, 8}), .src = b.hbm(Dtype::BF16, {128, 8})});
  const Work w = work(b.program, b.inst(id), kNeuronCoreV3);
  EXPECT_EQ(w.bytes, 128 * 8 * 4);
  Work sum = w;
  sum += w;
  EXPECT_EQ(sum.bytes, 2 * w.bytes);
  EXPECT_EQ(sum.elements, 2 * w.elements);
}

}  // namespace
}  // namespace trainyard::isa
