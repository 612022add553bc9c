#include "cluster/training/memory.h"

#include <gtest/gtest.h>

#include "cluster/training/model_list.h"

namespace trainyard::cluster {
namespace {

struct Case {
  Model model = *find_model("llama2-7b");
  Layout layout{.tp = 8,
                .dp = 4,
                .sequence_parallel = true,
                .sharding = Sharding::Zero1,
                .recompute = Recompute::Selective};
  Batch batch{.global = 64, .micro = 1, .sequence = 4096};
  Precision precision = *parse_precision("mixed");
  MemoryRules rules{.hbm = 16e9, .usable = 0.92, .flash = true};

  MemoryQuestion question() const {
    return {model, layout, batch, precision, Optimizer::AdamW, rules};
  }
};

// T16 of the cluster specification.
TEST(Memory, Llama7bOnEightRanksHoldsAnEighthOfItsWeights) {
  const Case c;
  const double p = parameters(c.model);
  const Memory m = memory(c.question());
  EXPECT_NEAR(m.weights, 2 * p / 8, 1);
  EXPECT_NEAR(m.weights / 1e9, 1.68, 0.005);
  EXPECT_NEAR(m.optimizer, 12 * p / 32, 1);
  EXPECT_NEAR(m.optimizer / 1e9, 2.53, 0.005);
}

// T17.
TEST(Memory, SelectiveRecomputationKeeps34BytesPerCell) {
  const Case c;
  EXPECT_DOUBLE_EQ(layer_activations(c.model.layers.front(), c.question()), 34.0 * 4096 * 4096 / 8);
}

TEST(Memory, FullRecomputationKeepsTheInputOnly) {
  Case c;
  c.layout.recompute = Recompute::Full;
  EXPECT_DOUBLE_EQ(layer_activations(c.model.layers.front(), c.question()), 2.0 * 4096 * 4096 / 8);
}

TEST(Memory, ScoresAreKeptWithoutAFlashKernel) {
  Case c;
  c.layout.recompute = Recompute::None;
  const double flash = layer_activations(c.model.layers.front(), c.question());
  c.rules.flash = false;
  const double spilled = layer_activations(c.model.layers.front(), c.question());
  EXPECT_DOUBLE_EQ(spilled - flash, 5.0 * 32 * 4096 * 4096 / 8);  // 5 a s^2 b / t
}

TEST(Memory, WithoutSequenceParallelismTenOf34BytesAreNotDivided) {
  Case c;
  c.layout.sequence_parallel = false;
  EXPECT_DOUBLE_EQ(layer_activations(c.model.layers.front(), c.question()),
                   (10 + 24.0 / 8) * 4096 * 4096);
}

TEST(Memory, TheFirstStageHoldsAsManyMicroBatchesAsThereAreStages) {
  Case c;
  c.layout.pp = 4;
  c.layout.dp = 1;
  const Memory m = memory(c.question());
  EXPECT_EQ(m.stage, 0);
  EXPECT_DOUBLE_EQ(m.activations, 34.0 * 4096 * 4096 / 8 * 8 * 4);  // 8 layers, 4 in flight
  c.layout.vpp = 2;
  EXPECT_DOUBLE_EQ(memory(c.question()).activations, m.activations * (1 + 3.0 / 8));
}

TEST(Memory, FsdpDividesEverythingAndHoldsTwoLayersWhole) {
  Case c;
  c.layout = {.tp = 1, .dp = 32, .sharding = Sharding::Fsdp};
  const Memory m = memory(c.question());
  const double p = parameters(c.model);
  EXPECT_NEAR(m.weights, 2 * p / 32, 1);
  EXPECT_NEAR(m.gradients, 4 * p / 32, 1);
  EXPECT_NEAR(m.optimizer, 12 * p / 32, 1);
  EXPECT_DOUBLE_EQ(m.gathered, 2 * 2 * parameters(std::get<Block>(c.model.layers.front())));
}

TEST(Memory, ExpertsAreSharedOutAndTheRestIsNot) {
  Case c;
  c.model = *find_model("mixtral-8x7b");
  c.layout = {.tp = 1, .ep = 8, .dp = 8};
  const double all = memory(c.question()).weights;
  c.layout.ep = 1;
  const double experts = 2 * 8 * 3 * 4096.0 * 14336 * 32;
  EXPECT_NEAR(memory(c.question()).weights - all, experts * 7 / 8, 1);
}

TEST(Memory, OutOfMemoryIsAnAnswerWithATable) {
  Case c;
  c.layout = {.tp = 1, .dp = 32};
  const Status status = check_memory(memory(c.question()), c.rules);
  EXPECT_EQ(status.code(), "TY-CLU-220");
  for (const char* word : {"weights", "gradients", "optimizer", "activations", "zero1", "140.07"}) {
    EXPECT_NE(status.message().find(word), std::string::npos) << word << "\n" << status.message();
  }
}

}  // namespace
}  // namespace trainyard::cluster
