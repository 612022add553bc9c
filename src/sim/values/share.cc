// Independent iterations on several workers.
#include <algorithm>
#include <cstring>
#include <mutex>

#include "sim/values/float_mode.h"
#include "sim/values/walk.h"

namespace trainyard::sim {

Lane new_lane(const BodyPlan& plan, int index, int lanes) {
  const isa::Program& p = plan.program;
  Lane lane;
  lane.clock = static_cast<uint64_t>(index);
  lane.clock_step = static_cast<uint64_t>(lanes);
  lane.counters.resize(p.loops.size());
  lane.registers.resize(p.registers.size());
  lane.base.resize(p.tensors.size());
  lane.memory.resize(p.tensors.size());
  lane.psum.resize(p.tensors.size());
  lane.contents.resize(p.tensors.size());
  lane.tiles.reserve(static_cast<size_t>(plan.memory.tile_bytes));
  lane.arena.reserve(plan.packing.arena_bytes());
  lane.packed_from.resize(plan.packing.tables());
  lane.trips.loops.resize(p.loops.size());
  lane.trips.branches.resize(p.branches.size());
  lane.exec.convert = plan.options.convert;
  lane.exec.propagate_nan = plan.options.max_propagates_nan;
  lane.exec.strict = plan.options.strict;
  return lane;
}

// An outer loop whose iterations divide badly leaves the work to a loop inside.
bool Walker::should_share(const Node& n, int64_t parts) const {
  if (!n.is_parallel || team_ == nullptr || parts < 2) return false;
  const int64_t workers = team_->parallel.workers;
  if (workers <= 1) return n.own.empty();  // in any order, but here
  const int64_t rounds = (parts + workers - 1) / workers;
  constexpr int64_t kPercent = 120;
  return !n.has_parallel || rounds * workers * 100 <= parts * kPercent;
}

// Gives a worker what this lane sees, and room for what it keeps to itself.
void Walker::lend(Lane& worker, const Node& n) const {
  worker.counters = lane_.counters;
  worker.registers = lane_.registers;
  worker.base = lane_.base;
  worker.contents = lane_.contents;
  worker.exec.convert = lane_.exec.convert;
  for (const isa::TensorId t : n.own) {
    HostBuffer& memory = worker.memory[t];
    memory.reserve(plan_.homes[t].bytes);
    worker.base[t] = memory.data();
    worker.touch(t);
  }
}

// Takes over what a worker did. What it changed has new contents for this lane, too.
void Walker::collect(Lane& worker) {
  lane_.executed += worker.executed;
  worker.executed = 0;
  for (size_t t = 0; t < lane_.contents.size(); ++t) {
    if (worker.contents[t] != lane_.contents[t]) lane_.touch(static_cast<isa::TensorId>(t));
  }
}

Walker::Flow Walker::share(const Node& n, int64_t parts, const Part& part) {
  const ParallelFor& parallel = team_->parallel;
  if (parallel.workers <= 1) {
    Flow result = Flow::Next;
    parallel.run(parts, [&](int64_t i, int) {
      if (!lane_.stopped() && part(*this, i) == Flow::Stop) result = Flow::Stop;
    });
    lane_.counters[n.id] = 0;
    return result;
  }
  for (int w = static_cast<int>(team_->lanes.size()); w < parallel.workers; ++w)
    team_->lanes.push_back(std::make_unique<Lane>(new_lane(plan_, w + 1, parallel.workers + 1)));
  for (const auto& worker : team_->lanes) lend(*worker, n);
  std::mutex mutex;
  int64_t fault_part = parts;
  parallel.run(parts, [&](int64_t i, int w) {
    Lane& worker = *team_->lanes[w];
    {
      const std::lock_guard lock(mutex);
      if (i > fault_part) return;  // an earlier iteration stopped the machine
    }
    const FlushDenormals flush(plan_.options.flush_denormals);
    Walker walker(plan_, worker);
    const Flow flow = part(walker, i);
    // At once: the worker may go on with an earlier iteration. Nobody else uses what lies here.
    if (i == parts - 1) {
      for (const isa::TensorId t : n.own)
        std::memcpy(lane_.base[t], worker.base[t], plan_.homes[t].bytes);
    }
    if (flow != Flow::Stop) return;
    const std::lock_guard lock(mutex);
    if (i < fault_part) {
      fault_part = i;
      lane_.fault = worker.fault;
      lane_.fault_inst = worker.fault_inst;
    }
    worker.fault = Status();
  });
  for (const auto& worker : team_->lanes) collect(*worker);
  if (lane_.stopped()) return Flow::Stop;
  lane_.counters[n.id] = 0;
  return Flow::Next;
}

}  // namespace trainyard::sim
