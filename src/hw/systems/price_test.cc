#include "hw/systems/price.h"

#include <gtest/gtest.h>

#include "hw/systems/accelerator_spec.h"

namespace trainyard::hw {
namespace {

const std::string kRow =
    "[[price]]\ninstance = \"trn3-gen2-ultraserver\"\nmarket = \"capacity-block\"\n"
    "usd_per_hour = 700\ndate = \"2026-09\"\nsource = \"quote\"\n";

std::string refusal(const std::string& text) {
  const auto rows = parse_prices(text, "p.toml");
  return rows ? "accepted" : rows.status().str();
}

TEST(Prices, EveryRowHasADateAndAChipOfTheCatalogue) {
  for (const Price& price : prices()) {
    EXPECT_GE(price.date.size(), 7u) << price.instance;
    EXPECT_NE(find_accelerator(price.accelerator), nullptr) << price.instance;
    EXPECT_GT(price.low, 0) << price.instance;
    EXPECT_GE(price.high, price.low) << price.instance;
    EXPECT_GE(price.chips, 1) << price.instance;
  }
}

TEST(Prices, Trn1CostsAsMuchPerChipInBothSizes) {
  const Price small = *find_price(prices(), {.instance = "trn1.2xlarge"});
  const Price large = *find_price(prices(), {.instance = "trn1.32xlarge"});
  EXPECT_EQ(small.low, 1.34375);
  EXPECT_EQ(large.low / static_cast<double>(large.chips), small.low);
  EXPECT_EQ(large.date, "2026-08-22");
}

TEST(Prices, SpotNeverFallsBelowATenthOfOnDemand) {
  for (const Price& price : prices()) {
    if (price.market != Market::Spot || price.provider != "aws") continue;
    const auto list = find_price(prices(), {.instance = price.instance});
    if (!list) continue;
    // trn1.2xlarge and trn2 are listed with a rounded or an old price.
    EXPECT_GE(price.low, 0.0997 * list->low) << price.instance << " " << price.region;
  }
}

TEST(Prices, PerPeakFlopTheListPricesGiveThePublishedOrder) {
  const auto per_tflop = [](const char* instance) {
    const Price price = *default_price(prices(), instance);
    return price.low / static_cast<double>(price.chips) /
           find_accelerator(price.accelerator)->tflops_bf16.value;
  };
  EXPECT_NEAR(per_tflop("trn1.32xlarge"), 7.07e-3, 1e-5);
  EXPECT_NEAR(per_tflop("p4d.24xlarge"), 8.80e-3, 1e-5);
  EXPECT_NEAR(per_tflop("p5.48xlarge"), 6.95e-3, 1e-5);
  EXPECT_NEAR(per_tflop("trn2.48xlarge"), 3.35e-3, 1e-5);
  EXPECT_NEAR(per_tflop("p5en.48xlarge"), 8.00e-3, 1e-5);
  EXPECT_NEAR(per_tflop("p6-b200.48xlarge"), 6.33e-3, 1e-5);
  EXPECT_NEAR(per_tflop("tpu-v5e-pod"), 6.09e-3, 1e-5);
  EXPECT_NEAR(per_tflop("tpu-v5p-pod"), 9.15e-3, 1e-5);
  EXPECT_NEAR(per_tflop("tpu-v6e-pod"), 2.94e-3, 1e-5);
}

TEST(Prices, Trn2IsPricedByItsCapacityBlockNotByAnOldList) {
  const Price price = *default_price(prices(), "trn2.48xlarge");
  EXPECT_EQ(price.market, Market::CapacityBlock);
  EXPECT_EQ(price.low, 35.7608);
}

TEST(Prices, AnUltraServerIsTakenAsFourServersAndSaysSo) {
  const Price price = *default_price(prices(), "trn2-ultraserver");
  EXPECT_EQ(price.low, 4 * 35.7608);
  EXPECT_EQ(price.trust, Trust::Assumed);
  EXPECT_NE(price.note, "");
}

TEST(Prices, Trainium3HasNoPriceUntilTheUserGivesOne) {
  const auto none = default_price(prices(), "trn3-gen2-ultraserver");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.status().code(), "TY-HW-013");
  const auto mine = parse_prices(kRow, "p.toml");
  ASSERT_TRUE(mine);
  const Price price = *default_price(with_prices(*mine, prices()), "trn3-gen2-ultraserver");
  EXPECT_EQ(price.low, 700);
  EXPECT_EQ(price.source, "user:p.toml");
  EXPECT_EQ(price.date, "2026-09");
}

TEST(Prices, AUsersRowComesBeforeTheTable) {
  const auto mine = parse_prices(
      "[[price]]\ninstance = \"trn1.32xlarge\"\nmarket = \"on-demand\"\nlow = 10\nhigh = 12.5\n"
      "date = \"2026-09-01\"\nsource = \"contract\"\nregion = \"eu\"\nchips = 16\n",
      "p.toml");
  ASSERT_TRUE(mine);
  const auto table = with_prices(*mine, prices());
  EXPECT_EQ(find_price(table, {.instance = "trn1.32xlarge"})->middle(), 11.25);
  EXPECT_EQ(find_price(table, {.instance = "trn1.32xlarge", .region = "us-east-1"})->low, 21.5);
}

TEST(Prices, ARowThatLacksSomethingIsRefusedWithItsLine) {
  EXPECT_EQ(refusal("x = 1\n"),
            "p.toml:1:5  TY-HW-012  a price file has only [[price]] tables, not 'x'");
  EXPECT_EQ(refusal("[[price]]\ninstance = \"a\"\n"),
            "p.toml:1:1  TY-HW-012  a price without date; every row needs instance, market, "
            "usd_per_hour (or low and high), date and source");
  const auto with = [](std::string from, const std::string& to) {
    std::string text = kRow;
    text.replace(text.find(from), from.size(), to);
    return refusal(text);
  };
  EXPECT_EQ(with("\"2026-09\"", "\"May\""),
            "p.toml:5:8  TY-HW-012  date = 'May': must be like 2026-05 or 2026-05-03");
  EXPECT_EQ(with("capacity-block", "cheap"),
            "p.toml:3:10  TY-HW-012  market = 'cheap': must be on-demand, spot, reserved or "
            "capacity-block");
  EXPECT_EQ(with("700", "-1"),
            "p.toml:4:16  TY-HW-012  usd_per_hour = -1: must be a number from 0 to 1000000");
  EXPECT_EQ(with("usd_per_hour", "usd_per_our"),
            "p.toml:4:15  TY-HW-012  a price has no key 'usd_per_our' (did you mean "
            "'usd_per_hour'?); keys are provider, instance, accelerator, chips, region, market, "
            "usd_per_hour, low, high, date, source");
  EXPECT_EQ(with("usd_per_hour = 700", "low = 5\nhigh = 4"),
            "p.toml:5:8  TY-HW-012  high = 4: must be a number from 5 to 1000000");
}

}  // namespace
}  // namespace trainyard::hw
