#include "tools/progress_line.h"

#include <gtest/gtest.h>

namespace trainyard::tools {
namespace {

TEST(ProgressLine, ItTellsTheShareWhereTheAmountIsKnown) {
  EXPECT_EQ(progress_words("time", 12'500'000, 50'000'000, 7),
            "time: 12.5 of 50.0 million instructions, 25 %, 7 s");
  EXPECT_EQ(progress_words("check", 60'000'000, 50'000'000, 7),
            "check: 60.0 million instructions, 7 s");
  EXPECT_EQ(progress_words("values", 0, 0, 4), "values: 4 s");
}

}  // namespace
}  // namespace trainyard::tools
