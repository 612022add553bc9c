#pragma once
// Time: runs the placement of a Program on the timing model. No tensor memory is touched.
//
// Deterministic integer ticks. Five in-order engines, DMA queues over 16 DMA engines, semaphore
// delays, HBM stack sharing, PSUM bank and SBUF port conflicts, PE power ramp, ACT table loads.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/progress.h"
#include "base/status.h"
#include "base/units.h"
#include "hw/core_spec.h"
#include "isa/cost.h"
#include "isa/program.h"
#include "isa/stream.h"

namespace trainyard::sim {

// Why an engine did not work.
enum class WaitCause : uint8_t {
  None,
  Edge,
  Semaphore,
  Barrier,
  PortConflict,
  BankConflict,
  TableLoad
};
std::string_view words(WaitCause cause);  // "result", "PSUM bank"

// One executed instruction, as it happened. `end` is when the last output is committed; the engine
// is free again at `free`. For a transfer, `engine` triggered it, `queue` carried it.
struct Slice {
  isa::InstId inst = -1;
  int64_t instance = 0;
  hw::Engine engine = hw::Engine::Sync;
  int queue = -1;
  Ticks ready;  // could have started if it had nothing to wait for
  Ticks start, free, end;
  WaitCause cause = WaitCause::None;  // of start - ready
  isa::InstId waited_for = -1;        // the producer of the last edge to be satisfied
};

// Receives slices in order of start time. Called millions of times: keep it light.
class TraceSink {
 public:
  virtual ~TraceSink() = default;
  virtual void slice(const Slice& slice) = 0;
  virtual void transfer(const Slice& slice, Ticks first_byte, Ticks last_byte, int64_t bytes) = 0;
  // An instruction works on an instance of a tensor from `start` to `end`.
  virtual void touch(isa::TensorId tensor, int64_t instance, Ticks start, Ticks end) = 0;
  // PE limit change, table load and the like: a named span on an engine.
  virtual void mark(hw::Engine engine, const char* what, Ticks start, Ticks end) = 0;
};

struct TimeOptions {
  isa::Level level = isa::Level::C;
  int sharing_cores = 1;  // cores that load the same HBM stack as this one does
  TraceSink* trace = nullptr;
  Progress* progress = nullptr;
};

struct EngineTime {
  Ticks busy;     // occupied by instructions
  Ticks waiting;  // had an instruction that could not start
  int64_t instructions = 0;
};

// What one instruction waited for, over all of its instances.
struct Wait {
  WaitCause cause = WaitCause::None;
  isa::InstId producer = -1;  // of the result, if it waited for one
  Ticks time;
};

struct InstTime {  // per static instruction, for reports by source line
  int64_t count = 0;
  Ticks busy;  // occupancy of its engine or its payload time in the queue
  Ticks waited;
  std::vector<Wait> waits;  // `waited` by cause, in order of first appearance
};

struct TimeResult {
  Ticks total;  // from the first instruction to the last completion, without kernel overhead
  Ticks kernel_overhead;
  std::array<EngineTime, hw::kEngineCount> engines;
  std::array<Ticks, 16> dma_engine_busy{};
  Ticks dma_busy;                         // at least one transfer in flight
  int64_t hbm_read = 0, hbm_written = 0;  // bytes
  int64_t dma_bytes = 0, descriptors = 0;
  int64_t macs = 0;  // useful multiply-adds of the Tensor engine
  int64_t pe_throttled_ticks = 0;
  int64_t table_loads = 0;
  int64_t executed = 0;            // body instructions
  int64_t skipped_iterations = 0;  // repeated steady state, exact
  std::vector<InstTime> insts;
  hw::Trust trust = hw::Trust::Documented;  // the weakest fact that was used
  std::vector<std::string>
      assumptions;  // in words: trips assumed, loops demoted, knobs that decided
};

// The placement must be complete. `trips` holds a value for every run-time loop and branch.
// A deadlock is an error (TY-HAZ-...) that names who waits for whom.
Result<TimeResult> simulate_time(const isa::Program& program, const hw::CoreSpec& core,
                                 const isa::TripRecord& trips, const TimeOptions& options);

}  // namespace trainyard::sim
