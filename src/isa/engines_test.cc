#include "isa/engines.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "isa/small_body.h"

namespace trainyard::isa {
namespace {

using hw::kNeuronCoreV2;
using hw::kNeuronCoreV3;
using hw::kNeuronCoreV4;
using Engines = std::vector<Engine>;

struct Chosen {
  Engine engine;
  Engines legal, same;
  Arithmetic arithmetic;
};

template <class Make>
Chosen choose(const hw::CoreSpec& core, Make make) {
  SmallBody b;
  const Inst& inst = b.inst(b.add(make(b)));
  const Engine e = resolve_engine(b.program, inst, core);
  return {e, legal_engines(b.program, inst, core), same_bits_engines(b.program, inst, core),
          arithmetic(b.program, inst, e)};
}

bool has(const Engines& engines, Engine e) {
  return std::find(engines.begin(), engines.end(), e) != engines.end();
}

auto tensor_tensor(Dtype dtype, AluOp op, bool psum = false) {
  return [=](SmallBody& b) {
    return TensorTensor{b.sbuf(dtype, {128, 8}), b.sbuf(dtype, {128, 8}),
                        psum ? b.psum(dtype, {128, 8}) : b.sbuf(dtype, {128, 8}), op};
  };
}

auto tensor_scalar(Dtype dtype, AluOp op0, Operand o0, AluOp op1 = AluOp::Bypass,
                   Operand o1 = 0.0f) {
  return [=](SmallBody& b) {
    return TensorScalar{.dst = b.sbuf(dtype, {128, 8}),
                        .data = b.sbuf(dtype, {128, 8}),
                        .op0 = op0,
                        .operand0 = o0,
                        .op1 = op1,
                        .operand1 = o1};
  };
}

TEST(Engines, ThirtyTwoBitIntegersGoToGpsimdWhereTheyAreExact) {
  const Chosen c = choose(kNeuronCoreV3, tensor_tensor(Dtype::S32, AluOp::Add));
  EXPECT_EQ(c.engine, Engine::Gpsimd);
  EXPECT_EQ(c.arithmetic, Arithmetic::Int32);
  EXPECT_EQ(c.same, Engines{Engine::Gpsimd});
  EXPECT_TRUE(has(c.legal, Engine::Vector));
}

TEST(Engines, AnIntegerTileInPsumForcesVectorAndFp32) {
  const Chosen c = choose(kNeuronCoreV3, tensor_tensor(Dtype::S32, AluOp::Add, /*psum=*/true));
  EXPECT_EQ(c.engine, Engine::Vector);
  EXPECT_EQ(c.arithmetic, Arithmetic::Fp32);
  EXPECT_FALSE(has(c.legal, Engine::Gpsimd));
}

TEST(Engines, BitwiseOperatorsRunOnVectorWhateverTheWidth) {
  const Chosen c = choose(kNeuronCoreV3, tensor_tensor(Dtype::U32, AluOp::BitwiseXor));
  EXPECT_EQ(c.engine, Engine::Vector);
  EXPECT_EQ(c.arithmetic, Arithmetic::Bits);
  EXPECT_EQ(c.legal, Engines{Engine::Vector});
}

TEST(Engines, AnFp32AddMayMoveToGpsimd) {
  const Chosen c = choose(kNeuronCoreV3, tensor_tensor(Dtype::F32, AluOp::Add));
  EXPECT_EQ(c.same, (Engines{Engine::Vector, Engine::Gpsimd}));
  EXPECT_EQ(choose(kNeuronCoreV3, tensor_tensor(Dtype::F32, AluOp::Max)).same,
            Engines{Engine::Vector});
}

TEST(Engines, PowerAndRsqrtExistOnGpsimdOnly) {
  const Chosen power = choose(kNeuronCoreV3, tensor_tensor(Dtype::F32, AluOp::Power));
  EXPECT_EQ(power.engine, Engine::Gpsimd);
  EXPECT_EQ(power.legal, Engines{Engine::Gpsimd});
  const Chosen rsqrt = choose(kNeuronCoreV3, tensor_scalar(Dtype::F32, AluOp::Rsqrt, 0.0f));
  EXPECT_EQ(rsqrt.engine, Engine::Gpsimd);
}

TEST(Engines, PowerOfATileInPsumHasNoEngine) {
  EXPECT_TRUE(
      choose(kNeuronCoreV3, tensor_tensor(Dtype::F32, AluOp::Power, /*psum=*/true)).legal.empty());
}

TEST(Engines, AddressArithmeticIsExactOnVector) {
  const auto make = tensor_scalar(Dtype::S32, AluOp::Multiply, int64_t{4}, AluOp::Add, int64_t{1});
  const Chosen c = choose(kNeuronCoreV3, make);
  EXPECT_EQ(c.engine, Engine::Vector);
  EXPECT_EQ(c.arithmetic, Arithmetic::Int32);
  EXPECT_EQ(c.same, (Engines{Engine::Vector, Engine::Gpsimd}));
}

TEST(Engines, OtherIntegerScalarOperatorsGoToGpsimd) {
  const Chosen c = choose(kNeuronCoreV3, tensor_scalar(Dtype::S32, AluOp::Max, int64_t{4}));
  EXPECT_EQ(c.engine, Engine::Gpsimd);
  EXPECT_EQ(c.arithmetic, Arithmetic::Int32);
  // With a real number the operation is a real one.
  EXPECT_EQ(choose(kNeuronCoreV3, tensor_scalar(Dtype::S32, AluOp::Max, 4.5f)).engine,
            Engine::Vector);
}

TEST(Engines, MultiplyAddGivesTheSameBitsOnVectorAndScalarFromV3) {
  const auto make = tensor_scalar(Dtype::F32, AluOp::Multiply, 2.0f, AluOp::Add, 1.0f);
  EXPECT_FALSE(has(choose(kNeuronCoreV2, make).same, Engine::Scalar));
  EXPECT_TRUE(has(choose(kNeuronCoreV3, make).same, Engine::Scalar));
  const auto sub = tensor_scalar(Dtype::F32, AluOp::Multiply, 2.0f, AluOp::Subtract, 1.0f);
  EXPECT_FALSE(has(choose(kNeuronCoreV3, sub).same, Engine::Scalar));
  EXPECT_TRUE(has(choose(kNeuronCoreV4, sub).same, Engine::Scalar));
}

TEST(Engines, ACopyMayRunOnThreeEnginesAndNotOnGpsimdFromPsum) {
  const auto make = [](bool psum) {
    return [=](SmallBody& b) {
      return TensorCopy{b.sbuf(Dtype::F32, {128, 8}),
                        psum ? b.psum(Dtype::F32, {128, 8}) : b.sbuf(Dtype::F32, {128, 8})};
    };
  };
  EXPECT_EQ(choose(kNeuronCoreV3, make(false)).same,
            (Engines{Engine::Vector, Engine::Scalar, Engine::Gpsimd}));
  EXPECT_EQ(choose(kNeuronCoreV3, make(true)).same, (Engines{Engine::Vector, Engine::Scalar}));
  EXPECT_EQ(choose(kNeuronCoreV2, make(true)).same, Engines{Engine::Vector});
}

TEST(Engines, ALargeTransposeIntoPsumGoesToTensorAndASmallOneToVector) {
  const auto make = [](int64_t n, bool psum) {
    return [=](SmallBody& b) {
      return Transpose{psum ? b.psum(Dtype::BF16, {n, n}) : b.sbuf(Dtype::BF16, {n, n}),
                       b.sbuf(Dtype::BF16, {n, n})};
    };
  };
  EXPECT_EQ(choose(kNeuronCoreV3, make(128, true)).engine, Engine::Tensor);
  EXPECT_EQ(choose(kNeuronCoreV3, make(32, true)).same, (Engines{Engine::Vector, Engine::Tensor}));
  EXPECT_EQ(choose(kNeuronCoreV2, make(32, true)).same, Engines{Engine::Vector});
  EXPECT_TRUE(choose(kNeuronCoreV3, make(64, false)).legal.empty());
}

TEST(Engines, LoadsAreTriggeredBySyncAndStoresByScalar) {
  const auto copy = [](bool store, DgeMode dge) {
    return [=](SmallBody& b) {
      const Access on = b.sbuf(Dtype::F32, {128, 8}), off = b.hbm(Dtype::F32, {128, 8});
      return DmaCopy{.dst = store ? off : on, .src = store ? on : off, .dge_mode = dge};
    };
  };
  EXPECT_EQ(choose(kNeuronCoreV3, copy(false, DgeMode::Unknown)).engine, Engine::Sync);
  EXPECT_EQ(choose(kNeuronCoreV3, copy(true, DgeMode::Unknown)).engine, Engine::Scalar);
  EXPECT_EQ(choose(kNeuronCoreV3, copy(true, DgeMode::Unknown)).legal.size(), hw::kEngineCount);
  EXPECT_EQ(choose(kNeuronCoreV3, copy(false, DgeMode::Swdge)).legal, Engines{Engine::Gpsimd});
  EXPECT_EQ(choose(kNeuronCoreV3, copy(false, DgeMode::Hwdge)).legal,
            (Engines{Engine::Sync, Engine::Scalar}));
}

TEST(Engines, DescriptorsAreStaticUnlessAnAddressIsDynamicOrIndexed) {
  SmallBody b;
  const RegisterId r = b.reg();
  const auto mode = [&](const hw::CoreSpec& core, DmaCopy i) {
    return resolve_dge(b.program, b.inst(b.add(std::move(i))), core);
  };
  DmaCopy i{.dst = b.sbuf(Dtype::F32, {128, 8}), .src = b.hbm(Dtype::F32, {1000, 8})};
  i.src.dims[0].count = 128;
  EXPECT_EQ(mode(kNeuronCoreV3, i), DgeMode::Static);
  DmaCopy dynamic = i;
  dynamic.src.offset = Affine::reg(r, 8);
  EXPECT_EQ(mode(kNeuronCoreV3, dynamic), DgeMode::Hwdge);
  EXPECT_EQ(mode(kNeuronCoreV2, dynamic), DgeMode::Swdge);
  DmaCopy cast = dynamic;
  cast.dst.dtype = Dtype::S32;
  EXPECT_EQ(mode(kNeuronCoreV3, cast), DgeMode::Swdge);
  DmaCopy gather = i;
  gather.src_index = b.sbuf(Dtype::S32, {128, 1});
  EXPECT_EQ(mode(kNeuronCoreV3, gather), DgeMode::Swdge);
}

TEST(Engines, TheAuthorsChoiceStands) {
  SmallBody b;
  const InstId id = b.add(tensor_tensor(Dtype::S32, AluOp::Add)(b), Engine::Vector);
  EXPECT_EQ(resolve_engine(b.program, b.inst(id), kNeuronCoreV3), Engine::Vector);
  EXPECT_EQ(same_bits_engines(b.program, b.inst(id), kNeuronCoreV3), Engines{Engine::Vector});
}

}  // namespace
}  // namespace trainyard::isa
