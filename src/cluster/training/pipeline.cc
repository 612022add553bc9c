#include "cluster/training/pipeline.h"

#include <algorithm>

#include "base/check.h"

namespace trainyard::cluster {
namespace {

struct Work {
  int64_t chunk, micro_batch;
  bool backward;
};

// The n-th forward (or backward) of a stage: micro batches go in groups of as many as there are
// stages through one chunk after the other.
Work nth(const PipelineShape& s, int64_t n, bool backward) {
  const int64_t group = s.stages * s.chunks;
  const int64_t inside = n % group;
  const int64_t chunk = inside / s.stages;
  return {.chunk = backward ? s.chunks - 1 - chunk : chunk,
          .micro_batch = n / group * s.stages + inside % s.stages,
          .backward = backward};
}

std::vector<Work> order_of_stage(const PipelineShape& s, int64_t stage) {
  const int64_t all = s.micro_batches * s.chunks;
  int64_t warm = s.stages - stage - 1;
  if (s.chunks > 1) warm = 2 * (s.stages - stage - 1) + (s.chunks - 1) * s.stages;
  warm = std::min(warm, all);
  const auto at = [&](int64_t n, bool backward) {
    if (s.chunks > 1) return nth(s, n, backward);
    return Work{0, n, backward};
  };
  std::vector<Work> order;
  for (int64_t n = 0; n < warm; ++n) order.push_back(at(n, false));
  for (int64_t n = warm; n < all; ++n) {
    order.push_back(at(n, false));
    order.push_back(at(n - warm, true));
  }
  for (int64_t n = all - warm; n < all; ++n) order.push_back(at(n, true));
  return order;
}

// When each chunk of each micro batch left each stage; negative: not yet.
class Finished {
 public:
  explicit Finished(const PipelineShape& s)
      : s_(s), ends_(static_cast<size_t>(2 * s.stages * s.chunks * s.micro_batches), -1) {}
  double& at(int64_t stage, const Work& w) {
    const int64_t virtual_stage = w.chunk * s_.stages + stage;
    const int64_t index =
        (virtual_stage * s_.micro_batches + w.micro_batch) * 2 + (w.backward ? 1 : 0);
    return ends_[static_cast<size_t>(index)];
  }

  // When `w` may start on `stage`; negative while its input is not there.
  double ready(int64_t stage, const Work& w) {
    const int64_t last = s_.stages * s_.chunks - 1, here = w.chunk * s_.stages + stage;
    if (!w.backward && here == 0) return 0;
    if (w.backward && here == last) return at(stage, {w.chunk, w.micro_batch, false});
    const int64_t from = w.backward ? here + 1 : here - 1;
    const double end = at(from % s_.stages, {from / s_.stages, w.micro_batch, w.backward});
    return end < 0 ? end : end + s_.boundary;
  }

 private:
  const PipelineShape& s_;
  std::vector<double> ends_;
};

double duration(const PipelineShape& s, int64_t stage, const Work& w) {
  const bool head = stage == s.stages - 1 && w.chunk == s.chunks - 1;
  if (w.backward) return s.backward + (head ? s.head_backward : 0);
  return s.forward + (head ? s.head_forward : 0);
}

}  // namespace

std::vector<PipelineTask> pipeline_schedule(const PipelineShape& s) {
  TY_CHECK(s.stages >= 1 && s.chunks >= 1 && s.micro_batches >= 1);
  TY_CHECK(s.chunks == 1 || s.micro_batches % s.stages == 0);
  const auto stages = static_cast<size_t>(s.stages);
  std::vector<std::vector<Work>> orders;
  for (int64_t stage = 0; stage < s.stages; ++stage) orders.push_back(order_of_stage(s, stage));
  std::vector<size_t> next(stages, 0);
  std::vector<double> free(stages, 0);
  std::vector<std::vector<PipelineTask>> tasks(stages);
  Finished finished(s);
  // Stages go on as far as their inputs are there, in turns, until none can.
  for (bool moved = true; moved;) {
    moved = false;
    for (size_t stage = 0; stage < stages; ++stage) {
      while (next[stage] < orders[stage].size()) {
        const Work& w = orders[stage][next[stage]];
        const auto index = static_cast<int64_t>(stage);
        const double ready = finished.ready(index, w);
        if (ready < 0) break;
        const double start = std::max(ready, free[stage]);
        free[stage] = start + duration(s, index, w);
        finished.at(index, w) = free[stage];
        tasks[stage].push_back({index, w.chunk, w.micro_batch, w.backward, start, free[stage]});
        ++next[stage];
        moved = true;
      }
    }
  }
  std::vector<PipelineTask> all;
  for (size_t stage = 0; stage < stages; ++stage) {
    TY_CHECK(next[stage] == orders[stage].size());
    all.insert(all.end(), tasks[stage].begin(), tasks[stage].end());
  }
  return all;
}

double makespan(const std::vector<PipelineTask>& tasks) {
  double end = 0;
  for (const PipelineTask& task : tasks) end = std::max(end, task.end);
  return end;
}

}  // namespace trainyard::cluster
