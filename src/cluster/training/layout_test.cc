#include "cluster/training/layout.h"

#include <gtest/gtest.h>

#include "cluster/training/model_list.h"

namespace trainyard::cluster {
namespace {

const RankLimits kTrn1{.ranks = 1024, .domain_ranks = 32, .neuron = true};

struct Case {
  Model model = *find_model("llama2-70b");
  Layout layout{.tp = 32, .pp = 4, .dp = 8, .sequence_parallel = true};
  Batch batch{.global = 1024, .micro = 1, .sequence = 4096};
  RankLimits limits = kTrn1;

  std::string code() const { return check_layout(model, layout, batch, limits).code(); }
};

TEST(Layout, ThePublishedLayoutOf70bIsLegal) { EXPECT_EQ(Case{}.code(), ""); }

TEST(Layout, DegreesMustMultiplyToTheRanks) {
  Case c;
  c.layout.dp = 7;
  EXPECT_EQ(c.code(), "TY-CLU-210");
}

TEST(Layout, HeadsMustDivideByTensorParallelism) {
  Case c;
  c.model = *find_model("llama2-13b");  // 40 heads
  c.layout = {.tp = 16, .dp = 64};
  EXPECT_EQ(c.code(), "TY-CLU-211");
}

TEST(Layout, KeyValueHeadsMayBeReplicated) {
  Case c;  // 8 key-value heads on 32 ranks: four copies
  EXPECT_EQ(c.code(), "");
  c.layout = {.tp = 4, .pp = 4, .dp = 64};
  EXPECT_EQ(c.code(), "");
}

TEST(Layout, LayersMustBeCutEvenlyUnlessByHand) {
  Case c;
  c.layout = {.tp = 32, .pp = 32, .dp = 1};
  EXPECT_EQ(c.code(), "TY-CLU-212");  // 80 layers
  c.layout.manual_cuts = true;
  EXPECT_EQ(c.code(), "");
}

TEST(Layout, TheGlobalBatchMustBeWholeMicroBatches) {
  Case c;
  c.batch.global = 1001;
  EXPECT_EQ(c.code(), "TY-CLU-213");
  c.batch.global = 16;  // two micro batches for four stages
  EXPECT_EQ(c.code(), "TY-CLU-213");
}

TEST(Layout, InterleavingNeedsMicroBatchesInMultiplesOfStages) {
  Case c;
  c.layout.vpp = 2;
  c.batch.global = 8 * 6;
  EXPECT_EQ(c.code(), "TY-CLU-214");
}

TEST(Layout, SequenceParallelismDividesTheSequence) {
  Case c;
  c.batch.sequence = 4100;
  EXPECT_EQ(c.code(), "TY-CLU-215");
}

TEST(Layout, TensorParallelGroupsStayInsideAnInstance) {
  Case c;
  c.layout = {.tp = 64, .pp = 4, .dp = 4};
  EXPECT_EQ(c.code(), "TY-CLU-216");
  c.layout = {.tp = 6, .pp = 4, .dp = 4};
  c.limits.ranks = 96;
  EXPECT_EQ(c.code(), "TY-CLU-216");
}

TEST(Layout, ExpertsMustDivideOverExpertParallelism) {
  Case c;
  c.layout.ep = 2;
  EXPECT_EQ(c.code(), "TY-CLU-217");  // no experts at all
  c.model = *find_model("mixtral-8x7b");
  c.layout = {.tp = 32, .pp = 4, .ep = 8, .dp = 8};
  EXPECT_EQ(c.code(), "");
}

TEST(Layout, NegativeAndAbsurdNumbersAreRefused) {
  Case c;
  c.layout.pp = -4;
  EXPECT_EQ(c.code(), "TY-CLU-219");
  c = Case{};
  c.layout.dp = int64_t{1} << 60;
  EXPECT_EQ(c.code(), "TY-CLU-219");
  c = Case{};
  c.batch.sequence = 0;
  EXPECT_EQ(c.code(), "TY-CLU-219");
}

}  // namespace
}  // namespace trainyard::cluster
