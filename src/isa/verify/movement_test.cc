// Refusals of transfers, registers and what meets other cores.
#include "isa/verify/refusal_test.h"

namespace trainyard::isa {
namespace {

auto copy(auto change) {
  return [=](SmallBody& b) {
    DmaCopy i{.dst = b.sbuf(Dtype::F32, {128, 64}), .src = b.hbm(Dtype::F32, {1000, 64})};
    i.src.dims[0].count = 128;
    change(i, b);
    return i;
  };
}
const auto kPlain = copy([](DmaCopy&, SmallBody&) {});

TEST(VerifyDma, ALoadIsFineEverywhere) {
  for (const hw::CoreSpec* core : {&kNeuronCoreV2, &kNeuronCoreV3, &kNeuronCoreV4}) {
    expect_ok(kPlain, *core);
  }
}

TEST(VerifyDma, PsumIsOutOfReach) {
  for (const hw::CoreSpec* core : {&kNeuronCoreV2, &kNeuronCoreV3, &kNeuronCoreV4}) {
    expect_refused(
        [](SmallBody& b) {
          return DmaCopy{.dst = b.hbm(Dtype::F32, {128, 64}), .src = b.psum(Dtype::F32, {128, 64})};
        },
        *core, "TY-ISA-150", {"src", "psum", "tensor_copy"});
  }
}

TEST(VerifyDma, OnlyTheElementCountsMustAgree) {
  expect_ok(copy([](DmaCopy& i, SmallBody& b) {
              i.dst = b.sbuf(Dtype::F32, {64, 128});
            }),
            kNeuronCoreV3);
  expect_refused(copy([](DmaCopy& i, SmallBody& b) {
                   i.dst = b.sbuf(Dtype::F32, {64, 64});
                 }),
                 kNeuronCoreV3, "TY-ISA-150", {"8192", "4096"});
}

TEST(VerifyDma, HwdgeNeedsV3EqualTypesAndNoIndex) {
  const auto hwdge = [](auto change) {
    return copy([=](DmaCopy& i, SmallBody& b) {
      i.dge_mode = DgeMode::Hwdge;
      change(i, b);
    });
  };
  const auto plain = hwdge([](DmaCopy&, SmallBody&) {});
  expect_refused(plain, kNeuronCoreV2, "TY-ISA-131", {"hwdge", "leave dge_mode out"});
  expect_ok(plain, kNeuronCoreV3);
  expect_refused(hwdge([](DmaCopy& i, SmallBody& b) {
                   i.dst = b.sbuf(Dtype::BF16, {128, 64});
                 }),
                 kNeuronCoreV3, "TY-ISA-151", {"f32", "bf16", "swdge"});
  expect_refused(hwdge([](DmaCopy& i, SmallBody& b) {
                   i.src_index = b.sbuf(Dtype::S32, {128, 1});
                 }),
                 kNeuronCoreV3, "TY-ISA-151", {"gather", "swdge"});
}

TEST(VerifyDma, StaticDescriptorsNeedKnownAddresses) {
  expect_refused(copy([](DmaCopy& i, SmallBody& b) {
                   i.dge_mode = DgeMode::Static;
                   i.src.offset = Affine::reg(b.reg(), 64);
                 }),
                 kNeuronCoreV3, "TY-ISA-154", {"register", "leave dge_mode out"});
}

TEST(VerifyDma, AnIndexTileNamesOneRowPerPartition) {
  const auto gather = [](Dtype dtype, std::vector<int64_t> shape) {
    return copy([=](DmaCopy& i, SmallBody& b) { i.src_index = b.sbuf(dtype, shape); });
  };
  expect_ok(gather(Dtype::S32, {128, 1}), kNeuronCoreV3);
  expect_ok(gather(Dtype::U32, {128, 1}), kNeuronCoreV4);
  expect_refused(gather(Dtype::S32, {128, 1}), kNeuronCoreV2, "TY-ISA-131",
                 {"src_index", "row by row"});
  expect_refused(gather(Dtype::S16, {128, 1}), kNeuronCoreV3, "TY-ISA-152", {"i16", "i32 or u32"});
  expect_refused(gather(Dtype::S32, {64, 1}), kNeuronCoreV3, "TY-ISA-152", {"64 x 1", "128 x 1"});
  expect_refused(copy([](DmaCopy& i, SmallBody& b) {
                   i.dst_index = b.sbuf(Dtype::S32, {128, 1});  // dst is in SBUF
                 }),
                 kNeuronCoreV3, "TY-ISA-152", {"dst", "hbm"});
}

TEST(VerifyDma, SkippingNeedsAnAddressThatCanBeOutOfRange) {
  expect_refused(copy([](DmaCopy& i, SmallBody&) { i.oob_mode = OobMode::Skip; }), kNeuronCoreV3,
                 "TY-ISA-152", {"oob_mode skip", "index tile"});
}

TEST(VerifyDma, SwdgeIsTriggeredByGpsimd) {
  const auto swdge = copy([](DmaCopy& i, SmallBody&) { i.dge_mode = DgeMode::Swdge; });
  expect_ok(swdge, kNeuronCoreV2);
  expect_refused(swdge, kNeuronCoreV3, "TY-ISA-120", {"sync", "gpsimd can"}, Engine::Sync);
}

auto transpose(Dtype dtype, std::vector<int64_t> from, std::vector<int64_t> to,
               DgeMode dge = DgeMode::Unknown) {
  return [=](SmallBody& b) {
    return DmaTranspose{.dst = b.sbuf(dtype, to), .src = b.hbm(dtype, from), .dge_mode = dge};
  };
}

TEST(VerifyDma, ATransposeExchangesFirstAndLast) {
  expect_ok(transpose(Dtype::BF16, {512, 128}, {128, 512}), kNeuronCoreV3);
  expect_ok(transpose(Dtype::F32, {4, 8, 128}, {128, 8, 4}), kNeuronCoreV3);
  expect_ok(transpose(Dtype::BF16, {2, 3, 4, 64}, {64, 3, 4, 2}), kNeuronCoreV3);
  expect_ok(transpose(Dtype::BF16, {512, 128}, {128, 512}), kNeuronCoreV2);
  expect_refused(transpose(Dtype::BF16, {128, 64}, {128, 64}), kNeuronCoreV3, "TY-ISA-153",
                 {"[128,64]", "must be [64,128]"});
  expect_refused(transpose(Dtype::U8, {512, 128}, {128, 512}), kNeuronCoreV3, "TY-ISA-153",
                 {"u8", "2-byte and 4-byte"});
  expect_refused(transpose(Dtype::BF16, {512}, {128, 4}), kNeuronCoreV3, "TY-ISA-153",
                 {"1 dims", "2 to 4"});
  expect_refused(transpose(Dtype::BF16, {512, 128}, {128, 512}, DgeMode::Swdge), kNeuronCoreV3,
                 "TY-ISA-153", {"swdge", "leave dge_mode out"});
}

TEST(VerifyDma, TheHardwareTransposeTakesSixteenRowsOfTwoByteTypes) {
  const auto hw = DgeMode::Hwdge;
  expect_ok(transpose(Dtype::BF16, {16, 128}, {128, 16}, hw), kNeuronCoreV3);
  expect_ok(transpose(Dtype::BF16, {2, 8, 128}, {128, 8, 2}, hw), kNeuronCoreV3);
  expect_refused(transpose(Dtype::BF16, {32, 128}, {128, 32}, hw), kNeuronCoreV3, "TY-ISA-153",
                 {"[32,128]", "16 rows"});
  expect_refused(transpose(Dtype::F32, {16, 128}, {128, 16}, hw), kNeuronCoreV3, "TY-ISA-153",
                 {"2-byte", "f32"});
  expect_refused(transpose(Dtype::BF16, {3, 16, 128}, {128, 16, 3}, hw), kNeuronCoreV3,
                 "TY-ISA-153", {"1, 2, 4, 8 or 16"});
}

TEST(VerifyRegisters, NumbersFit32BitsAndMemoryHoldsOneInteger) {
  expect_refused(
      [](SmallBody& b) {
        return RegisterMove{{b.reg()}, int64_t{1} << 33};
      },
      kNeuronCoreV3, "TY-ISA-105", {"32-bit"});
  const auto load = [](Dtype dtype, int64_t n) {
    return [=](SmallBody& b) { return RegisterLoad{{b.reg()}, b.sbuf(dtype, {1, n})}; };
  };
  expect_ok(load(Dtype::S32, 1), kNeuronCoreV3);
  expect_refused(load(Dtype::S32, 2), kNeuronCoreV3, "TY-ISA-127", {"2 elements", "one"});
  expect_refused(load(Dtype::F32, 1), kNeuronCoreV3, "TY-ISA-129", {"f32", "integer"});
  expect_refused(
      [](SmallBody& b) {
        return RegisterStore{b.psum(Dtype::S32, {1, 1}), int64_t{1}};
      },
      kNeuronCoreV3, "TY-ISA-150", {"psum"});
}

TEST(VerifyCores, PairsOfCoresExistFromV3On) {
  const auto barrier = [](SmallBody&) { return CoreBarrier{}; };
  expect_refused(barrier, kNeuronCoreV2, "TY-ISA-131", {"NeuronCore-v3"});
  expect_ok(barrier, kNeuronCoreV3);
  const auto exchange = [](int64_t to, bool hbm) {
    return [=](SmallBody& b) {
      SendRecv i{.dst = b.sbuf(Dtype::F32, {128, 8}), .src = b.sbuf(Dtype::F32, {128, 8})};
      i.send_to_rank = to;
      if (hbm) i.src = b.hbm(Dtype::F32, {128, 8});
      return i;
    };
  };
  expect_ok(exchange(1, false), kNeuronCoreV3);
  expect_refused(exchange(2, false), kNeuronCoreV3, "TY-ISA-155", {"send_to_rank is 2", "0 and 1"});
  expect_refused(exchange(1, true), kNeuronCoreV3, "TY-ISA-155", {"src", "hbm", "sbuf"});
}

TEST(VerifyCores, CollectivesHaveTheSizesOfTheirKind) {
  const auto make = [](CollectiveKind kind, int64_t in, int64_t out, int64_t group,
                       AluOp op = AluOp::Add) {
    return [=](SmallBody& b) {
      return Collective{.dst = b.hbm(Dtype::F32, {out}),
                        .src = b.hbm(Dtype::F32, {in}),
                        .kind = kind,
                        .op = op,
                        .group_size = group};
    };
  };
  using enum CollectiveKind;
  expect_ok(make(AllGather, 1024, 4096, 4), kNeuronCoreV3);
  expect_ok(make(AllGather, 1024, 4096, 0), kNeuronCoreV3);
  expect_ok(make(ReduceScatter, 4096, 1024, 4), kNeuronCoreV3);
  expect_ok(make(AllReduce, 4096, 4096, 0, AluOp::Max), kNeuronCoreV3);
  expect_ok(make(AllToAll, 4096, 4096, 8), kNeuronCoreV3);
  expect_refused(make(AllGather, 1024, 1024, 4), kNeuronCoreV3, "TY-ISA-156",
                 {"all_gather", "dst"});
  expect_refused(make(ReduceScatter, 1024, 4096, 4), kNeuronCoreV3, "TY-ISA-156", {"src"});
  expect_refused(make(AllReduce, 1024, 2048, 2), kNeuronCoreV3, "TY-ISA-156", {"keeps the size"});
  expect_refused(make(AllToAll, 1000, 1000, 3), kNeuronCoreV3, "TY-ISA-156", {"multiple"});
  expect_refused(make(AllReduce, 64, 64, 2, AluOp::Multiply), kNeuronCoreV3, "TY-ISA-156",
                 {"multiply", "add, max or min"});
  expect_refused(make(AllReduce, 64, 64, -1), kNeuronCoreV3, "TY-ISA-156", {"group_size is -1"});
  expect_refused(
      [](SmallBody& b) {
        return Collective{.dst = b.sbuf(Dtype::F32, {128, 8}), .src = b.hbm(Dtype::F32, {1024})};
      },
      kNeuronCoreV3, "TY-ISA-156", {"dst", "sbuf"});
}

}  // namespace
}  // namespace trainyard::isa
