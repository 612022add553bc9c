#pragma once
// Values: runs the ordered body of a Program. Nothing here knows about time or addresses.
//
// A ValuePlan is derived once per Program and reused by every run: which loops have independent
// iterations, which loads are views of HBM, which operands are packed once, which nests run as one
// host operation. A ValueRun is one execution on bound tensors. Plans are immutable and may be
// shared by threads; a run belongs to one thread, which lends it others through ParallelFor.
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "hw/core_spec.h"
#include "isa/program.h"
#include "isa/stream.h"
#include "numerics/convert.h"

namespace trainyard::sim {

// Calls work(i) once for each i in [0, n), in any order, on any threads, and returns when all are
// done. sim owns no threads: the caller brings them. `workers` bounds how many calls run at the
// same time.
struct ParallelFor {
  int workers = 1;
  std::function<void(int64_t n, const std::function<void(int64_t index, int worker)>& work)> run;
};
ParallelFor serial();

struct ValueOptions {
  bool strict = false;    // sums in the order of the specification: the same bits on every host
  bool shortcuts = true;  // run known nests as one host operation; the bits do not change
  bool watch = false;  // keep shadow bits: report uninitialised reads, inputs outside a function's
                       // range, indices out of bounds, duplicate scatter indices (slower)
  numerics::ConvertOptions convert;  // rounding mode and format switches
  bool max_propagates_nan = true;    // max, min of a NaN is NaN; false: the other operand
  bool flush_denormals = false;      // denormal operands and results are zeros, as XLA has it
  // Tensors whose lives do not meet share host memory. Without it a read of what was never written
  // gives zeros; with it, whatever lies there. For programs that `check` has found clean.
  bool share_memory = false;
  // Run-time loops that have executed more than this stop with TY-RUN-015.
  int64_t max_instructions = std::numeric_limits<int64_t>::max();
  // Independent iterations are handed to ParallelFor if the loop takes about this many nanoseconds.
  int64_t share_above = 50'000;
};

// A simulated machine fault or a finding of `watch`, with the body instruction it happened in.
struct ValueEvent {
  Status status;
  isa::InstId inst = -1;
  std::vector<int64_t> counters;  // by LoopId
  int64_t times = 1;              // how often the same instruction did the same
};

// Memory of the caller for one HBM tensor: dense, row-major, the tensor's own type.
struct Binding {
  isa::TensorId tensor = -1;
  std::span<std::byte> bytes;
};

class ValuePlan {
 public:
  // The program and the core must outlive the plan.
  static Result<std::shared_ptr<const ValuePlan>> make(const isa::Program& program,
                                                       const hw::CoreSpec& core,
                                                       const ValueOptions& options);
  virtual ~ValuePlan() = default;
  // What was found, for people: one line per nest or load ("lda: view of lhsT", "mm: one product").
  virtual std::vector<std::string> remarks() const = 0;
  // Device memory of the HBM tensors inside the program, those whose lives do not meet sharing it
  // where the options say so.
  virtual int64_t scratch_bytes() const = 0;
};

class ValueRun {
 public:
  enum class State : uint8_t { Done, Rendezvous, Fault };

  // Every tensor with an Io must be bound with its exact size; outputs are overwritten.
  static Result<std::unique_ptr<ValueRun>> make(std::shared_ptr<const ValuePlan> plan,
                                                std::span<const Binding> bindings,
                                                ParallelFor parallel);
  virtual ~ValueRun() = default;

  // Makes the run ready to start again on other memory, with what it has allocated. As `make`, but
  // refuses overlapping bindings (TY-RUN-014).
  virtual Status rebind(std::span<const Binding> bindings) = 0;

  // Runs until the end, a fault, or an instruction that must meet another core (then resume() goes
  // on).
  virtual State resume() = 0;
  virtual const Status& fault() const = 0;
  virtual isa::InstId waiting_at() const = 0;  // at a rendezvous
  virtual const isa::TripRecord& trips() const = 0;
  virtual std::span<const ValueEvent> events() const = 0;
  virtual int64_t executed() const = 0;  // body instructions
};

}  // namespace trainyard::sim
