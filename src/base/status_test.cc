#include "base/status.h"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

TEST(Status, AnErrorPrintsPlaceCodeAndMessage) {
  const Status s = error("TY-ISA-014", "moving tile is {} wide", 600).at({"a.tya", 3, 7});
  EXPECT_EQ(s.str(), "a.tya:3:7  TY-ISA-014  moving tile is 600 wide");
}

TEST(Status, TheFirstPlaceWins) {
  const Status s = error("TY-ISA-014", "x").at({"inner", 1, 1}).at({"outer", 9, 9});
  EXPECT_EQ(s.place().file, "inner");
}

TEST(Result, CarriesAValueOrAReason) {
  const Result<int> good = 3;
  const Result<int> bad = error("TY-ISA-001", "no");
  EXPECT_EQ(*good, 3);
  EXPECT_EQ(bad.status().code(), "TY-ISA-001");
}

}  // namespace
}  // namespace trainyard
