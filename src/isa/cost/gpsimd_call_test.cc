#include <gtest/gtest.h>

#include <cmath>

#include "isa/cost.h"
#include "isa/text/text.h"

namespace trainyard::isa {
namespace {

// A call that reads 1 MiB and does nothing with it.
Cost cost_of(std::string_view tensor, const hw::CoreSpec& core, bool double_buffered) {
  const Result<Program> p = parse_text(
      fmt::format("program p gpsimd g {{ window x: f32[262144] of [262144] at [0] read {} body() "
                  "{{ yield }} }} {} c: gpsimd_call g(read x)",
                  double_buffered ? "double_buffered" : "", tensor),
      "p.tya");
  EXPECT_TRUE(p.ok()) << p.status().str();
  return cost(*p, p->insts[0], Engine::Gpsimd, core, Level::C);
}

int64_t cycles_of_mebibyte(const hw::CoreSpec& core, double bytes_per_ns) {
  const double seconds = (1 << 20) / (bytes_per_ns * 1e9);
  return std::llround(seconds * static_cast<double>(hw::clock_hz(core, Engine::Gpsimd).value));
}

TEST(GpsimdCallCost, TilesNeedNoTransfer) {
  const Cost c = cost_of("x: sbuf f32[128,2048]", hw::kNeuronCoreV3, false);
  EXPECT_EQ(c.interval.value, 150);
  EXPECT_EQ(c.latency, c.interval);
}

TEST(GpsimdCallCost, WindowsOfHbmMoveAtTheRateOfTheEnginesOwnDma) {
  const Cost sum = cost_of("x: hbm f32[262144]", hw::kNeuronCoreV3, false);
  const int64_t moving = cycles_of_mebibyte(hw::kNeuronCoreV3, 153);
  EXPECT_NEAR(static_cast<double>(sum.interval.value), static_cast<double>(150 + moving), 1.5);
  const Cost longer = cost_of("x: hbm f32[262144]", hw::kNeuronCoreV3, true);
  EXPECT_NEAR(static_cast<double>(longer.interval.value), static_cast<double>(moving), 1.5);
}

TEST(GpsimdCallCost, WithoutAnOwnDmaWindowsMoveAtTheRateOfTheQueues) {
  const hw::CoreSpec& core = hw::kNeuronCoreV2;
  const double rate =
      static_cast<double>(core.dma.engines.value) * core.dma.sustained_bytes_per_ns.value;
  const Cost c = cost_of("x: hbm f32[262144]", core, false);
  EXPECT_NEAR(static_cast<double>(c.interval.value),
              static_cast<double>(150 + cycles_of_mebibyte(core, rate)), 1.5);
}

}  // namespace
}  // namespace trainyard::isa
