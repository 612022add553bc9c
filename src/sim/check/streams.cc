#include "sim/check/streams.h"

#include <algorithm>

namespace trainyard::sim::hazard {

using isa::InstId;
using isa::StreamItem;

StreamsWalk::StreamsWalk(const isa::Program& program, const isa::Structure& structure,
                         const isa::TripRecord& trips, const std::vector<uint8_t>& masks,
                         BodyWalk& body, PlacedMemory& memory, Findings& findings)
    : program_(program),
      structure_(structure),
      masks_(masks),
      body_(body),
      memory_(memory),
      findings_(findings),
      edges_of_(program.insts.size()),
      semaphores_(program.semaphores.size()),
      loop_engines_(program.loops.size(), 0) {
  for (size_t i = 0; i < program.insts.size(); ++i) {
    completions_.emplace_back(std::max(1, __builtin_popcount(masks[i])));
    for (const isa::Enclosure& e : structure.around(static_cast<InstId>(i))) {
      if (e.kind == isa::Enclosure::Kind::Loop) loop_engines_[e.id] |= masks[i];
    }
    const isa::InstPlace& place = program.placement.insts[i];
    if (place.queue >= 0) queues_of_[hw::index(*place.engine)] |= 1u << place.queue;
  }
  find_edges();
  if (!program.semaphores.empty()) count_increments(trips);
  for (const hw::Engine e : hw::kEngines) {
    engines_.push_back({.walker = isa::StreamWalker(program, structure, e, trips),
                        .issued = std::vector<int64_t>(program.insts.size(), 0)});
    advance(static_cast<int>(hw::index(e)));
  }
}

void StreamsWalk::find_edges() {
  std::vector<int64_t> zeros(program_.loops.size(), 0);
  for (size_t i = 0; i < program_.insts.size(); ++i) {
    first_edge_.push_back(static_cast<int32_t>(asked_.size()));
    for (const isa::Edge& e : program_.placement.insts[i].after) {
      edges_of_[e.producer].push_back(static_cast<int32_t>(asked_.size()));
      // The first question is for the whole first iteration, unless it names an instance.
      const auto& path = structure_.around(e.producer);
      int outer = isa::Structure::shared(structure_.around(static_cast<InstId>(i)), path);
      if (e.lag_loop >= 0) {
        const auto at = std::find(path.begin(), path.end(),
                                  isa::Enclosure{isa::Enclosure::Kind::Loop, e.lag_loop});
        outer = static_cast<int>(at - path.begin()) + 1;
      }
      const int64_t inside =
          e.at.empty() ? isa::instances_inside(program_, structure_, e.producer, outer, zeros) : 0;
      asked_.push_back(std::max<int64_t>(0, inside));
    }
  }
}

void StreamsWalk::count_increments(const isa::TripRecord& trips) {
  for (const hw::Engine e : hw::kEngines) {
    const int engine = static_cast<int>(hw::index(e));
    isa::StreamWalker walker(program_, structure_, e, trips);
    while (walker.next()) {
      if (walker.item().kind != StreamItem::Kind::Instruction) continue;
      const isa::InstPlace& place = program_.placement.insts[walker.item().id];
      for (const isa::SemaphoreId s : place.increments) {
        ++semaphores_[s].total[stream_of(place, engine)];
        semaphores_[s].incrementing |= static_cast<uint8_t>(1u << engine);
      }
      for (const isa::SemaphoreWait& w : place.waits)
        semaphores_[w.semaphore].waiting |= static_cast<uint8_t>(1u << engine);
    }
  }
}

void StreamsWalk::advance(int engine) { engines_[engine].done = !engines_[engine].walker.next(); }

bool StreamsWalk::run() {
  bool ok = true;
  for (StreamItem item; ok && body_.next(item);) {
    for (int e = 0; ok && e < kEngineStreams; ++e) {
      if (masks_[item.id] >> e & 1) ok = issue(e, item.id, item.instance);
    }
  }
  for (int e = 0; ok && e < kEngineStreams; ++e) {
    while (ok && !engines_[e].done) ok = step(e);  // turns and tests at the end
  }
  if (!ok) report_deadlock();
  return ok;
}

// Steps the engine until it has executed that instance.
bool StreamsWalk::issue(int engine, InstId inst, int64_t instance) {
  while (engines_[engine].issued[inst] <= instance) {
    if (!step(engine)) return false;
  }
  return true;
}

// Executes the head of an engine's stream, after all that it waits for. False if it waits for an
// engine that waits for it.
bool StreamsWalk::step(int engine) {
  Engine& e = engines_[engine];
  if (e.waiting || e.done) return false;
  e.waiting = true;
  const bool ready = satisfy(engine);
  e.waiting = false;
  if (!ready) return false;
  const StreamItem item = e.walker.item();
  ++steps_;
  if (item.kind == StreamItem::Kind::LoopTurn) {
    leave_barrier(item.id);
    return true;
  }
  if (item.kind == StreamItem::Kind::Instruction) execute(engine);
  advance(engine);
  return true;
}

bool StreamsWalk::satisfy(int engine) {
  const isa::StreamWalker& walker = engines_[engine].walker;
  const StreamItem item = walker.item();
  if (item.kind == StreamItem::Kind::LoopTurn) return satisfy_barrier(engine);
  if (item.kind != StreamItem::Kind::Instruction) return true;
  for (const isa::Need& need : walker.needs()) {
    if (completions_[need.producer].count() < need.count && !satisfy_need(need)) return false;
  }
  for (const isa::SemaphoreWait& wait : program_.placement.insts[item.id].waits) {
    if (!satisfy_wait({wait.semaphore, wait.value.value(walker.counters())})) return false;
  }
  return true;
}

bool StreamsWalk::satisfy_need(const isa::Need& need) {
  for (int e = 0; e < kEngineStreams; ++e) {
    if ((masks_[need.producer] >> e & 1) && !issue(e, need.producer, need.count - 1)) return false;
  }
  return true;
}

// Any of the incrementing engines may bring the count nearer, also one that gets stuck on its way:
// what it waited for may have moved others.
bool StreamsWalk::satisfy_wait(const isa::SemaphoreWait& wait) {
  const Semaphore& s = semaphores_[wait.semaphore];
  while (s.count < wait.value.constant) {
    const int64_t before = steps_;
    for (int e = 0; e < kEngineStreams && s.count < wait.value.constant; ++e) {
      if (s.incrementing >> e & 1) step(e);
    }
    if (steps_ == before) return false;
  }
  return true;
}

// Every engine with work in the loop must have come to the end of the same turn.
bool StreamsWalk::satisfy_barrier(int engine) {
  const StreamItem turn = engines_[engine].walker.item();
  for (int e = 0; e < kEngineStreams; ++e) {
    if (e == engine || (loop_engines_[turn.id] >> e & 1) == 0) continue;
    for (;;) {
      if (engines_[e].done) return false;
      const StreamItem& at = engines_[e].walker.item();
      if (at.kind == StreamItem::Kind::LoopTurn && at.id == turn.id && at.instance == turn.instance)
        break;
      if (!step(e)) return false;
    }
  }
  return true;
}

// All that the engines of the loop have started is complete, and all of them know.
void StreamsWalk::leave_barrier(isa::LoopId loop) {
  Clock all{};
  for (int e = 0; e < kEngineStreams; ++e) {
    if ((loop_engines_[loop] >> e & 1) == 0) continue;
    join(all, engines_[e].known);
    all[e] = issued_[e];
    for (int q = 0; q < kQueues; ++q) {
      if (queues_of_[e] >> q & 1) all[kEngineStreams + q] = issued_[kEngineStreams + q];
    }
  }
  for (int e = 0; e < kEngineStreams; ++e) {
    if ((loop_engines_[loop] >> e & 1) == 0) continue;
    engines_[e].known = all;
    advance(e);
  }
}

void StreamsWalk::execute(int engine) {
  Engine& e = engines_[engine];
  const StreamItem item = e.walker.item();
  const isa::InstPlace& place = program_.placement.insts[item.id];
  learn(e, item.id);
  const int stream = stream_of(place, engine);
  Touch me{.inst = item.id, .stream = stream, .instance = item.instance};
  me.index = ++issued_[stream];
  const Expected& expected = body_.expected(item.id, item.instance);
  me.order = expected.order;
  memory_.execute(me, expected, e.known, e.walker);
  body_.executed(item.id, item.instance);
  Clock clock = e.known;
  clock[stream] = me.index;
  complete(item.id, item.instance, stream, clock);
  ++e.issued[item.id];
  ++instructions_;
  if (progress_ != nullptr) progress_->done.store(instructions_, std::memory_order_relaxed);
}

// What the engine knows once the waits of `inst` are over.
void StreamsWalk::learn(Engine& e, InstId inst) {
  const isa::InstPlace& place = program_.placement.insts[inst];
  for (const isa::Need& need : e.walker.needs()) {
    const Completions& producer = completions_[need.producer];
    const Clock& clock = producer.at(need.count);
    const isa::InstPlace& at = program_.placement.insts[need.producer];
    const int stream = stream_of(at, static_cast<int>(hw::index(*at.engine)));
    if (producer.replicated() || e.known[stream] < clock[stream]) join(e.known, clock);
    asked_[first_edge_[inst] + need.edge] = need.least;
  }
  for (const isa::SemaphoreWait& wait : place.waits)
    learn_semaphore(e, {wait.semaphore, wait.value.value(e.walker.counters())});
}

void StreamsWalk::learn_semaphore(Engine& e, const isa::SemaphoreWait& wait) {
  Semaphore& s = semaphores_[wait.semaphore];
  int64_t total = 0;
  for (const int64_t t : s.total) total += t;
  for (int stream = 0; stream < kStreams; ++stream) {
    const int64_t sure = wait.value.constant - (total - s.total[stream]);
    if (sure > s.first[stream])
      join(e.known, s.clocks[stream][static_cast<size_t>(sure - s.first[stream] - 1)]);
    // What every waiting engine knows need not be kept.
    auto& clocks = s.clocks[stream];
    while (!clocks.empty() && std::all_of(engines_.begin(), engines_.end(), [&](const Engine& o) {
      const auto index = &o - engines_.data();
      return (s.waiting >> index & 1) == 0 || o.known[stream] >= clocks.front()[stream];
    })) {
      clocks.pop_front();
      ++s.first[stream];
    }
  }
}

void StreamsWalk::complete(InstId inst, int64_t instance, int stream, const Clock& clock) {
  if (!edges_of_[inst].empty() || completions_[inst].replicated()) {
    int64_t least = INT64_MAX;
    for (const int32_t edge : edges_of_[inst]) least = std::min(least, asked_[edge]);
    completions_[inst].forget_below(least);
    completions_[inst].complete(instance, clock);
  }
  for (const isa::SemaphoreId s : program_.placement.insts[inst].increments) {
    ++semaphores_[s].count;
    semaphores_[s].clocks[stream].push_back(clock);
  }
}

// ------------------------------------------------ deadlock

// What the head of an engine waits for, in words, and the engines that would have to give it.
std::string StreamsWalk::waits_for(int engine, uint8_t& engines) const {
  const Engine& e = engines_[engine];
  const StreamItem& item = e.walker.item();
  engines = 0;
  if (item.kind == StreamItem::Kind::LoopTurn) {
    engines = loop_engines_[item.id] & ~(1u << engine);
    return fmt::format("the other engines at the end of a turn of loop {}",
                       program_.loops[item.id].name);
  }
  for (const isa::Need& need : e.walker.needs()) {
    if (completions_[need.producer].count() >= need.count) continue;
    engines = masks_[need.producer];
    return fmt::format("instance {} of {} (line {})", need.count - 1,
                       program_.insts[need.producer].label,
                       program_.insts[need.producer].source.line);
  }
  for (const isa::SemaphoreWait& w : program_.placement.insts[item.id].waits) {
    const Semaphore& s = semaphores_[w.semaphore];
    const int64_t value = w.value.value(e.walker.counters());
    if (s.count >= value) continue;
    engines = s.incrementing;
    return fmt::format("semaphore {} >= {}, which has reached {}", program_.semaphores[w.semaphore],
                       value, s.count);
  }
  return "nothing";
}

// Follows who waits for whom from the first engine that cannot go on until an engine comes twice.
void StreamsWalk::report_deadlock() {
  int at = 0;
  uint8_t engines = 0;
  const auto stuck = [&](int e) { return !engines_[e].done && waits_for(e, engines) != "nothing"; };
  while (at < kEngineStreams - 1 && !stuck(at)) ++at;
  std::vector<int> path;
  while (std::find(path.begin(), path.end(), at) == path.end()) {
    path.push_back(at);
    waits_for(at, engines);
    int next = -1;
    for (int e = 0; e < kEngineStreams; ++e) {
      if ((engines >> e & 1) && !engines_[e].done && (next < 0 || e == path.front())) next = e;
    }
    if (next < 0) break;  // waits for what nobody will ever do
    at = next;
  }
  path.erase(path.begin(), std::find(path.begin(), path.end(), at));
  std::string text;
  InstId inst = -1;
  int64_t instance = 0;
  for (const int e : path) {
    const StreamItem& item = engines_[e].walker.item();
    const bool is_inst = item.kind == StreamItem::Kind::Instruction;
    if (is_inst && inst < 0) inst = item.id, instance = item.instance;
    uint8_t ignored = 0;
    text += fmt::format(
        "\n    {} stands at {} and waits for {}", hw::name(hw::kEngines[e]),
        is_inst ? fmt::format("instance {} of {} (line {})", item.instance,
                              program_.insts[item.id].label, program_.insts[item.id].source.line)
                : std::string("the end of a turn"),
        waits_for(e, ignored));
  }
  findings_.deadlock(inst, instance, text);
}

}  // namespace trainyard::sim::hazard
