#include "numerics/simd.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace trainyard::numerics {
namespace {

// Sets TRAINYARD_SIMD for one test.
class SimdEnvironment : public testing::Test {
 protected:
  void SetUp() override {
    if (const char* text = std::getenv("TRAINYARD_SIMD")) before_ = text;
  }
  void TearDown() override {
    before_ ? set(before_->c_str()) : static_cast<void>(unsetenv("TRAINYARD_SIMD"));
    unforce_simd();
  }
  static void set(const char* text) { setenv("TRAINYARD_SIMD", text, 1); }

 private:
  std::optional<std::string> before_;
};

TEST(Simd, LevelNamesReadBack) {
  for (const Simd level : {Simd::Scalar, Simd::Avx2, Simd::Avx512, Simd::Amx}) {
    EXPECT_EQ(parse_simd(name(level)), level);
  }
  EXPECT_FALSE(parse_simd("AVX2"));
  EXPECT_FALSE(parse_simd(""));
}

TEST(Simd, EveryUsableLevelCanBeForced) {
  ASSERT_FALSE(usable_simd().empty());
  EXPECT_EQ(usable_simd().front(), Simd::Scalar);
  EXPECT_EQ(usable_simd().back(), host_simd());
  for (const Simd level : usable_simd()) {
    ASSERT_TRUE(force_simd(level).ok());
    EXPECT_EQ(active_simd(), level);
  }
  unforce_simd();
}

TEST(Simd, ALevelThatTheHostLacksIsRefusedAndChangesNothing) {
  if (host_simd() == Simd::Amx) GTEST_SKIP() << "this host has every level";
  const Simd before = active_simd();
  const Status status = force_simd(Simd::Amx);
  EXPECT_EQ(status.code(), "TY-NUM-001");
  EXPECT_NE(status.message().find(name(host_simd())), std::string::npos) << status.message();
  EXPECT_EQ(active_simd(), before);
}

TEST(Simd, UnitsAboveTheLevelInUseAreHidden) {
  ASSERT_TRUE(force_simd(Simd::Scalar).ok());
  EXPECT_EQ(active_units(), HostUnits{});
  ASSERT_TRUE(force_simd(host_simd()).ok());
  EXPECT_EQ(active_units(), host_units());
  unforce_simd();
}

TEST(Simd, AUnitComesWithThoseBelowIt) {
  const HostUnits& units = host_units();
  EXPECT_TRUE(host_simd() != Simd::Amx || units.avx512);
  EXPECT_TRUE(!units.avx512_bf16 || units.avx512);
  EXPECT_TRUE(!units.avx512 || units.avx2);
}

TEST_F(SimdEnvironment, TheVariableChoosesTheLevel) {
  for (const Simd level : usable_simd()) {
    set(std::string(name(level)).c_str());
    EXPECT_TRUE(check_simd_environment().ok());
    unforce_simd();
    EXPECT_EQ(active_simd(), level);
  }
}

TEST_F(SimdEnvironment, AnEmptyVariableMeansTheBestLevel) {
  set("");
  EXPECT_TRUE(check_simd_environment().ok());
  unforce_simd();
  EXPECT_EQ(active_simd(), host_simd());
}

TEST_F(SimdEnvironment, AnUnknownWordIsRefusedWithTheWordsThatWork) {
  set("avx-512");
  const Status status = check_simd_environment();
  EXPECT_EQ(status.code(), "TY-NUM-002");
  EXPECT_NE(status.message().find("TRAINYARD_SIMD=avx-512"), std::string::npos);
  EXPECT_NE(status.message().find("scalar, avx2, avx512 or amx"), std::string::npos);
}

}  // namespace
}  // namespace trainyard::numerics
