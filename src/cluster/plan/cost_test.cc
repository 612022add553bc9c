#include "cluster/plan/cost.h"

#include <gtest/gtest.h>

namespace trainyard::cluster {
namespace {

hw::System system_of(const char* name) { return *hw::find_system(name); }

TEST(Cost, ThirtyTwoTrn1AtTenThousandTokensEachCostSixtyCentsAMillion) {
  // 21.5 / 36e6 * 1e6, whatever the number of nodes.
  EXPECT_NEAR(usd_per_million_tokens(21.5, 32, 32 * 10'000.0, 1), 21.5 / 36, 1e-9);
  EXPECT_NEAR(usd_per_million_tokens(21.5, 32, 32 * 10'000.0, 1), 0.597, 5e-4);
  // Time that makes no progress is paid for.
  EXPECT_NEAR(usd_per_million_tokens(21.5, 32, 32 * 10'000.0, 0.8), 0.597 / 0.8, 1e-3);
}

TEST(Cost, ARunTakesItsTokensOverItsRateAndItsCompilation) {
  EXPECT_DOUBLE_EQ(wall_hours(3.6e9, 1e6, 1, 0), 1);
  EXPECT_DOUBLE_EQ(wall_hours(3.6e9, 1e6, 0.5, 1800), 2.5);
}

TEST(Cost, TwoMachinesBreakEvenAtTheRatioOfTheirPricesPerPeak) {
  // List prices per BF16 teraflop-hour: trn1 7.07e-3, p4d 8.80e-3.
  const double trn1 = 21.50 / 3040, p4d = 21.957642 / (8 * 312);
  EXPECT_NEAR(trn1, 7.07e-3, 5e-6);
  EXPECT_NEAR(p4d, 8.80e-3, 5e-6);
  EXPECT_NEAR(break_even_mfu(21.50, 3040, 21.957642, 8 * 312), trn1 / p4d, 1e-12);
}

TEST(Cost, AHostOfAPodPaysForItsOwnChips) {
  // 4.20 per chip, four chips on a host.
  const hw::System pod = system_of("tpu-v5p-pod");
  EXPECT_EQ(unit_chips(pod), 4);
  const Result<hw::Price> row = hw::default_price(hw::prices(), pod.instance.name);
  ASSERT_TRUE(row.ok()) << row.status().str();
  EXPECT_NEAR(unit_price(*row, pod).middle, 16.80, 1e-9);
}

TEST(Cost, AnInstanceIsPaidWhole) {
  const hw::System trn2 = system_of("trn2.48xlarge");
  EXPECT_EQ(unit_chips(trn2), 16);
  const UnitPrice price = unit_price(*hw::default_price(hw::prices(), "trn2.48xlarge"), trn2);
  EXPECT_NEAR(price.middle, 35.76, 0.01);
  EXPECT_EQ(price.at(0), price.low);
  EXPECT_EQ(price.at(1), price.high);
}

}  // namespace
}  // namespace trainyard::cluster
