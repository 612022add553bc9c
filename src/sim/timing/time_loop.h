#pragma once
// The event loop of the timing model: five in-order engines and the DMA fabric, one event at a
// time.
//
// Each engine holds the next item of its stream. Of all engines whose item has nothing left to wait
// for, and of the next DMA event, the earliest happens; ties go to DMA, then to the engines in
// their fixed order. An item that waits for something not yet scheduled is looked at again when
// that changes.
#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "isa/stream.h"
#include "sim/timing/completions.h"
#include "sim/timing/power_ramp.h"
#include "sim/timing/static_cost.h"
#include "sim/timing/time.h"

namespace trainyard::sim {

class TimeLoop {
 public:
  TimeLoop(const isa::Program& program, const isa::Structure& structure, const hw::CoreSpec& core,
           const isa::TripRecord& trips, const TimeOptions& options);

  // Runs to the end, or until nothing can go on.
  Status run();
  TimeResult result() const;

 private:
  static constexpr Ticks kNever = DmaFabric::kNever;

  enum class Phase : uint8_t { Look, Ready, Blocked, Barrier, Done };

  struct EngineState {
    EngineState(const isa::Program& program, const isa::Structure& structure, hw::Engine engine,
                const isa::TripRecord& trips)
        : engine(engine),
          walker(program, structure, engine, trips),
          known(program.insts.size(), 0) {}

    hw::Engine engine;
    isa::StreamWalker walker;
    std::vector<int64_t> known;  // per producer: instances that an earlier item waited for
    Phase phase = Phase::Look;
    Ticks start;           // if Ready
    Ticks free, last_end;  // in-order issue, in-order completion
    Ticks last_start;
    isa::InstId waited_for = -1;  // producer of the wait that decided `start`, or that blocks
    int64_t blocked_count = 0;    // instances of it that are needed
    isa::SemaphoreId blocked_semaphore = -1;
    WaitCause cause = WaitCause::None;
    // What it is doing now, for conflicts.
    uint32_t banks = 0;
    Ticks banks_until;
    bool uses_sbuf = false, fast_mode = false;
    bool stalled = false;        // the item has already waited for a port or bank
    int64_t transfers_open = 0;  // triggered, not complete
    Ticks transfers_seen;        // latest completion of its transfers
    int table = -1;
    Ticks dge_free;
    Ticks busy, waiting;
    int64_t instructions = 0;
  };

  struct Pending {  // a transfer that has been triggered
    Ticks time;     // first byte may move
    int queue = 0;
    isa::InstId inst = -1;
    int64_t instance = 0;
    hw::Engine engine = hw::Engine::Sync;
    Slice slice;
    std::vector<std::pair<isa::TensorId, int64_t>> touched;  // and their instances, for a trace
  };

  struct LoopBarrier {
    uint8_t members = 0, arrived = 0;
    Ticks latest;
  };

  void look(EngineState& e);
  void look_at_instruction(EngineState& e);
  void issue(EngineState& e);
  void issue_control(EngineState& e);
  void issue_compute(EngineState& e, const StaticCost& cost, isa::InstId inst);
  void issue_transfer(EngineState& e, const StaticCost& cost, isa::InstId inst);
  void arrive(EngineState& e);
  void advance(EngineState& e);
  void dma_event(Ticks time);
  void end_transfer(const DmaFabric::End& end);
  void finish(isa::InstId inst, int64_t instance, Ticks seen);
  void wake(isa::InstId producer);
  uint32_t banks_of(const EngineState& e, const StaticCost& cost) const;
  Ticks after_conflicts(const EngineState& e, const StaticCost& cost, Ticks start, uint32_t banks,
                        WaitCause& cause) const;
  Ticks semaphore_time(isa::SemaphoreId semaphore, int64_t value) const;
  void record(const EngineState& e, const Slice& slice);
  Status deadlock() const;

  const isa::Program& program_;
  const isa::Structure& structure_;
  const hw::CoreSpec& core_;
  const TimeOptions& options_;
  std::vector<StaticCost> costs_;
  std::vector<uint8_t> masks_;
  Completions completions_;
  std::vector<EngineState> engines_;
  DmaFabric fabric_;
  // An engine may trigger far ahead of what the queues move, so both are made for many.
  std::multimap<Ticks, Pending> pending_;               // by time, equal ones as they came
  std::array<std::deque<Pending>, kDmaQueues> flying_;  // in the fabric, by queue, in order
  std::vector<DmaFabric::End> ended_;
  std::array<Ticks, kDmaQueues> queue_seen_{};  // transfers of a queue complete in order
  std::vector<std::vector<Ticks>> increments_;  // per semaphore, sorted
  std::vector<LoopBarrier> barriers_;           // per loop
  std::vector<int64_t> asked_;                  // per edge: the last count asked for
  std::vector<int32_t> first_edge_;             // per instruction
  std::vector<std::vector<int32_t>> edges_of_;  // per producer
  PowerRamp ramp_;
  Ticks handoff_, extra_wait_;
  std::array<Ticks, hw::kEngineCount> control_;
  TimeResult result_;
};

}  // namespace trainyard::sim
