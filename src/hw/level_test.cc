#include "hw/level.h"

#include <gtest/gtest.h>

#include "hw/fields.h"
#include "hw/machine_file.h"

namespace trainyard::hw {
namespace {

TEST(Level, TheCalibratedLevelIsTheCatalogue) {
  EXPECT_EQ(at_level(kNeuronCoreV3, Level::Calibrated), kNeuronCoreV3);
}

TEST(Level, TheDocumentedLevelHasNoFixedLatencies) {
  const CoreSpec core = at_level(kNeuronCoreV3, Level::Documented);
  EXPECT_EQ(core.pe.fixed_latency.value, Cycles{0});
  EXPECT_EQ(core.pe.mm_extra.value, Cycles{0});
  EXPECT_EQ(core.dve.fixed_latency.value, Cycles{0});
  EXPECT_EQ(core.act.latency_function.value, Cycles{0});
  EXPECT_EQ(core.dve.unary_fp32.value, 1.0);
  EXPECT_EQ(at_level(kNeuronCoreV2, Level::Documented).dma.small_row_bytes.value, 0);
}

TEST(Level, TheDocumentedLevelKeepsFloorsClocksAndTheFastModesOfTheGuides) {
  const CoreSpec core = at_level(kNeuronCoreV3, Level::Documented);
  EXPECT_EQ(core.dve.min_interval, kNeuronCoreV3.dve.min_interval);
  EXPECT_EQ(core.pe.mm_floor, kNeuronCoreV3.pe.mm_floor);
  EXPECT_EQ(core.dve.unary_16bit_contiguous, kNeuronCoreV3.dve.unary_16bit_contiguous);
  EXPECT_EQ(core.tick_hz, kNeuronCoreV3.tick_hz);
}

TEST(Level, NoVectorOrScalarRateOfTheDocumentedLevelIsMeasuredUnlessItAgreesWithTheTables) {
  const CoreSpec v2 = at_level(kNeuronCoreV2, Level::Documented);
  const CoreSpec v3 = at_level(kNeuronCoreV3, Level::Documented);
  for (const CoreField& field : core_fields()) {
    if (field.group != "dve" || field.get(v3).trust != Trust::Measured) continue;
    // tensor_tensor in fp32 and bf16 reductions are the two that the probes on v3 settle.
    if (field.name == "binary_fp32" || field.name == "reduce_bf16") continue;
    EXPECT_EQ(field.get(v3).value, field.get(v2).value) << field.key;
  }
}

TEST(Level, WhatTheUserSetStays) {
  const auto machine = parse_machine("base = \"trn2\"\n[core.pe]\nfixed_latency = 5\n", "my.toml");
  ASSERT_TRUE(machine);
  EXPECT_EQ(at_level(machine->core, Level::Documented).pe.fixed_latency.value, Cycles{5});
}

}  // namespace
}  // namespace trainyard::hw
