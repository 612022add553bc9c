#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

#include "tools/command.h"
#include "tools/quantities.h"

namespace trainyard::tools {
namespace {

TEST(CommandLine, AnExceptionBecomesACodeAndARequestToReportIt) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(guarded([]() -> int { throw std::runtime_error("no such shape"); }), kExitBroken);
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(text.starts_with("TY-TOOL-011  Trainyard is broken: no such shape. Please report"))
      << text;
}

TEST(CommandLine, MemoryThatRunsOutHasACodeOfItsOwn) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(guarded([]() -> int { throw std::bad_alloc(); }), kExitBroken);
  EXPECT_TRUE(testing::internal::GetCapturedStderr().starts_with("TY-TOOL-012  memory ran out"));
}

TEST(CommandLine, ExitCodesPassThrough) {
  EXPECT_EQ(guarded([] { return kExitUsage; }), kExitUsage);
}

TEST(Quantities, CountsBelowTheirLeastAreRefused) {
  EXPECT_EQ(from_one("1"), "");
  EXPECT_EQ(from_one("10"), "");
  EXPECT_NE(from_one("0"), "");
  EXPECT_NE(from_one("00"), "");
  EXPECT_NE(from_one("-4"), "");
  EXPECT_EQ(from_zero("0"), "");
  EXPECT_NE(from_zero("-1"), "");
}

TEST(Quantities, ABudgetIsExplainedInDollars) {
  const Result<double> r = parse_count("budget", "-1", "1M, 250k or 3e6, in dollars");
  ASSERT_FALSE(r.ok());
  EXPECT_EQ(r.status().message(), "--budget -1: write for example 1M, 250k or 3e6, in dollars");
}

}  // namespace
}  // namespace trainyard::tools
