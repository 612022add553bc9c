#pragma once
// The schedule of a pipeline: which stage works on which micro batch when. [cluster 5.5]
#include <cstdint>
#include <vector>

namespace trainyard::cluster {

struct PipelineShape {
  int64_t stages = 1;
  int64_t chunks = 1;  // model chunks of each stage; more than one: interleaved
  int64_t micro_batches = 1;
  // Seconds of one chunk and one micro batch. The last stage's last chunk also runs the head.
  double forward = 0, backward = 0;
  double head_forward = 0, head_backward = 0;
  double boundary = 0;  // from one stage to the next
};

struct PipelineTask {
  int64_t stage = 0, chunk = 0, micro_batch = 0;
  bool backward = false;
  double start = 0, end = 0;
};

// Every task of one step by 1F1B, ordered by stage, then by time. Each stage first runs forward for
// the micro batches that it must hold, then one forward and one backward in turns.
std::vector<PipelineTask> pipeline_schedule(const PipelineShape& shape);

// The end of the last task.
double makespan(const std::vector<PipelineTask>& tasks);

}  // namespace trainyard::cluster
