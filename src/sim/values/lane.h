#pragma once
// The state of one worker of a values run, and the steps that change it.
#include <memory>
#include <optional>
#include <vector>

#include "isa/program.h"
#include "isa/stream.h"
#include "sim/execute/tile/context.h"
#include "sim/execute/tile/host_buffer.h"
#include "sim/values.h"
#include "sim/values/psum_map.h"

namespace trainyard::sim {

class Watch;

// Counters, registers, tensor instances and scratch of one worker. A worker of a parallel loop
// starts as a copy of the addresses and numbers of the lane that entered it.
struct Lane {
  std::vector<int64_t> counters;   // by LoopId
  std::vector<int64_t> registers;  // by RegisterId; 32-bit values
  std::vector<std::byte*> base;    // by TensorId: where the current instance lies; views have none
  std::vector<HostBuffer> memory;  // by TensorId: what this lane owns
  HostBuffer tiles;                // the shared arena of tiles (values/memory_plan.h)
  std::byte* hbm = nullptr;        // that of HBM tensors, owned by the run
  std::vector<PsumMap> psum;       // by TensorId: what matmuls may add to
  ExecContext exec;
  HostBuffer batch;  // PSUM tiles of several iterations
  HostBuffer arena;  // packed operands that are kept (values/packing.h)
  std::vector<std::vector<uint64_t>> packed_from;  // by table and slot: contents; 0: nothing
  HostBuffer passing_stationary, passing_moving;   // packed operands of one nest
  std::vector<uint64_t> contents;                  // by TensorId: changes whenever the contents may
  uint64_t clock = 0;                              // the latest stamp
  uint64_t clock_step = 1;  // how many lanes there are: their stamps all differ

  isa::TripRecord trips;
  std::vector<ValueEvent> events;
  Status fault;
  isa::InstId fault_inst = -1;
  int64_t executed = 0;
  Watch* watch = nullptr;

  bool stopped() const { return !fault.ok(); }
  void touch(isa::TensorId tensor) { contents[tensor] = clock += clock_step; }
};

// A tensor operand of a compiled instruction: base address of its tensor plus an affine number of
// bytes. Only the address depends on the run.
struct OperandRef {
  isa::TensorId root = -1;       // the tensor that has memory, after all views
  int64_t constant = 0;          // bytes
  std::vector<isa::Term> terms;  // coefficients are bytes
  Pattern pattern;

  int64_t offset(const Lane& lane) const {
    int64_t sum = constant;
    for (const isa::Term& t : terms) {
      const bool counter = t.variable.kind == isa::Variable::Kind::Counter;
      sum += t.coefficient * (counter ? lane.counters : lane.registers)[t.variable.id];
    }
    return sum;
  }
  std::byte* data(const Lane& lane) const { return lane.base[root] + offset(lane); }
  View view(const Lane& lane) const { return {data(lane), &pattern}; }
};

// A run-time address that must be inside its tensor.
struct Bound {
  std::string_view operand;
  isa::TensorId tensor = -1;
  isa::Affine partition, offset;  // of the access, in partitions and elements
  int64_t partitions = 0;         // touched by the access
  isa::Hull hull;                 // of the pattern
  int64_t partition_limit = 0;    // partitions of the tensor; 0 in HBM
  int64_t element_limit = 0;      // elements of a partition, of the whole tensor in HBM
};

// One body instruction, ready to run.
class Step {
 public:
  virtual ~Step() = default;
  virtual void run(Lane& lane) const = 0;

  isa::InstId inst = -1;
  std::vector<Bound> bounds;        // empty unless an address is in registers
  bool skip_out_of_bounds = false;  // leave the instruction out instead of faulting
};

template <class F>
class StepOf final : public Step {
 public:
  explicit StepOf(F f) : f_(std::move(f)) {}
  void run(Lane& lane) const override { f_(lane); }

 private:
  F f_;
};
template <class F>
std::unique_ptr<Step> make_step(F f) {
  return std::make_unique<StepOf<F>>(std::move(f));
}

}  // namespace trainyard::sim
