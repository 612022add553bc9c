#include "cluster/training/step.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cluster/training/band.h"
#include "cluster/training/job.h"
#include "cluster/training/model_list.h"

namespace trainyard::cluster {
namespace {

// A job with what a test changes left to it.
struct Case {
  Workload work;
  Layout layout;
  Batch batch{.global = 512, .micro = 1, .sequence = 4096};

  Case(const char* model, const char* system, int64_t chips) {
    work.model = *find_model(model);
    work.system = *hw::find_system(system);
    work.chips = chips;
    work.software = default_software(work.system);
  }
  Step step() const { return StepModel(work, calibrated()).evaluate(layout, batch); }
};

// The published layout of 70 B on 32 trn1: tp32 pp8 dp4.
Case seventy() {
  Case c("llama2-70b", "trn1.32xlarge", 512);
  c.layout = {.tp = 32,
              .pp = 8,
              .dp = 4,
              .sequence_parallel = true,
              .sharding = Sharding::Zero1,
              .recompute = Recompute::Selective};
  c.batch.global = 1024;
  return c;
}

// FSDP over 64 nodes with tensor parallelism inside a chip, as AXLearn runs on trn2.
Case sharded() {
  Case c("llama2-7b", "trn2.48xlarge", 1024);
  c.work.software = {.stack = Stack::NeuronJax};
  c.layout = {.tp = 4, .dp = 1024, .sequence_parallel = true, .sharding = Sharding::Fsdp};
  c.batch.global = 1024;
  return c;
}

TEST(Step, ItsPartsAddUp) {
  for (const Case& c : {seventy(), sharded(), Case("bert-large", "trn1.32xlarge", 16)}) {
    const Step s = c.step();
    double sum = 0;
    for (const double part : by_part(s.parts)) {
      EXPECT_GE(part, 0);
      sum += part;
    }
    EXPECT_NEAR(sum, s.total, 1e-12 * s.total);
  }
}

TEST(Step, UtilisationIsModelWorkOverTheListedPeak) {
  const Case c = seventy();
  const Step s = c.step();
  const double flops = 1024 * model_flops(c.work.model, 4096);
  EXPECT_NEAR(s.mfu, flops / (s.total * 512 * 190e12), 1e-12);
  EXPECT_NEAR(s.tokens_per_s, 1024 * 4096 / s.total, 1e-6);
  EXPECT_GE(s.hfu, s.mfu);
}

TEST(Step, TheScheduleOfThePipelineTakesTheTimeOfTheClosedForm) {
  const Case c = seventy();
  const StepModel model(c.work, calibrated());
  const Step s = model.evaluate(c.layout, c.batch);
  const PipelineShape shape = model.pipeline(c.layout, c.batch);
  const double scheduled = makespan(pipeline_schedule(shape));
  const double closed = s.total - s.parts.data - s.parts.optimizer;
  EXPECT_NEAR(scheduled / closed, 1, 0.03);
}

TEST(Step, TheBubbleOfOneForwardOneBackwardIsStagesMinusOneSlots) {
  Case c = seventy();
  const Step one = c.step();
  // The slots that fill and drain have no head.
  EXPECT_LE(one.parts.bubble, 7 * one.slot);
  EXPECT_GE(one.parts.bubble, 0.8 * 7 * one.slot);
  c.layout.vpp = 2;
  // Twice the chunks: half the bubble, but twice the boundaries and twice the host's work.
  EXPECT_LT(c.step().parts.bubble, 0.7 * one.parts.bubble);
  EXPECT_NEAR(c.step().parts.pipeline, 2 * one.parts.pipeline, 1e-9);
}

TEST(Step, RecomputationCostsForwardWorkAgain) {
  Case c = seventy();
  c.work.software.sdk = 16;  // no flash kernel yet
  c.layout.recompute = Recompute::None;
  const double none = c.step().parts.recompute;
  c.layout.recompute = Recompute::Selective;
  const double selective = c.step().parts.recompute;
  c.layout.recompute = Recompute::Full;
  const double full = c.step().parts.recompute;
  EXPECT_EQ(none, 0);
  EXPECT_GT(selective, 0);
  EXPECT_GT(full, selective);
  // A third of forward and backward, about.
  EXPECT_NEAR(full / c.step().parts.compute, 1.0 / 3, 0.1);
}

TEST(Step, BetterOverlapNeverExposesMoreOfTheShardedWeights) {
  Case c = sharded();
  std::vector<double> exposed;
  for (const Overlap o :
       {Overlap::None, Overlap::Default, Overlap::Token, Overlap::TokenMultistream}) {
    c.layout.overlap = o;
    exposed.push_back(c.step().parts.fsdp);
  }
  EXPECT_GE(exposed[0], exposed[1]);
  EXPECT_GE(exposed[1], exposed[2]);
  EXPECT_GE(exposed[2], exposed[3]);
  EXPECT_GT(exposed[0], exposed[3]);
}

TEST(Step, OnOneStreamLongGathersDelayTensorParallelCollectivesOnTwoTheyDoNot) {
  // A gather longer than the compute between two tensor-parallel collectives.
  Case c = sharded();
  c.layout.overlap = Overlap::Token;
  const double one_stream = c.step().parts.fsdp;
  c.layout.overlap = Overlap::TokenMultistream;
  const double two_streams = c.step().parts.fsdp;
  EXPECT_GT(one_stream, two_streams);
  // Without tensor parallelism nobody waits for the stream.
  c.layout.tp = 1;
  c.layout.dp = 4096;
  c.layout.sequence_parallel = false;
  c.batch.global = 4096;
  c.layout.overlap = Overlap::Token;
  const double alone = c.step().parts.fsdp;
  c.layout.overlap = Overlap::TokenMultistream;
  EXPECT_EQ(alone, c.step().parts.fsdp);
}

TEST(Step, TheHostWorksForEachMicroBatchOfPyTorchXlaAndOncePerStepOfJax) {
  Case c("bert-large", "trn1.32xlarge", 16);
  c.work.software = {.stack = Stack::NeuronTorch};
  c.layout.dp = 32;
  c.batch = {.global = 16384, .micro = 16, .sequence = 128};
  const double traced = c.step().parts.host;
  EXPECT_NEAR(traced, 32 * 1e-3 * calibrated()[Knob::NeuronSlotHost], 1e-3);
  c.work.software = {.stack = Stack::NeuronJax};
  EXPECT_LT(c.step().parts.host, 1e-3);
}

TEST(Step, RanksThatDeviateMoreMakeAllWaitLonger) {
  Case c = seventy();
  const double usual = c.step().parts.compute;
  c.work.system.knobs.run.compute_sigma.value = 0.05;
  // 4 % more deviation times sqrt(2 ln 1024) = 3.72, over what 1 % brings already.
  EXPECT_NEAR(c.step().parts.compute / usual, (1 + 0.05 * 3.723) / (1 + 0.01 * 3.723), 1e-3);
}

TEST(Step, ContextParallelismTradesScoresForAnExchange) {
  Case c("llama3-8b", "p5.48xlarge", 64);
  c.layout = {.tp = 8, .dp = 8, .sequence_parallel = true, .sharding = Sharding::Zero1};
  c.batch = {.global = 8, .micro = 1, .sequence = 131072};
  EXPECT_EQ(c.step().parts.context, 0);
  c.layout.cp = 4;
  c.layout.dp = 2;
  const Step s = c.step();
  EXPECT_GT(s.parts.context, 0);
  EXPECT_LT(s.memory.activations, Case(c).step().memory.activations * 1.01);
}

TEST(Step, ExpertParallelismSendsTokensInsteadOfHoldingAllExperts) {
  Case c("mixtral-8x7b", "trn2.48xlarge", 128);
  c.layout = {.tp = 4, .dp = 128, .sequence_parallel = true, .sharding = Sharding::Zero1};
  const Step whole = c.step();
  c.layout.ep = 8;
  const Step parted = c.step();
  EXPECT_EQ(whole.parts.expert, 0);
  EXPECT_GT(parted.parts.expert, 0);
  EXPECT_LT(parted.memory.weights, whole.memory.weights / 3);
}

TEST(Step, EveryKernelSaysWhatBoundsItAndIsNotShorterThanItsLongestUnit) {
  for (const Case& c : {seventy(), sharded()}) {
    const StepModel model(c.work, calibrated());
    const auto lines = model.layer_lines(c.layout, c.batch);
    ASSERT_GT(lines.size(), 15u);
    double sum = 0;
    for (const LayerLine& line : lines) {
      const KernelTime& t = line.time;
      EXPECT_GE(t.total * (1 + 1e-9), std::max({t.tensor, t.vector, t.scalar, t.memory}));
      sum += line.times * t.total;
    }
    // Every layer's kernels are the compute of the step (ends of the pipeline apart).
    EXPECT_NEAR(sum / model.evaluate(c.layout, c.batch).parts.compute, 1, 0.02);
  }
}

TEST(Step, OutOfMemoryIsAnAnswerWithTheTable) {
  Case c("llama2-70b", "trn1.32xlarge", 16);
  c.layout = {.tp = 32, .dp = 1, .sequence_parallel = true};
  c.batch.global = 8;
  const Result<Step> step = StepModel(c.work, calibrated()).step(c.layout, c.batch);
  ASSERT_FALSE(step.ok());
  EXPECT_EQ(step.status().code(), "TY-CLU-220");
  for (const char* word : {"weights", "gradients", "optimizer", "activations", "total"}) {
    EXPECT_NE(step.status().message().find(word), std::string::npos) << word;
  }
}

TEST(Band, IsNeverWiderThanABuyerCanUse) {
  EXPECT_LE(make_band({.knobs = 5}, true).high, 1.30);
  EXPECT_GE(make_band({.knobs = 5}, true).low, 0.70);
  EXPECT_LE(make_band({.knobs = 5}, false).high, 1.25);
  // The doubts of the knobs widen it.
  EXPECT_GT(make_band({.knobs = 0.1}, false).high, make_band({.knobs = 0}, false).high);
}

TEST(Band, KnobsThatAStepDoesNotUseDoNotMove) {
  const Case c = seventy();
  for (const KnobEffect& e : knob_effects(c.work, c.layout, c.batch, calibrated())) {
    const std::string name(knob_table()[static_cast<size_t>(e.knob)].name);
    EXPECT_TRUE(name.find("Neuron") != std::string::npos) << name;
  }
}

TEST(Job, WhatTheUserLeavesOutIsFilledInAndListed) {
  const Result<Job> job = resolve({.model = *find_model("llama3-8b"),
                                   .system = *hw::find_system("trn2.48xlarge"),
                                   .nodes = 4,
                                   .tp = 16});
  ASSERT_TRUE(job.ok()) << job.status().str();
  EXPECT_EQ(job->layout.dp, 16);
  EXPECT_EQ(job->layout.sharding, Sharding::Zero1);
  EXPECT_GE(job->notes.size(), 4u);
}

TEST(Job, WordsAndNumbersThatCannotBeAreRefusedByCode) {
  const auto code = [](auto change) {
    JobRequest r{.model = *find_model("llama3-8b"),
                 .system = *hw::find_system("trn2.48xlarge"),
                 .nodes = 4,
                 .tp = 16};
    change(r);
    const Result<Job> job = resolve(r);
    return job.ok() ? std::string() : job.status().code();
  };
  EXPECT_EQ(code([](JobRequest& r) { r.dtype = "int3"; }), "TY-CLU-221");
  EXPECT_EQ(code([](JobRequest& r) { r.overlap = "much"; }), "TY-CLU-221");
  EXPECT_EQ(code([](JobRequest& r) { r.sharding = "zero9"; }), "TY-CLU-221");
  EXPECT_EQ(code([](JobRequest& r) { r.software = "abacus"; }), "TY-CLU-221");
  EXPECT_EQ(code([](JobRequest& r) { r.tp = -4; }), "TY-CLU-219");
  EXPECT_EQ(code([](JobRequest& r) { r.nodes = 0; }), "TY-CLU-219");
  EXPECT_EQ(code([](JobRequest& r) { r.lnc = 3; }), "TY-CLU-219");
  EXPECT_EQ(code([](JobRequest& r) { r.seq_len = -1; }), "TY-CLU-219");
  EXPECT_EQ(code([](JobRequest& r) { r.system = *hw::find_system("inf2.48xlarge"); }),
            "TY-CLU-222");
}

}  // namespace
}  // namespace trainyard::cluster
