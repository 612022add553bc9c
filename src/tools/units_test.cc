#include "tools/units.h"

#include <gtest/gtest.h>

namespace trainyard::tools {
namespace {

TEST(Units, AUsableUnitIsPresent) {
  for (const Unit& unit : units_of_host().all()) {
    EXPECT_TRUE(unit.present || !unit.usable) << unit.name;
  }
}

#if defined(__x86_64__)
// The compiler's own probe is the oracle for the units that it knows.
TEST(Units, UsableUnitsAreThoseThatTheCompilersProbeFinds) {
  const Units units = units_of_host();
  EXPECT_EQ(units.avx2.usable,
            __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0);
  EXPECT_EQ(units.avx512.usable,
            __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
                __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0);
  EXPECT_EQ(units.avx512_bf16.usable, __builtin_cpu_supports("avx512bf16") != 0);
}
#endif

}  // namespace
}  // namespace trainyard::tools
