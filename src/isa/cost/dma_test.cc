// Transfers: descriptors, engines and the time line. TDMA are the rows of the timing table.
#include "isa/cost_dma.h"

#include <gtest/gtest.h>

#include "isa/small_body.h"

namespace trainyard::isa {
namespace {

using hw::kNeuronCoreV2;
using hw::kNeuronCoreV3;
using hw::kNeuronCoreV4;

template <class Make>
DmaShape shape_of(const hw::CoreSpec& core, Level level, Make make) {
  SmallBody b;
  const InstId id = b.add(make(b));
  return dma_shape(b.program, b.inst(id), core, level);
}

double ns(const hw::CoreSpec& core, Ticks t) { return hw::seconds(core, t) * 1e9; }

int64_t engines_used(const DmaShape& shape) {
  int64_t used = 0;
  for (const auto& e : shape.engines) used += e.descriptors > 0 ? 1 : 0;
  return used;
}

auto load(Dtype dtype, int64_t p, int64_t f, DgeMode dge = DgeMode::Unknown) {
  return [=](SmallBody& b) {
    return DmaCopy{.dst = b.sbuf(dtype, {p, f}), .src = b.hbm(dtype, {p, f}), .dge_mode = dge};
  };
}
auto store(Dtype dtype, int64_t p, int64_t f, DgeMode dge = DgeMode::Unknown) {
  return [=](SmallBody& b) {
    return DmaCopy{.dst = b.hbm(dtype, {p, f}), .src = b.sbuf(dtype, {p, f}), .dge_mode = dge};
  };
}

TEST(DmaCost, TDMA1FourPartitionsUseOneEngine) {
  const DmaShape s = shape_of(kNeuronCoreV3, Level::C, load(Dtype::BF16, 4, 4096));
  EXPECT_EQ(engines_used(s), 1);
  EXPECT_EQ(s.engines[0].descriptors, 4);
  EXPECT_EQ(s.bytes, 32'768);
  EXPECT_NEAR(ns(kNeuronCoreV3, s.payload), 1425, 1);
  EXPECT_NEAR(ns(kNeuronCoreV3, s.payload), 1416, 0.01 * 1416);  // published
  EXPECT_EQ(s.lag, Ticks{0});
}

TEST(DmaCost, TDMA2A128PartitionLoadUsesAllEnginesWithEightRowsEach) {
  const DmaShape s = shape_of(kNeuronCoreV3, Level::C, load(Dtype::BF16, 128, 128));
  EXPECT_EQ(s.engines.size(), 16u);
  for (const auto& e : s.engines) {
    EXPECT_EQ(e.descriptors, 8);
    EXPECT_EQ(e.bytes, 8 * 256);
    EXPECT_NEAR(ns(kNeuronCoreV3, e.payload), 89, 0.5);  // published 72 to 97
  }
  EXPECT_NEAR(ns(kNeuronCoreV3, s.dispatch), 739, 15);
  EXPECT_NEAR(ns(kNeuronCoreV3, s.notify), 290, 30);
  // First start to last end, published 468 ns.
  EXPECT_NEAR(ns(kNeuronCoreV3, s.payload + s.lag), 468, 0.15 * 468);
}

TEST(DmaCost, TDMA3AnIsolatedSwdgeLoadTakes2288Nanoseconds) {
  const DmaShape s = shape_of(kNeuronCoreV3, Level::C, load(Dtype::F32, 128, 512, DgeMode::Swdge));
  EXPECT_NEAR(ns(kNeuronCoreV3, s.payload), 712, 1);
  EXPECT_NEAR(ns(kNeuronCoreV3, s.isolated()), 2288, 3);
}

TEST(DmaCost, TDMA4AnIsolatedSwdgeStoreTakes1769Nanoseconds) {
  const DmaShape s = shape_of(kNeuronCoreV3, Level::C, store(Dtype::F32, 128, 512, DgeMode::Swdge));
  EXPECT_EQ(s.direction, Direction::Store);
  EXPECT_NEAR(ns(kNeuronCoreV3, s.isolated()), 1769, 6);
}

TEST(DmaCost, TDMA5SwdgeIssuesEvery600NanosecondsUpToRowsOf1700Bytes) {
  for (const int64_t row : {64, 850}) {
    const DmaShape s =
        shape_of(kNeuronCoreV3, Level::D, load(Dtype::BF16, 128, row, DgeMode::Swdge));
    EXPECT_NEAR(ns(kNeuronCoreV3, s.generate), 600, 0.2);
    EXPECT_EQ(s.trigger, s.generate);
    EXPECT_LT(s.payload, s.generate);
  }
  // More runs than 128 cost a nanosecond each: 512 of them here.
  const DmaShape many = shape_of(kNeuronCoreV3, Level::D, [](SmallBody& b) {
    DmaCopy i = load(Dtype::F32, 128, 32, DgeMode::Swdge)(b);
    i.src = b.hbm(Dtype::F32, {128, 4, 16});
    i.src.dims[2] = {1, 8};
    return i;
  });
  EXPECT_EQ(many.descriptors, 512);
  EXPECT_NEAR(ns(kNeuronCoreV3, many.generate), 600 + 384, 0.2);
}

TEST(DmaCost, TDMA6A32KibTransferOnOneV2EngineTakesAtMost1930Nanoseconds) {
  const DmaShape s = shape_of(kNeuronCoreV2, Level::C, load(Dtype::F32, 1, 8192));
  EXPECT_GE(ns(kNeuronCoreV2, s.payload), 1810);
  EXPECT_LE(ns(kNeuronCoreV2, s.payload), 1930);
}

TEST(DmaCost, TheSizeCurveOfThePublishedChartIsReproduced) {
  struct Point {
    int64_t row;
    double published, model;
  };
  const Point points[] = {{32, .013, .013},   {64, .025, .026},   {128, .050, .052},
                          {256, .102, .104},  {512, .207, .208},  {1024, .423, .416},
                          {2048, .814, .831}, {4096, .966, .971}, {8192, .983, .987},
                          {16384, .992, .996}};
  const auto rate = [](int64_t row) {
    const DmaShape s = shape_of(kNeuronCoreV4, Level::C, load(Dtype::U8, 128, row, DgeMode::Swdge));
    const Ticks each = std::max(s.generate, s.payload + s.gap);
    return static_cast<double>(s.bytes) / ns(kNeuronCoreV4, each);
  };
  const double full = rate(32'768);
  for (const Point& p : points) {
    EXPECT_NEAR(rate(p.row) / full, p.model, 0.0011) << p.row;
    EXPECT_NEAR(rate(p.row) / full, p.published, 0.03 * p.published + 0.002) << p.row;
  }
}

TEST(DmaCost, TinyRunsPayTheDescriptorFloor) {
  const DmaShape s = shape_of(kNeuronCoreV3, Level::D, [](SmallBody& b) {
    DmaCopy i = load(Dtype::BF16, 128, 128)(b);
    i.src = b.hbm(Dtype::BF16, {128, 256});
    i.src.dims[1] = {2, 128};  // every second element
    return i;
  });
  EXPECT_EQ(s.descriptors, 128 * 128);
  EXPECT_NEAR(ns(kNeuronCoreV3, s.payload), 8 * 128 * 7, 1);
}

TEST(DmaCost, RunsAreCutWhereEitherSideBreaks) {
  // SBUF rows of 512 elements against HBM rows of 300: cuts fall at multiples of both.
  const DmaShape s = shape_of(kNeuronCoreV3, Level::D, [](SmallBody& b) {
    DmaCopy i{.dst = b.sbuf(Dtype::F32, {75, 512}), .src = b.hbm(Dtype::F32, {128, 400})};
    i.src.dims[1].count = 300;
    return i;
  });
  // 512 and 300 first meet at 38,400, the end, so no cut is shared.
  EXPECT_EQ(s.descriptors, 74 + 127 + 1);
  EXPECT_EQ(s.bytes, 75 * 512 * 4);
}

TEST(DmaCost, AContiguousDramImageFillsWholeRows) {
  // [128, 2, 256] in SBUF from flat HBM: one run per partition.
  const DmaShape s = shape_of(kNeuronCoreV3, Level::D, [](SmallBody& b) {
    return DmaCopy{.dst = b.sbuf(Dtype::F32, {128, 2, 256}), .src = b.hbm(Dtype::F32, {65'536})};
  });
  EXPECT_EQ(s.descriptors, 128);
}

TEST(DmaCost, HbmToHbmPacketsGoRoundRobinOverAllEngines) {
  const DmaShape s = shape_of(kNeuronCoreV3, Level::D, [](SmallBody& b) {
    return DmaCopy{.dst = b.hbm(Dtype::F32, {1 << 20}), .src = b.hbm(Dtype::F32, {1 << 20})};
  });
  EXPECT_EQ(s.direction, Direction::HbmToHbm);
  EXPECT_EQ(engines_used(s), 16);
  EXPECT_EQ(s.engines[0].bytes, (4 << 20) / 16);
  EXPECT_EQ(s.hbm_read_bytes, 4 << 20);
  EXPECT_EQ(s.hbm_write_bytes, 4 << 20);
}

TEST(DmaCost, SmallRowsAreSlowOnV2WhenCalibrated) {
  const auto make = load(Dtype::BF16, 128, 128);  // 256 B rows
  EXPECT_NEAR(ns(kNeuronCoreV2, shape_of(kNeuronCoreV2, Level::D, make).payload), 8 * 256 / 17.0,
              1);
  EXPECT_NEAR(ns(kNeuronCoreV2, shape_of(kNeuronCoreV2, Level::C, make).payload), 8 * 256 / 6.5, 1);
}

TEST(DmaCost, ATransposeMovesByElementOnV2AndAt90PercentOnV3) {
  const auto make = [](SmallBody& b) {
    return DmaTranspose{.dst = b.sbuf(Dtype::BF16, {128, 512}),
                        .src = b.hbm(Dtype::BF16, {512, 128})};
  };
  const DmaShape v2 = shape_of(kNeuronCoreV2, Level::D, make);
  EXPECT_EQ(v2.descriptors, 128 * 512);
  const DmaShape v3 = shape_of(kNeuronCoreV3, Level::D, make);
  EXPECT_NEAR(ns(kNeuronCoreV3, v3.payload), 8 * 1024 / (0.9 * 23), 1);
}

TEST(DmaCost, HwdgeOccupiesItsBlockAndNotTheTriggerEngine) {
  const DmaShape s = shape_of(kNeuronCoreV3, Level::C, load(Dtype::F32, 128, 512, DgeMode::Hwdge));
  EXPECT_NEAR(ns(kNeuronCoreV3, s.generate), 600, 0.2);
  EXPECT_NEAR(ns(kNeuronCoreV3, s.trigger), 85, 0.2);
  EXPECT_EQ(s.ring_bytes, 0);
}

TEST(DmaCost, AStaticTransferTakesADescriptorOf16BytesPerRunInHbm) {
  const DmaShape s = shape_of(kNeuronCoreV3, Level::C, load(Dtype::F32, 128, 512));
  EXPECT_EQ(s.dge, DgeMode::Static);
  EXPECT_EQ(s.ring_bytes, 128 * 16);
}

TEST(DmaCost, AGatherReadsOneRunPerRow) {
  const DmaShape s = shape_of(kNeuronCoreV3, Level::C, [](SmallBody& b) {
    DmaCopy i{.dst = b.sbuf(Dtype::F32, {128, 64}), .src = b.hbm(Dtype::F32, {1000, 64})};
    i.src.dims[0].count = 128;
    i.src_index = b.sbuf(Dtype::S32, {128, 1});
    return i;
  });
  EXPECT_EQ(s.dge, DgeMode::Swdge);
  EXPECT_EQ(s.descriptors, 128);
  EXPECT_EQ(s.hbm_read_bytes, 128 * 64 * 4);
}

TEST(DmaCost, ThePartitionOfTheTensorDecidesTheEngine) {
  SmallBody b;
  const TensorId t = b.declare(Memory::Sbuf, Dtype::F32, {16, 64});
  b.program.placement.tensors[t].partition = 96;
  const InstId id = b.add(DmaCopy{.dst = b.all(t), .src = b.hbm(Dtype::F32, {16, 64})});
  const DmaShape s = dma_shape(b.program, b.inst(id), kNeuronCoreV3, Level::D);
  EXPECT_EQ(s.engines[11].descriptors, 0);
  EXPECT_EQ(s.engines[12].descriptors, 8);
  EXPECT_EQ(s.engines[13].descriptors, 8);
}

TEST(DmaCost, TheTriggerInstructionCostsItsEngine85NanosecondsWhenStatic) {
  SmallBody b;
  const InstId id = b.add(load(Dtype::F32, 128, 512)(b));
  const Cost c = cost(b.program, b.inst(id), Engine::Sync, kNeuronCoreV3, Level::C);
  EXPECT_NEAR(ns(kNeuronCoreV3, c.interval * kNeuronCoreV3.period(Engine::Sync)), 85, 0.9);
}

}  // namespace
}  // namespace trainyard::isa
