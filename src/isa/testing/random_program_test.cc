#include "isa/testing/random_program.h"

#include <gtest/gtest.h>

#include "isa/verify.h"

namespace trainyard::isa::testing {
namespace {

TEST(RandomProgram, BodiesAreLegalOnTrainium2) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const Program p = random_program(seed, {.several_cores = seed % 4 == 0});
    const Status s = verify(p, hw::kNeuronCoreV3);
    ASSERT_TRUE(s.ok()) << "seed " << seed << ": " << s.str();
  }
}

TEST(RandomProgram, TheSameSeedGivesTheSameProgram) {
  const RandomProgramOptions options{.placement = true};
  EXPECT_TRUE(same_program(random_program(1, options), random_program(1, options)));
  EXPECT_FALSE(same_program(random_program(1, options), random_program(2, options)));
}

TEST(RandomProgram, WithoutRunTimeControlThereAreNoRegisters) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Program p = random_program(seed, {.run_time_control = false});
    EXPECT_TRUE(p.registers.empty() && p.branches.empty());
    for (const Loop& l : p.loops) EXPECT_EQ(l.kind, Loop::Kind::Repeat);
  }
}

}  // namespace
}  // namespace trainyard::isa::testing
