#pragma once
// What an instruction costs. One formula, two readers: the simulator spends it, `place` and the
// compiler estimate with it. The constants are in docs/machine.
//
// Everything is an integer. Rates are read to six decimals, work = elements * rate is rounded up
// once, nanosecond constants are rounded to the nearest cycle of the engine.
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/units.h"
#include "hw/core_spec.h"
#include "isa/program.h"

namespace trainyard::isa {

// How much of the timing model is used.
//   D  documented formulas alone. A constant that is only measured or assumed is replaced by the
//      documented one of NeuronCore-v2 where there is one. An instruction is done when its interval
//      is over.
//   C  calibrated: with the fixed latencies and slopes that were read off published profiles.
enum class Level : uint8_t { D, C };
std::string_view name(Level level);  // "D", "C"

// Time of one instruction, in cycles of the engine that runs it.
struct Cost {
  Cycles interval;  // after this the engine takes its next instruction
  Cycles latency;   // after this the last output is written and the completion leaves
  Cycles work;      // the streaming part of `latency`; the rest is fixed
  // Tensor: the load of the stationary tile. It is not part of `interval` and hides behind the
  // matmul before it.
  Cycles load;
  // Vector transpose: `interval` if the quadrants of source and destination are not those of the
  // instruction before; otherwise equal to `interval`.
  Cycles turn_interval;
  // Tensor: rows * columns * streaming cycles that the array's cells are in use, for the power
  // ramp.
  int64_t cell_cycles = 0;
  hw::Trust trust = hw::Trust::Documented;  // the weakest fact that went in

  friend bool operator==(const Cost&, const Cost&) = default;
};

// A core as it looks at one level. Making one takes microseconds: keep it for a whole program.
struct CostModel {
  CostModel(const hw::CoreSpec& core, Level level);

  hw::CoreSpec core;  // with the constants of that level
  Level level;
};

// The cost of `inst` on `engine`. Of a transfer: the trigger instruction alone; isa/cost_dma.h has
// the rest. The instruction must pass `verify`.
Cost cost(const Program& program, const Inst& inst, Engine engine, const CostModel& model);
inline Cost cost(const Program& program, const Inst& inst, Engine engine, const hw::CoreSpec& core,
                 Level level) {
  return cost(program, inst, engine, CostModel(core, level));
}

// The same while the power ramp holds the array at `throttle_ratio`: intervals and streaming
// stretch, the fixed latency does not. [neuron-explorer]
Cost throttled(const Cost& cost, const hw::CoreSpec& core);

// The table set that an activation function needs, or none if every set has it. Two functions with
// different sets cannot both be resident; at kernel start none is. [fieldnotes-3p]
std::optional<int> act_table(Function function);
// The time of loading one, in cycles of the Scalar engine.
Cost table_load_cost(const CostModel& model);
inline Cost table_load_cost(const hw::CoreSpec& core, Level level) {
  return table_load_cost(CostModel(core, level));
}

// A control instruction of a sequencer (branch, semaphore, a wait after the first) in cycles of the
// engine it runs on.
Cost control_cost(Engine engine, const CostModel& model);
inline Cost control_cost(Engine engine, const hw::CoreSpec& core, Level level) {
  return control_cost(engine, CostModel(core, level));
}

}  // namespace trainyard::isa
