#pragma once
// Where the time and the work of one program go: by engine, and by operation of the user's source.
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "hw/core_spec.h"
#include "isa/program.h"
#include "sim/timing/time.h"

namespace trainyard::runtime {

// Useful work. `contraction` and `floats` tell whether float work stays on the engines made for it:
// products belong on Tensor, element-wise work on Vector and Scalar.
struct EngineWork {
  double busy_seconds = 0;
  int64_t instructions = 0;
  double contraction = 0;  // flops of products, 2 per multiply-add
  double floats = 0;       // flops of float work element by element, 1 per operator
};

struct OperationProfile {
  std::string place;      // "model.py:12:5"; empty where the program does not say
  std::string operation;  // "dot_general"
  std::array<EngineWork, hw::kEngineCount> engines;
  double dma_seconds = 0;  // payload of its transfers, summed over queues
  double waited_seconds = 0;

  // What works longest for it: an engine's name in lower case, or "dma".
  std::string_view runs_on() const;
  double busy_seconds() const;  // of that
};

struct Profile {
  double seconds = 0;  // of the program
  std::array<EngineWork, hw::kEngineCount> engines;
  // Float work by the engine that the compiler meant. `place` may lend instructions of Vector to
  // GpSimd to balance them; what the compiler meant for GpSimd is a program of that engine.
  std::array<double, hw::kEngineCount> compiled_floats{};
  double dma_seconds = 0;  // at least one transfer in flight
  // The engine or "dma" that works longest, and whether it works for at least half of the time.
  std::string bound_by;
  bool mostly_waits = false;
  double peak_flops = 0;                     // of the Tensor engine in 16-bit formats
  std::vector<OperationProfile> operations;  // the longest first
};

// The program must be placed; `time` must be its time.
Profile profile(const isa::Program& program, const hw::CoreSpec& core, const sim::TimeResult& time);

}  // namespace trainyard::runtime
