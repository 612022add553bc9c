// The numbers of the three cores, written out a second time from the public documents.
#include "hw/core_spec.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "hw/chip_spec.h"
#include "hw/tick_rate.h"

namespace trainyard::hw {
namespace {

const std::array<const CoreSpec*, 3> kCores = {&kNeuronCoreV2, &kNeuronCoreV3, &kNeuronCoreV4};

// One row of the parameter table: v2, v3, v4.
template <class Get>
void expect_row(const char* what, Get get, std::array<double, 3> values) {
  for (size_t i = 0; i < kCores.size(); ++i) {
    EXPECT_EQ(static_cast<double>(get(*kCores[i])), values[i]) << what << " of " << kCores[i]->name;
  }
}

#define ROW(member, ...) \
  expect_row(#member, [](const CoreSpec& c) { return c.member.value; }, {__VA_ARGS__})
#define CYCLES(member, ...) \
  expect_row(#member, [](const CoreSpec& c) { return c.member.value.value; }, {__VA_ARGS__})

TEST(CoreSpec, ClocksAreThoseOfTheGuides) {
  ROW(clock.tensor_hz, 2.8e9, 2.4e9, 2.4e9);
  ROW(clock.vector_hz, 1.12e9, 0.96e9, 1.2e9);
  ROW(clock.scalar_hz, 1.4e9, 1.2e9, 1.2e9);
  ROW(clock.gpsimd_hz, 1.4e9, 1.2e9, 1.2e9);
  ROW(clock.sync_hz, 1.4e9, 1.2e9, 1.2e9);
}

TEST(CoreSpec, TheTensorEngineIs128By128WithPassesPerType) {
  ROW(pe.rows, 128, 128, 128);
  ROW(pe.cols, 128, 128, 128);
  ROW(pe.passes_16bit, 1, 1, 1);
  ROW(pe.passes_fp8, 1, 1, 1);
  ROW(pe.passes_fp32, 4, 4, 4);
  ROW(pe.passes_fp32_onezero, 2, 2, 2);
  ROW(pe.passes_fp32_transpose, 4, 2, 2);
  ROW(pe.macs_double_row, 0, 2, 2);
  ROW(pe.macs_mx, 0, 0, 4);
  ROW(limits.moving_free, 512, 512, 4096);
  ROW(limits.moving_free_bf16, 512, 512, 8192);
  ROW(pe.ls_divisor, 4, 4, 4);
  CYCLES(pe.mm_floor, 64, 64, 64);
  CYCLES(pe.mm_extra, 7, 7, 7);
  CYCLES(pe.fixed_latency, 400, 487, 487);
  ROW(pe.throttle, false, true, true);
  ROW(pe.throttle_ratio, 0.5, 0.5, 0.5);
  ROW(pe.throttle_window_ns, 3000, 3000, 3000);
}

TEST(CoreSpec, VectorRatesAreElementsPerCycleOfTheTableInverted) {
  ROW(dve.unary_fp32, 1, 1 / 2.0, 1 / 2.0);
  ROW(dve.unary_16bit_contiguous, 1, 1 / 4.0, 1 / 4.0);
  ROW(dve.unary_16bit, 1, 1 / 2.0, 1 / 2.0);
  ROW(dve.binary_fp32, 1 / 0.5, 1, 1);
  ROW(dve.binary_16bit, 1, 1 / 2.0, 1 / 2.0);
  ROW(dve.unary_psum, 1, 1, 1);
  ROW(has.vector_fast_fp8, false, false, true);
  CYCLES(dve.min_interval, 64, 64, 64);
  CYCLES(dve.fixed_latency, 180, 150, 150);
}

TEST(CoreSpec, ScalarAndGpsimdConstantsAreThoseOfTheTable) {
  ROW(act.function, 1, 1, 1);
  ROW(act.copy_16bit, 1, 1, 1 / 2.0);
  CYCLES(act.min_interval, 64, 64, 64);
  CYCLES(act.latency_function, 221, 350, 350);
  CYCLES(act.latency_copy, 221, 228, 228);
  ROW(act.table_load_ns, 1283, 1283, 1283);
  CYCLES(pool.startup, 150, 150, 150);
  ROW(sem.handoff_ns, 30, 30, 30);
  CYCLES(seq.dynamic_address_floor, 600, 600, 600);
  ROW(seq.kernel_overhead_ns, 16500, 9400, 9400);
  ROW(sbuf.vector_gpsimd_exclusive, true, false, false);
  ROW(psum.vector_scalar_exclusive, true, false, false);
  ROW(psum.same_bank_serial, true, true, true);
}

TEST(CoreSpec, DmaConstantsAreThoseOfTheTable) {
  ROW(dma.engines, 16, 16, 16);
  ROW(dma.queues, 16, 16, 16);
  ROW(dma.sustained_bytes_per_ns, 17, 23, 33);
  ROW(dma.link_bytes_per_ns, 27.2, 27.2, 38.4);
  ROW(dma.descriptor_floor_ns, 7, 7, 7);
  ROW(dma.dispatch_load_ns, 750, 750, 750);
  ROW(dma.dispatch_store_ns, 570, 570, 570);
  ROW(dma.notify_load_ns, 315, 315, 315);
  ROW(dma.notify_store_ns, 355, 355, 355);
  ROW(dma.issue_swdge_ns, 600, 600, 600);
  ROW(dma.issue_hwdge_ns, 0, 600, 600);
  ROW(dma.hwdge_blocks, 0, 2, 2);
  ROW(dma.qos_classes, 1, 1, 4);
  ROW(dma.accumulate_rate, 0.5, 0.5, 1);
  ROW(dma.transpose_hbm_rate, 0, 0.9, 0.9);
  ROW(dma.transpose_sbuf_rate, 0, 0.5, 0.5);
}

TEST(CoreSpec, MemoriesAreThoseOfTheTable) {
  ROW(hbm.stack_bytes_per_ns, 410, 716, 1225);
  ROW(hbm.stack_bytes, 16.0 * GiB, 24.0 * GiB, 36.0 * GiB);
  ROW(hbm.cores_per_stack, 1, 2, 2);
  ROW(sbuf.partition_bytes, 196608, 229376, 262144);
  ROW(psum.partition_bytes, 16384, 16384, 16384);
  ROW(psum.banks, 8, 8, 8);
  ROW(sbuf.pitch_bytes, 262144, 262144, 262144);
  expect_row("usable", [](const CoreSpec& c) { return c.sbuf_usable_bytes(); },
             {180216, 212984, 245752});
  expect_row("bank", [](const CoreSpec& c) { return c.psum_bank_bytes(); }, {2048, 2048, 2048});
}

TEST(CoreSpec, PsumBeginsBehindTheLastSbufPartition) {
  for (const CoreSpec* core : kCores) {
    EXPECT_EQ(core->psum.window_base.value,
              core->limits.partitions.value * core->sbuf.pitch_bytes.value);
  }
}

TEST(CoreSpec, EveryEngineHasAWholePeriodInTicks) {
  for (const CoreSpec* core : kCores) {
    std::array<int64_t, kEngineCount> clocks;
    for (const Engine engine : kEngines) {
      clocks[index(engine)] = clock_hz(*core, engine).value;
      EXPECT_EQ(core->period(engine).value * clock_hz(*core, engine).value, core->tick_hz);
    }
    EXPECT_EQ(tick_rate(clocks), (TickRate{core->tick_hz, core->engine_period})) << core->name;
  }
  EXPECT_EQ(kNeuronCoreV2.tick_hz, 5'600'000'000);
  EXPECT_EQ(kNeuronCoreV3.tick_hz, 4'800'000'000);
  EXPECT_EQ(kNeuronCoreV4.tick_hz, 4'800'000'000);
  EXPECT_EQ(kNeuronCoreV3.period(Engine::Vector), Ticks{5});
  EXPECT_EQ(kNeuronCoreV4.period(Engine::Vector), Ticks{4});
}

TEST(CoreSpec, ClocksWithoutACommonTickHaveNoTickRate) {
  EXPECT_FALSE(
      tick_rate({2'400'000'001, 960'000'007, 1'200'000'000, 1'200'000'000, 1'000'000'007}));
  EXPECT_TRUE(tick_rate({1'000'000, 1'000'000, 1'000'000, 1'000'000, 1'000'000}));
}

TEST(CoreSpec, NanosecondsRoundToTheNearestTick) {
  EXPECT_EQ(ticks_from_ns(kNeuronCoreV3, 30), Ticks{144});
  EXPECT_EQ(ticks_from_ns(kNeuronCoreV3, 0.1), Ticks{0});      // 0.48 ticks
  EXPECT_EQ(ticks_from_ns(kNeuronCoreV3, 0.11), Ticks{1});     // 0.528 ticks
  EXPECT_EQ(ticks_from_ns(kNeuronCoreV2, 1283), Ticks{7185});  // 7184.8
  EXPECT_DOUBLE_EQ(seconds(kNeuronCoreV3, Ticks{4'800'000'000}), 1.0);
}

// Documented TFLOPS per core are rounded to whole numbers, sometimes upwards by one.
TEST(CoreSpec, ThePeakFormulaGivesTheDocumentedTflops) {
  const auto tflops = [](const CoreSpec& core, MatmulMode mode) {
    return peak_flops(core, mode) * 1e-12;
  };
  EXPECT_NEAR(tflops(kNeuronCoreV2, MatmulMode::Bits16), 91.75, 0.005);
  EXPECT_NEAR(tflops(kNeuronCoreV3, MatmulMode::Bits16), 78.64, 0.005);
  EXPECT_NEAR(tflops(kNeuronCoreV4, MatmulMode::Fp8), 78.64, 0.005);
  EXPECT_NEAR(tflops(kNeuronCoreV3, MatmulMode::DoubleRow), 157.3, 0.05);
  EXPECT_NEAR(tflops(kNeuronCoreV4, MatmulMode::Mx), 314.6, 0.05);
  EXPECT_NEAR(tflops(kNeuronCoreV3, MatmulMode::Sparse), 314.6, 0.05);
  EXPECT_NEAR(tflops(kNeuronCoreV2, MatmulMode::Fp32), 22.9, 0.05);
  EXPECT_NEAR(tflops(kNeuronCoreV4, MatmulMode::Fp32), 19.66, 0.005);
  EXPECT_NEAR(tflops(kNeuronCoreV2, MatmulMode::Int8), 183, 0.51);
  EXPECT_EQ(tflops(kNeuronCoreV2, MatmulMode::DoubleRow), 0);
  EXPECT_EQ(tflops(kNeuronCoreV3, MatmulMode::Mx), 0);
  EXPECT_EQ(std::ceil(tflops(kNeuronCoreV2, MatmulMode::Bits16)), 92);
  EXPECT_EQ(std::ceil(tflops(kNeuronCoreV3, MatmulMode::Bits16)), 79);
  EXPECT_EQ(std::ceil(tflops(kNeuronCoreV3, MatmulMode::DoubleRow)), 158);
  EXPECT_EQ(std::ceil(tflops(kNeuronCoreV4, MatmulMode::Mx)), 315);
  EXPECT_EQ(std::ceil(tflops(kNeuronCoreV3, MatmulMode::Fp32)), 20);
}

TEST(CoreSpec, SixteenDmaEnginesGiveTheSustainedRateOfACore) {
  expect_row("aggregate",
             [](const CoreSpec& c) {
               return static_cast<double>(c.dma.engines.value) * c.dma.sustained_bytes_per_ns.value;
             },
             {272, 368, 528});
}

TEST(CoreSpec, StacksOfAChipHoldItsListedMemory) {
  const std::array<int64_t, 4> kGib = {32, 32, 96, 144};  // trn1, inf2, trn2, trn3
  for (size_t i = 0; i < chips().size(); ++i) {
    const ChipSpec& chip = chips()[i];
    const CoreSpec& core = core_spec(chip.generation);
    EXPECT_EQ(chip.hbm_stacks.value * core.hbm.stack_bytes.value, kGib[i] * GiB) << chip.name;
    EXPECT_EQ(chip.hbm_stacks.value * core.hbm.cores_per_stack.value, chip.cores.value);
    // Pages disagree by up to 2 %; the profiler's own figure is the lowest.
    const double stacks = static_cast<double>(chip.hbm_stacks.value);
    EXPECT_NEAR(stacks * core.hbm.stack_bytes_per_ns.value / chip.listed_hbm_bytes_per_ns.value, 1,
                0.02);
  }
}

TEST(CoreSpec, TrustOrdersFromDocumentedToAssumed) {
  EXPECT_EQ(weakest(Trust::Documented, Trust::Measured), Trust::Measured);
  EXPECT_EQ(weakest(Trust::Assumed, Trust::Derived), Trust::Assumed);
  EXPECT_EQ(name(Trust::Derived), "derived");
}

TEST(CoreSpec, EnginesHaveTheNamesOfTheProgramText) {
  EXPECT_EQ(name(Engine::Tensor), "tensor");
  EXPECT_EQ(name(Engine::Vector), "vector");
  EXPECT_EQ(name(Engine::Scalar), "scalar");
  EXPECT_EQ(name(Engine::Gpsimd), "gpsimd");
  EXPECT_EQ(name(Engine::Sync), "sync");
}

}  // namespace
}  // namespace trainyard::hw
