#include "sim/values/walk.h"

#include <algorithm>
#include <cstring>

#include "numerics/random_bits.h"

namespace trainyard::sim {
namespace {

// Random bits depend on the instruction, the iteration and the element, never on the order of work.
uint64_t execution_seed(uint64_t seed, isa::InstId inst, const std::vector<int64_t>& counters) {
  uint64_t mixed = numerics::mix64(seed ^ static_cast<uint64_t>(inst));
  for (const int64_t c : counters) mixed = numerics::mix64(mixed ^ static_cast<uint64_t>(c));
  return mixed;
}

}  // namespace

Walker::Flow Walker::block(const std::vector<Node>& nodes) {
  for (const Node& n : nodes) {
    const Flow flow = node(n);
    if (flow != Flow::Next) return flow;
  }
  return Flow::Next;
}

Walker::Flow Walker::node(const Node& n) {
  switch (n.kind) {
    case Node::Kind::Step:
      step(n);
      return lane_.stopped() ? Flow::Stop : Flow::Next;
    case Node::Kind::Tensor:
      tensor(n.id);
      return Flow::Next;
    case Node::Kind::Repeat:
      return repeat(n);
    case Node::Kind::Counted:
      return counted(n);
    case Node::Kind::While:
      return endless(n);
    case Node::Kind::Branch:
      return branch(n);
    case Node::Kind::Exit:
      return lane_.registers[n.id] != 0 ? Flow::Next : Flow::Exit;
    case Node::Kind::Product: {
      const int64_t count = plan_.program.loops[n.id].count.value(lane_.counters.data());
      run_product(*n.matmul, n.id, count, lane_);
      lane_.executed += std::max<int64_t>(count, 0);
      return Flow::Next;
    }
    case Node::Kind::Batch:
      return batch(n);
  }
  return Flow::Next;
}

void Walker::step(const Node& n) {
  const Step& s = *n.step;
  ++lane_.executed;
  if (!s.bounds.empty() && !in_bounds(s)) return;
  if (lane_.exec.is_stochastic()) {
    lane_.exec.convert.rounding.seed =
        execution_seed(plan_.options.convert.rounding.seed, s.inst, lane_.counters);
  }
  if (lane_.watch != nullptr) lane_.watch->before(s.inst, n.watched, lane_);
  s.run(lane_);
  if (lane_.watch != nullptr) lane_.watch->after(s.inst, n.watched, lane_);
  for (const isa::TensorId t : n.changes) lane_.touch(t);
  for (const OperandRef& w : n.psum_writes) {
    std::vector<uint8_t> written;
    lane_.psum[w.root].visit(w.pattern, w.offset(lane_), plan_.homes[w.root].bytes, written);
  }
}

void Walker::tensor(isa::TensorId id) {
  const isa::Tensor& t = plan_.program.tensors[id];
  lane_.touch(id);
  if (t.io != isa::Io::None || plan_.views[id]) return;  // in the caller's memory
  if (const int64_t offset = plan_.memory.offset[id]; offset >= 0) {
    lane_.base[id] = (t.on_chip() ? lane_.tiles.data() : lane_.hbm) + offset;
  } else {
    HostBuffer& memory = lane_.memory[id];
    if (memory.data() == nullptr) {
      memory.reserve(plan_.homes[id].bytes);
      std::memset(memory.data(), 0, memory.size());
    }
    lane_.base[id] = memory.data();
  }
  if (t.memory == isa::Memory::Psum) lane_.psum[id].clear();
  if (lane_.watch != nullptr) lane_.watch->new_instance(id, lane_.base[id]);
}

Walker::Flow Walker::repeat(const Node& n) {
  const int64_t count = plan_.program.loops[n.id].count.value(lane_.counters.data());
  if (should_share(n, count)) {
    return share(n, count, [&n](Walker& w, int64_t i) {
      w.lane_.counters[n.id] = i;
      return w.block(n.body);
    });
  }
  int64_t& counter = lane_.counters[n.id];
  for (counter = 0; counter < count; ++counter) {
    if (block(n.body) == Flow::Stop) return Flow::Stop;
  }
  counter = 0;
  return Flow::Next;
}

int64_t Walker::value(const isa::RegisterOperand& operand) const {
  if (const int64_t* number = std::get_if<int64_t>(&operand)) return *number;
  return lane_.registers[std::get<isa::RegisterId>(operand)];
}

bool Walker::too_many(isa::LoopId id, int64_t trips) {
  const isa::Loop& loop = plan_.program.loops[id];
  if (std::max(lane_.executed, trips) > plan_.options.max_instructions) {
    lane_.fault =
        error("TY-RUN-015",
              "loop '{}' is in its turn {} and {} instructions have run, the limit is {}. "
              "Correct the condition of the loop, or raise the limit with "
              "--max-instructions.",
              loop.name, trips, lane_.executed, plan_.options.max_instructions)
            .at(isa::place_of(plan_.program, loop.source));
    return true;
  }
  if (!loop.trips.max || trips <= *loop.trips.max) return false;
  lane_.fault = error("TY-RUN-013",
                      "loop '{}' goes round more often than its max of {}; raise max, or correct "
                      "the condition",
                      loop.name, *loop.trips.max)
                    .at(isa::place_of(plan_.program, loop.source));
  return true;
}

Walker::Flow Walker::counted(const Node& n) {
  const isa::Loop& loop = plan_.program.loops[n.id];
  const int64_t from = value(loop.from), to = value(loop.to);
  int64_t trips = 0;
  for (int64_t at = from; at < to; at += loop.step) {
    lane_.registers[loop.counter] = at;
    lane_.counters[n.id] = trips;
    if (too_many(n.id, ++trips)) return Flow::Stop;
    if (block(n.body) == Flow::Stop) return Flow::Stop;
  }
  lane_.counters[n.id] = 0;
  isa::TripRecord::append(lane_.trips.loops[n.id], trips);
  return Flow::Next;
}

Walker::Flow Walker::endless(const Node& n) {
  for (int64_t trips = 0;; ++trips) {
    lane_.counters[n.id] = trips;
    const Flow flow = block(n.body);
    if (flow == Flow::Stop) return flow;
    if (flow == Flow::Exit) {
      lane_.counters[n.id] = 0;
      isa::TripRecord::append(lane_.trips.loops[n.id], trips);
      return Flow::Next;
    }
    if (too_many(n.id, trips + 1)) return Flow::Stop;
  }
}

Walker::Flow Walker::branch(const Node& n) {
  const bool taken = lane_.registers[plan_.program.branches[n.id].condition] != 0;
  isa::TripRecord::append(lane_.trips.branches[n.id], taken ? 1 : 0);
  return block(taken ? n.body : n.other);
}

bool Walker::in_bounds(const Step& s) {
  for (const Bound& b : s.bounds) {
    const int64_t partition = b.partition.value(lane_.counters.data(), lane_.registers.data());
    const int64_t offset = b.offset.value(lane_.counters.data(), lane_.registers.data());
    const bool rows =
        b.partition_limit == 0 || (partition >= 0 && partition + b.partitions <= b.partition_limit);
    const bool elements = offset + b.hull.begin >= 0 && offset + b.hull.end <= b.element_limit;
    if (rows && elements) continue;
    if (s.skip_out_of_bounds) return false;
    const std::string& label = plan_.program.insts[s.inst].label;
    const std::string& tensor = plan_.program.tensors[b.tensor].name;
    const Status status =
        rows ? error("TY-RUN-010",
                     "{}: {} touches elements {} to {} of '{}', which has {}; correct the "
                     "registers in its address, or guard it with an if",
                     label, b.operand, offset + b.hull.begin, offset + b.hull.end - 1, tensor,
                     b.element_limit)
             : error("TY-RUN-010",
                     "{}: {} touches partitions {} to {} of '{}', which has {}; correct the "
                     "registers in its address, or guard it with an if",
                     label, b.operand, partition, partition + b.partitions - 1, tensor,
                     b.partition_limit);
    raise(lane_, plan_.program, s.inst, status);
    return false;
  }
  return true;
}

}  // namespace trainyard::sim
