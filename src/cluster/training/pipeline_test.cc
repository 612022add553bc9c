#include "cluster/training/pipeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace trainyard::cluster {
namespace {

double bubble(const PipelineShape& s) {
  const double busy = static_cast<double>(s.micro_batches * s.chunks) * (s.forward + s.backward);
  return makespan(pipeline_schedule(s)) / busy - 1;
}

// T15 of the cluster specification: PP 8, m 64 gives 7/64; VPP 4 gives 7/256.
TEST(Pipeline, EightStagesWasteSevenSlotsOf64) {
  EXPECT_NEAR(bubble({.stages = 8, .micro_batches = 64, .forward = 1, .backward = 2}), 7.0 / 64,
              1e-12);
}

TEST(Pipeline, FourChunksDivideTheBubbleByFour) {
  EXPECT_NEAR(bubble({.stages = 8, .chunks = 4, .micro_batches = 64, .forward = 1, .backward = 2}),
              7.0 / 256, 1e-12);
}

TEST(Pipeline, AStageNeverRunsTwoTasksAtOnceAndRunsEachOnce) {
  const PipelineShape s{.stages = 4,
                        .chunks = 2,
                        .micro_batches = 8,
                        .forward = 1,
                        .backward = 2,
                        .head_forward = 0.5,
                        .head_backward = 1,
                        .boundary = 0.25};
  const std::vector<PipelineTask> tasks = pipeline_schedule(s);
  EXPECT_EQ(tasks.size(), 4U * 2 * 8 * 2);
  for (size_t i = 1; i < tasks.size(); ++i) {
    if (tasks[i].stage != tasks[i - 1].stage) continue;
    EXPECT_GE(tasks[i].start, tasks[i - 1].end);
  }
}

TEST(Pipeline, ATaskStartsAfterItsInputHasCrossedTheBoundary) {
  const PipelineShape s{
      .stages = 3, .micro_batches = 5, .forward = 1, .backward = 2, .boundary = 0.1};
  std::map<std::tuple<int64_t, int64_t, bool>, PipelineTask> at;
  for (const PipelineTask& t : pipeline_schedule(s)) at[{t.stage, t.micro_batch, t.backward}] = t;
  for (const auto& [key, task] : at) {
    const auto& [stage, micro, backward] = key;
    const int64_t from = backward ? stage + 1 : stage - 1;
    if (from < 0 || from >= s.stages) continue;
    EXPECT_GE(task.start, at.at({from, micro, backward}).end + 0.1 - 1e-12);
  }
}

TEST(Pipeline, NoStageHoldsMoreMicroBatchesThanStagesThatFollow) {
  const PipelineShape s{.stages = 4, .micro_batches = 16, .forward = 1, .backward = 2};
  std::map<int64_t, std::vector<std::pair<double, int>>> events;
  for (const PipelineTask& t : pipeline_schedule(s)) {
    events[t.stage].push_back(t.backward ? std::pair{t.end, -1} : std::pair{t.start, 1});
  }
  for (auto& [stage, list] : events) {
    std::ranges::sort(list);
    int held = 0, most = 0;
    for (const auto& [time, change] : list) most = std::max(most, held += change);
    EXPECT_EQ(most, s.stages - stage);
  }
}

}  // namespace
}  // namespace trainyard::cluster
