#pragma once
// Walks the five streams of a placement in one order that their edges allow, and keeps who knows of
// whose completion.
//
// The order follows the body as closely as the placement lets it: an engine is stepped when the
// body comes to one of its instructions, or when another engine waits for it. Any order would do,
// since what is known comes from edges alone; this one keeps little waiting. An engine that waits
// for an engine which waits for it is a deadlock, and it is one in every schedule.
//
// Hand-written semaphores. `wait s >= v` proves that an increment is complete only if v cannot be
// reached without it. Of the streams that increment s, all others together can give at most their
// increments in the whole run; what is missing to v must have come from this stream, and its
// increments come in order. With one incrementing stream these are exactly the first v.
#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "base/progress.h"
#include "isa/stream.h"
#include "sim/check/body.h"
#include "sim/check/clocks.h"
#include "sim/check/memory.h"

namespace trainyard::sim::hazard {

class StreamsWalk {
 public:
  StreamsWalk(const isa::Program& program, const isa::Structure& structure,
              const isa::TripRecord& trips, const std::vector<uint8_t>& masks, BodyWalk& body,
              PlacedMemory& memory, Findings& findings);

  void tell(Progress* progress) { progress_ = progress; }
  // Everything, or up to a deadlock, which becomes a finding. False then.
  bool run();
  int64_t instructions() const { return instructions_; }

 private:
  struct Engine {
    isa::StreamWalker walker;
    bool done = false;
    bool waiting = false;         // on the way to satisfy its head
    Clock known{};                // what it has waited for
    std::vector<int64_t> issued;  // by instruction
  };
  struct Semaphore {
    int64_t count = 0;
    uint8_t incrementing = 0, waiting = 0;  // engines
    std::array<int64_t, kStreams> total{};  // increments in the whole run
    std::array<int64_t, kStreams> first{};  // increments that are no longer kept
    std::array<std::deque<Clock>, kStreams> clocks;
  };

  void find_edges();
  void count_increments(const isa::TripRecord& trips);
  bool issue(int engine, isa::InstId inst, int64_t instance);
  bool step(int engine);
  bool satisfy(int engine);
  bool satisfy_need(const isa::Need& need);
  bool satisfy_wait(const isa::SemaphoreWait& wait);
  bool satisfy_barrier(int engine);
  void leave_barrier(isa::LoopId loop);
  void execute(int engine);
  void learn(Engine& e, isa::InstId inst);
  void learn_semaphore(Engine& e, const isa::SemaphoreWait& wait);
  void complete(isa::InstId inst, int64_t instance, int stream, const Clock& clock);
  void advance(int engine);
  void report_deadlock();
  std::string waits_for(int engine, uint8_t& engines) const;

  const isa::Program& program_;
  const isa::Structure& structure_;
  const std::vector<uint8_t>& masks_;
  BodyWalk& body_;
  PlacedMemory& memory_;
  Findings& findings_;
  std::vector<Engine> engines_;
  std::vector<Completions> completions_;        // by instruction
  std::vector<int64_t> asked_;                  // by edge: nobody asks for fewer
  std::vector<int32_t> first_edge_;             // by waiting instruction
  std::vector<std::vector<int32_t>> edges_of_;  // by producer
  std::vector<Semaphore> semaphores_;
  std::vector<uint8_t> loop_engines_;  // with work in the loop
  std::array<uint32_t, hw::kEngineCount> queues_of_{};
  std::array<int32_t, kStreams> issued_{};
  int64_t instructions_ = 0, steps_ = 0;
  Progress* progress_ = nullptr;
};

}  // namespace trainyard::sim::hazard
