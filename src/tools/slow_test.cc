#include "tools/slow.h"

#include <gtest/gtest.h>

namespace trainyard::tools {
namespace {

Units every_unit() {
  Units units;
  for (Unit* unit : {&units.avx2, &units.avx512, &units.avx512_bf16, &units.amx}) {
    unit->present = unit->usable = true;
  }
  return units;
}

Circumstances on_a_good_host() {
  return {.host = {.cores = 8}, .units = every_unit(), .build_type = "Release"};
}

using Reasons = std::vector<std::string>;

TEST(WhatIsSlow, NothingOnAHostWithEveryUnit) {
  EXPECT_EQ(what_is_slow(on_a_good_host()), Reasons{});
}

TEST(WhatIsSlow, WithoutAmxBf16RunsOnAvx512) {
  Circumstances now = on_a_good_host();
  now.units.amx.present = now.units.amx.usable = false;
  EXPECT_EQ(what_is_slow(now), Reasons{"no AMX: bf16 matmul runs on AVX-512 BF16"});
}

TEST(WhatIsSlow, AUnitThatTheSystemForbidsIsNotCalledAbsent) {
  Circumstances now = on_a_good_host();
  now.units.amx.usable = false;
  EXPECT_EQ(what_is_slow(now),
            Reasons{"the operating system does not allow AMX: bf16 matmul runs on AVX-512 BF16"});
}

TEST(WhatIsSlow, AHostWithoutUnitsHearsAboutVectorsAndBf16) {
  Circumstances now = on_a_good_host();
  now.units = Units{};
  EXPECT_EQ(
      what_is_slow(now),
      (Reasons{"no AVX2 with FMA: vector code runs as scalar code",
               "no AMX, no AVX-512 BF16: bf16 matmul is computed in fp32 and gains no speed"}));
}

TEST(WhatIsSlow, AHeldLevelIsNamedInsteadOfTheUnits) {
  Circumstances now = on_a_good_host();
  now.units = Units{};
  now.held_at = "avx2";
  EXPECT_EQ(what_is_slow(now), Reasons{"TRAINYARD_SIMD holds vector code at avx2"});
}

TEST(WhatIsSlow, ADebugBuildAndOneCoreAreNamed) {
  Circumstances now = on_a_good_host();
  now.host.cores = 1;
  now.build_type = "Debug";
  EXPECT_EQ(what_is_slow(now), (Reasons{"this is a Debug build; ./dev build makes a Release one",
                                        "one core: nothing runs in parallel"}));
}

}  // namespace
}  // namespace trainyard::tools
