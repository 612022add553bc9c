#include "cluster/plan/faults.h"

#include <gtest/gtest.h>

namespace trainyard::cluster {
namespace {

constexpr FaultModel kFaults{.nodes = 256, .rate = 1e-7, .save = 5, .write = 20};

RunOdds odds(double work, const FaultModel& faults = kFaults, uint64_t seed = 1) {
  return simulate_runs(faults,
                       {.work_s = work, .rate_band = 0.05, .interval_s = 600, .seed = seed});
}

TEST(Faults, ARunOfAThousandYearsKeepsTheGoodputOfOneYear) {
  const double year = 3e7;  // below the bound of event by event, a thousand of them above
  const RunOdds one = odds(year), thousand = odds(1000 * year);
  EXPECT_NEAR(thousand.goodput / one.goodput, 1, 1e-3);
  EXPECT_NEAR(thousand.interruptions / one.interruptions, 1000, 5);
  EXPECT_NEAR(thousand.p50_s / one.p50_s, 1000, 5);
  EXPECT_LT(thousand.p10_s, thousand.p50_s);
  EXPECT_LT(thousand.p50_s, thousand.p90_s);
}

TEST(Faults, LongRunsAgreeWithTheFormulaAndWithTheSeed) {
  const double work = 1e13;
  const RunOdds a = odds(work), again = odds(work), other = odds(work, kFaults, 2);
  EXPECT_NEAR(a.goodput, goodput(kFaults, 600), 0.01);
  EXPECT_EQ(a.mean_s, again.mean_s);
  EXPECT_EQ(a.p90_s, again.p90_s);
  EXPECT_NE(a.p90_s, other.p90_s);
}

// Event by event the last of these would not end.
TEST(Faults, AnyAmountOfWorkIsAnswered) {
  FaultModel hopeless = kFaults;
  hopeless.rate = 1e-3;  // a fault every four seconds: a piece of ten minutes never ends
  for (const double work : {1e9, 1e15, 1e21}) {
    EXPECT_GT(odds(work).mean_s, work);
    EXPECT_GT(odds(work, hopeless).mean_s, 1000 * work);
  }
}

}  // namespace
}  // namespace trainyard::cluster
