#include "hw/catalogue.h"

#include <gtest/gtest.h>

namespace trainyard::hw {
namespace {

TEST(Catalogue, FindsEveryChipWithItsCores) {
  const auto trn1 = find_target("trn1");
  const auto inf2 = find_target("inf2");
  const auto trn2 = find_target("trn2");
  const auto trn3 = find_target("trn3");
  ASSERT_TRUE(trn1 && inf2 && trn2 && trn3);
  EXPECT_EQ(trn1->core, kNeuronCoreV2);
  EXPECT_EQ(inf2->core, kNeuronCoreV2);
  EXPECT_EQ(trn2->core, kNeuronCoreV3);
  EXPECT_EQ(trn3->core, kNeuronCoreV4);
  EXPECT_EQ(trn1->chip.cores.value, 2);
  EXPECT_EQ(trn2->chip.cores.value, 8);
  EXPECT_EQ(trn3->chip.cores.value, 8);
}

TEST(Catalogue, ATargetHasOnePhysicalCorePerLogicalCoreUnlessAsked) {
  EXPECT_EQ(find_target("trn2")->lnc, 1);
}

TEST(Catalogue, AnUnknownTargetIsRefusedWithTheNearestName) {
  const auto machine = find_target("trn22");
  ASSERT_FALSE(machine);
  EXPECT_EQ(machine.status().code(), "TY-HW-001");
  EXPECT_EQ(machine.status().message(),
            "there is no target 'trn22' (did you mean 'trn2'?); targets are trn1, inf2, trn2, "
            "trn3, and the instances of 'trainyard ls --list'");
}

TEST(Catalogue, AFarNameIsRefusedWithoutAGuess) {
  EXPECT_EQ(find_target("h100").status().message(),
            "there is no target 'h100'; targets are trn1, inf2, trn2, trn3, and the instances of "
            "'trainyard ls --list'");
}

TEST(Catalogue, AnInstanceNameFindsItsChip) {
  const auto machine = find_target("trn2.48xlarge");
  ASSERT_TRUE(machine);
  EXPECT_EQ(machine->name, "trn2.48xlarge");
  EXPECT_EQ(machine->chip, find_target("trn2")->chip);
  EXPECT_EQ(machine->lnc, 1);
}

TEST(Catalogue, AnInstanceOfAnotherMakerIsNoTarget) {
  const auto machine = find_target("p5.48xlarge");
  ASSERT_FALSE(machine);
  EXPECT_EQ(machine.status().code(), "TY-HW-010");
  EXPECT_EQ(find_target("inf1.xlarge").status().code(), "TY-HW-010");
}

}  // namespace
}  // namespace trainyard::hw
