#include "sim/timing/time_loop.h"

#include <algorithm>

#include "isa/cost_work.h"

namespace trainyard::sim {

using hw::Engine;
using isa::InstId;
using isa::StreamItem;

namespace {

std::vector<uint8_t> replica_counts(const std::vector<uint8_t>& masks) {
  std::vector<uint8_t> out(masks.size(), 1);
  for (size_t i = 0; i < masks.size(); ++i)
    out[i] = static_cast<uint8_t>(std::max(1, __builtin_popcount(masks[i])));
  return out;
}

void add_wait(InstTime& t, const Slice& slice) {
  const Ticks time = slice.start - slice.ready;
  t.waited += time;
  const bool result = slice.cause == WaitCause::Edge;
  const Wait wait{slice.cause, result ? slice.waited_for : -1, time};
  for (Wait& w : t.waits) {
    if (w.cause != wait.cause || w.producer != wait.producer) continue;
    w.time += time;
    return;
  }
  t.waits.push_back(wait);
}

}  // namespace

TimeLoop::TimeLoop(const isa::Program& program, const isa::Structure& structure,
                   const hw::CoreSpec& core, const isa::TripRecord& trips,
                   const TimeOptions& options)
    : program_(program),
      structure_(structure),
      core_(core),
      options_(options),
      costs_(static_costs(program, core, options.level, options.sharing_cores)),
      masks_(isa::engine_masks(program, structure)),
      completions_(replica_counts(masks_)),
      increments_(program.semaphores.size()),
      barriers_(program.loops.size()),
      edges_of_(program.insts.size()),
      ramp_(core),
      handoff_(hw::ticks_from_ns(core, core.sem.handoff_ns.value)),
      extra_wait_(core.seq.extra_wait.value * core.period(Engine::Sync)) {
  result_.insts.resize(program.insts.size());
  for (size_t i = 0; i < program.insts.size(); ++i) {
    first_edge_.push_back(static_cast<int32_t>(asked_.size()));
    for (const isa::Edge& e : program.placement.insts[i].after) {
      edges_of_[e.producer].push_back(static_cast<int32_t>(asked_.size()));
      asked_.push_back(0);
    }
    for (const isa::Enclosure& e : structure.around(static_cast<InstId>(i))) {
      if (e.kind == isa::Enclosure::Kind::Loop) barriers_[e.id].members |= masks_[i];
    }
  }
  for (const Engine e : hw::kEngines) {
    control_[hw::index(e)] = isa::control_cost(e, core, options.level).interval * core.period(e);
    engines_.emplace_back(program, structure, e, trips);
  }
  for (EngineState& e : engines_) advance(e);
}

// Steps the engine's stream to its next item.
void TimeLoop::advance(EngineState& e) { e.phase = e.walker.next() ? Phase::Look : Phase::Done; }

Ticks TimeLoop::semaphore_time(isa::SemaphoreId semaphore, int64_t value) const {
  if (value <= 0) return Ticks(0);
  const auto& times = increments_[semaphore];
  return static_cast<int64_t>(times.size()) < value ? kNever : times[value - 1];
}

// Finds when the engine's item may start, or what it waits for.
void TimeLoop::look(EngineState& e) {
  const StreamItem& item = e.walker.item();
  if (item.kind == StreamItem::Kind::Instruction) {
    look_at_instruction(e);
    return;
  }
  e.waited_for = -1;
  if (item.kind == StreamItem::Kind::LoopTurn) {
    // The barrier waits for all that this engine has started, its transfers included.
    if (e.transfers_open > 0) {
      e.phase = Phase::Blocked;
      e.cause = WaitCause::Barrier;
      return;
    }
    arrive(e);
    return;
  }
  e.start = std::max(e.free, e.last_end);  // the registers that decide are computed by then
  e.cause = WaitCause::None;
  e.phase = Phase::Ready;
}

void TimeLoop::look_at_instruction(EngineState& e) {
  const InstId inst = e.walker.item().id;
  const StaticCost& cost = costs_[inst];
  uint32_t conditions = 0;  // streams with something that this engine has not waited for before
  Ticks operands;           // when the last thing that it waits for is seen
  e.stalled = false;
  e.waited_for = -1;
  e.blocked_semaphore = -1;
  e.cause = WaitCause::None;
  for (const isa::Need& need : e.walker.needs()) {
    if (completions_.count(need.producer) < need.count) {
      e.phase = Phase::Blocked;
      e.waited_for = need.producer;
      e.blocked_count = need.count;
      e.cause = WaitCause::Edge;
      return;
    }
    asked_[first_edge_[inst] + need.edge] = need.least;
    const int64_t known = e.known[need.producer];
    if (need.count > known) conditions |= costs_[need.producer].stream_bit;
    const Ticks seen = completions_.at(need.producer, need.count);
    if (seen > operands) {
      operands = seen;
      e.waited_for = need.producer;
      e.cause = WaitCause::Edge;
    }
  }
  for (const isa::SemaphoreWait& wait : program_.placement.insts[inst].waits) {
    const Ticks seen = semaphore_time(wait.semaphore, wait.value.value(e.walker.counters()));
    if (seen == kNever) {
      e.phase = Phase::Blocked;
      e.blocked_semaphore = wait.semaphore;
      e.cause = WaitCause::Semaphore;
      return;
    }
    if (seen > operands) {
      operands = seen;
      e.cause = WaitCause::Semaphore;
    }
  }
  // The stationary tile is loaded behind the matmul before, but not before its operands are there.
  if (cost.load > Ticks(0)) operands = std::max(operands, e.last_start) + cost.load;
  // A `repeat` means its unrolling, and unrolled code drops a wait that an earlier one implies. Of
  // the others one is free.
  const auto waits = __builtin_popcount(conditions) +
                     static_cast<int>(program_.placement.insts[inst].waits.size());
  const Ticks engine_ready = e.free + std::max(0, waits - 1) * extra_wait_;
  if (operands <= engine_ready) e.cause = WaitCause::None;
  e.start = std::max(engine_ready, operands);
  e.phase = Phase::Ready;
}

// PSUM banks, as bits, that the instruction touches in its current iteration.
uint32_t TimeLoop::banks_of(const EngineState& e, const StaticCost& cost) const {
  uint32_t banks = 0;
  const int64_t bank_bytes = core_.psum_bank_bytes();
  for (const PsumUse& use : cost.psum) {
    const int64_t slot = use.slots > 1 ? e.walker.tensor_instance(use.tensor) % use.slots : 0;
    const int64_t at = use.offset->has_register() ? 0 : use.offset->value(e.walker.counters());
    const int64_t byte = use.base + slot * use.pitch + at * use.element_bytes;
    for (int64_t b = (byte + use.hull_begin) / bank_bytes;
         b <= (byte + use.hull_end - 1) / bank_bytes; ++b) {
      banks |= 1u << (b & 31);
    }
  }
  return banks;
}

// Moves `start` behind instructions of other engines that hold a port or bank. [neuroncore 2.8]
Ticks TimeLoop::after_conflicts(const EngineState& e, const StaticCost& cost, Ticks start,
                                uint32_t banks, WaitCause& cause) const {
  const EngineState& vector = engines_[hw::index(Engine::Vector)];
  const EngineState& scalar = engines_[hw::index(Engine::Scalar)];
  const EngineState& gpsimd = engines_[hw::index(Engine::Gpsimd)];
  const EngineState& tensor = engines_[hw::index(Engine::Tensor)];
  const auto behind = [&](Ticks until, WaitCause why) {
    if (until <= start) return;
    start = until;
    cause = why;
  };
  if (banks != 0 && (e.engine == Engine::Vector || e.engine == Engine::Scalar)) {
    const EngineState& other = e.engine == Engine::Vector ? scalar : vector;
    const bool clash = core_.psum.vector_scalar_exclusive.value
                           ? other.banks != 0
                           : core_.psum.same_bank_serial.value && (other.banks & banks) != 0;
    if (clash) behind(other.banks_until, WaitCause::BankConflict);
    if (core_.pe.wins_psum_bank.value && (tensor.banks & banks) != 0 &&
        tensor.banks_until > start) {
      behind(tensor.banks_until, WaitCause::BankConflict);
    }
  }
  if (e.engine == Engine::Gpsimd && cost.uses_sbuf && vector.uses_sbuf &&
      (core_.sbuf.vector_gpsimd_exclusive.value || vector.fast_mode)) {
    behind(vector.free, WaitCause::PortConflict);
  }
  if (e.engine == Engine::Vector && cost.uses_sbuf && gpsimd.uses_sbuf &&
      core_.sbuf.vector_gpsimd_exclusive.value) {
    behind(gpsimd.free, WaitCause::PortConflict);
  }
  return start;
}

void TimeLoop::issue(EngineState& e) {
  if (e.walker.item().kind != StreamItem::Kind::Instruction) {
    issue_control(e);
    return;
  }
  const InstId inst = e.walker.item().id;
  const StaticCost& cost = costs_[inst];
  result_.trust = hw::weakest(result_.trust, cost.trust);
  for (const isa::Need& need : e.walker.needs()) {
    int64_t& known = e.known[need.producer];
    known = std::max(known, need.count);
  }
  if (cost.is_dma) {
    issue_transfer(e, cost, inst);
  } else {
    issue_compute(e, cost, inst);
  }
}

void TimeLoop::issue_control(EngineState& e) {
  e.free = e.start + control_[hw::index(e.engine)];
  e.last_end = std::max(e.last_end, e.free);
  e.busy += control_[hw::index(e.engine)];
  advance(e);
}

void TimeLoop::issue_compute(EngineState& e, const StaticCost& cost, InstId inst) {
  const StreamItem item = e.walker.item();
  const uint32_t banks = cost.psum.empty() ? 0 : banks_of(e, cost);
  const Ticks ready = std::max(e.free, Ticks(0));
  WaitCause cause = e.cause;
  Ticks start = after_conflicts(e, cost, e.start, banks, cause);
  if (start > e.start) {  // another engine may come first now
    e.start = start;
    e.cause = cause;
    e.stalled = true;
    return;
  }
  if (cost.table >= 0 && cost.table != e.table) {
    const Ticks load =
        isa::table_load_cost(core_, options_.level).interval * core_.period(Engine::Scalar);
    if (options_.trace != nullptr)
      options_.trace->mark(e.engine, "act_table_load", start, start + load);
    start += load;
    e.table = cost.table;
    ++result_.table_loads;
    if (cause == WaitCause::None) cause = WaitCause::TableLoad;
  }
  Ticks took = cost.interval;
  if (e.engine == Engine::Tensor && cost.pe_useful > Ticks(0))
    took = ramp_.occupy(start, cost.interval, cost.pe_useful);
  e.last_start = start;
  e.free = start + took;
  e.last_end = std::max(e.last_end, start + took + (cost.latency - cost.interval));
  e.banks = banks;
  e.banks_until = e.free;
  e.uses_sbuf = cost.uses_sbuf;
  e.fast_mode = cost.fast_mode;
  e.busy += took;
  if (start > ready) e.waiting += start - ready;
  const Ticks seen = e.last_end + handoff_;
  record(e, {inst, item.instance, e.engine, -1, ready, start, e.free, e.last_end, cause,
             e.waited_for});
  result_.macs += cost.macs;
  finish(inst, item.instance, seen);
  advance(e);
}

void TimeLoop::issue_transfer(EngineState& e, const StaticCost& cost, InstId inst) {
  const StreamItem item = e.walker.item();
  const Ticks ready = e.free;
  const Ticks start = e.start;
  e.last_start = start;
  e.free = start + cost.interval;
  e.last_end = std::max(e.last_end, e.free);
  e.banks = 0;
  e.uses_sbuf = e.fast_mode = false;
  e.busy += cost.interval;
  if (start > ready) e.waiting += start - ready;
  Ticks generated = start;
  if (cost.dge_block) {  // the block takes one instruction at a time
    generated = std::max(start, e.dge_free);
    e.dge_free = generated + cost.generate;
  }
  ++e.transfers_open;
  const int queue = program_.placement.insts[inst].queue;
  Pending p{generated + cost.dispatch, queue, inst, item.instance, e.engine, {}};
  p.slice = {inst,  item.instance, e.engine, queue,   ready,
             start, e.free,        e.free,   e.cause, e.waited_for};
  if (options_.trace != nullptr) {
    for (const isa::TensorId t : cost.tensors)
      p.touched.emplace_back(t, e.walker.tensor_instance(t));
  }
  record(e, p.slice);
  pending_.emplace_hint(pending_.end(), p.time, std::move(p));
  advance(e);
}

void TimeLoop::record(const EngineState& e, const Slice& slice) {
  InstTime& t = result_.insts[slice.inst];
  ++t.count;
  t.busy += slice.free - slice.start;
  if (slice.start > slice.ready) add_wait(t, slice);
  // A register instruction is executed on several engines but is one instruction of the body.
  if (program_.placement.insts[slice.inst].engine == e.engine) {
    ++result_.executed;
    if (options_.progress != nullptr)
      options_.progress->done.store(result_.executed, std::memory_order_relaxed);
    ++engines_[hw::index(e.engine)].instructions;
  }
  if (options_.trace == nullptr) return;
  options_.trace->slice(slice);
  for (const isa::TensorId t : costs_[slice.inst].tensors) {
    options_.trace->touch(t, e.walker.tensor_instance(t), slice.start, slice.end);
  }
}

// Marks an instance complete for waiters from `seen` on.
void TimeLoop::finish(InstId inst, int64_t instance, Ticks seen) {
  if (!edges_of_[inst].empty()) {
    int64_t least = INT64_MAX;
    for (const int32_t edge : edges_of_[inst]) least = std::min(least, asked_[edge]);
    completions_.forget_below(inst, least);
    completions_.complete(inst, instance, seen);
    wake(inst);
  }
  for (const isa::SemaphoreId s : program_.placement.insts[inst].increments) {
    auto& times = increments_[s];
    times.insert(std::upper_bound(times.begin(), times.end(), seen), seen);
    for (EngineState& e : engines_) {
      const bool hand_waits = e.phase == Phase::Ready &&
                              e.walker.item().kind == StreamItem::Kind::Instruction &&
                              !program_.placement.insts[e.walker.item().id].waits.empty();
      if (hand_waits || (e.phase == Phase::Blocked && e.blocked_semaphore >= 0))
        e.phase = Phase::Look;
    }
  }
}

void TimeLoop::wake(InstId producer) {
  for (EngineState& e : engines_) {
    if (e.phase == Phase::Blocked && e.waited_for == producer &&
        completions_.count(producer) >= e.blocked_count) {
      e.phase = Phase::Look;
    }
  }
}

// The engine has reached the end of an iteration of a run-time loop.
void TimeLoop::arrive(EngineState& e) {
  const isa::LoopId loop = e.walker.item().id;
  LoopBarrier& barrier = barriers_[loop];
  barrier.latest = std::max({barrier.latest, e.last_end + handoff_, e.free, e.transfers_seen});
  barrier.arrived |= static_cast<uint8_t>(1u << hw::index(e.engine));
  e.phase = Phase::Barrier;
  if (barrier.arrived != barrier.members) return;
  const Ticks release = barrier.latest;
  barrier.arrived = 0;
  barrier.latest = Ticks(0);
  for (EngineState& other : engines_) {
    if (other.phase != Phase::Barrier || other.walker.item().id != loop) continue;
    other.waiting += release - other.free;
    if (options_.trace != nullptr && release > other.free)
      options_.trace->mark(other.engine, "wait: end of iteration", other.free, release);
    other.free = release + control_[hw::index(other.engine)];
    other.last_end = std::max(other.last_end, other.free);
    advance(other);
  }
}

void TimeLoop::dma_event(Ticks time) {
  if (fabric_.next_event() == time) {
    ended_.clear();
    fabric_.step(ended_);
    for (const DmaFabric::End& end : ended_) end_transfer(end);
    return;
  }
  Pending p = std::move(pending_.begin()->second);
  pending_.erase(pending_.begin());
  fabric_.start(p.queue, costs_[p.inst].parts, time);
  flying_[p.queue].push_back(std::move(p));
}

// The transfers of a queue end in the order in which they started.
void TimeLoop::end_transfer(const DmaFabric::End& end) {
  const Pending p = std::move(flying_[end.queue].front());
  flying_[end.queue].pop_front();
  const InstId inst = p.inst;
  const StaticCost& cost = costs_[inst];
  const Ticks last_byte = end.time - cost.gap;
  const Ticks seen = std::max({queue_seen_[end.queue], last_byte + cost.tail, end.time});
  queue_seen_[end.queue] = seen;
  result_.hbm_read += cost.hbm_read;
  result_.hbm_written += cost.hbm_written;
  result_.dma_bytes += cost.bytes;
  result_.descriptors += cost.descriptors;
  if (options_.trace != nullptr) {
    Slice slice = p.slice;
    slice.end = seen;
    options_.trace->transfer(slice, p.time, last_byte, cost.bytes);
    // A tensor is in use until its last byte has moved, not only while the transfer is triggered.
    for (const auto& [tensor, which] : p.touched)
      options_.trace->touch(tensor, which, slice.start, last_byte);
  }
  EngineState& e = engines_[hw::index(p.engine)];
  --e.transfers_open;
  e.transfers_seen = std::max(e.transfers_seen, seen);
  if (e.phase == Phase::Blocked && e.cause == WaitCause::Barrier && e.transfers_open == 0)
    e.phase = Phase::Look;
  result_.total = std::max(result_.total, seen);
  finish(inst, p.instance, seen);
}

Status TimeLoop::run() {
  for (;;) {
    EngineState* first = nullptr;
    for (EngineState& e : engines_) {
      // A look may release a barrier and so change any engine; the next round sees it.
      if (e.phase == Phase::Look) look(e);
      if (e.phase == Phase::Ready && (first == nullptr || e.start < first->start)) first = &e;
    }
    if (std::any_of(engines_.begin(), engines_.end(),
                    [](const auto& e) { return e.phase == Phase::Look; }))
      continue;
    const Ticks dma =
        std::min(fabric_.next_event(), pending_.empty() ? kNever : pending_.begin()->first);
    if (first == nullptr && dma == kNever) {
      const auto done = [](const EngineState& e) { return e.phase == Phase::Done; };
      return std::all_of(engines_.begin(), engines_.end(), done) ? Status() : deadlock();
    }
    if (first == nullptr || dma <= first->start) {
      dma_event(dma);
    } else {
      issue(*first);
    }
  }
}

Status TimeLoop::deadlock() const {
  std::string who;
  const isa::Inst* at = nullptr;
  for (const EngineState& e : engines_) {
    if (e.phase == Phase::Done) continue;
    const StreamItem& item = e.walker.item();
    if (!who.empty()) who += "; ";
    if (item.kind != StreamItem::Kind::Instruction) {
      who += fmt::format("{} waits at the end of an iteration of loop {}", hw::name(e.engine),
                         program_.loops[item.id].name);
      continue;
    }
    const isa::Inst& inst = program_.insts[item.id];
    if (at == nullptr) at = &inst;
    if (e.blocked_semaphore >= 0) {
      who += fmt::format("{} waits in {} for semaphore {}, which has reached {}",
                         hw::name(e.engine), inst.label, program_.semaphores[e.blocked_semaphore],
                         increments_[e.blocked_semaphore].size());
    } else if (e.waited_for >= 0) {
      who += fmt::format("{} waits in {} for {} instances of {} ({} done, on {})",
                         hw::name(e.engine), inst.label, e.blocked_count,
                         program_.insts[e.waited_for].label, completions_.count(e.waited_for),
                         hw::name(*program_.placement.insts[e.waited_for].engine));
    }
  }
  Status status = error(
      "TY-HAZ-002",
      "deadlock: {}. Remove the wait that points forward, or give the tensor another slot.", who);
  return at == nullptr ? status : status.at(isa::place_of(program_, at->source));
}

TimeResult TimeLoop::result() const {
  TimeResult r = result_;
  for (const EngineState& e : engines_) {
    r.engines[hw::index(e.engine)] = {e.busy, e.waiting, e.instructions};
    r.total = std::max(r.total, e.last_end);
  }
  for (int d = 0; d < kDmaEngines; ++d) r.dma_engine_busy[d] = fabric_.busy(d);
  r.dma_busy = fabric_.any_busy();
  r.pe_throttled_ticks = ramp_.throttled().value;
  r.kernel_overhead = hw::ticks_from_ns(core_, core_.seq.kernel_overhead_ns.value);
  return r;
}

}  // namespace trainyard::sim
