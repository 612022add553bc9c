#pragma once
// What the compiler makes of a module for one core: a body, and how the caller's arrays meet it.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compiler/ir/types.h"
#include "isa/program.h"

namespace trainyard::compiler {

// An array of the caller. `tensor` is the HBM tensor that holds it, dense and row-major in
// StableHLO's own bytes; -1 for an array without elements, or a parameter that nobody reads.
struct Argument {
  TensorType type;
  isa::TensorId tensor = -1;
  std::string name;              // the user's, where known
  bool donated = false;          // the caller gives it away
  std::optional<int64_t> alias;  // the result that JAX asked to lie in this parameter's memory
};

struct Output {
  TensorType type;
  isa::TensorId tensor = -1;
  std::string name;
};

// Data that the program reads besides its arguments, bound to `tensor` before each run.
struct ConstantData {
  isa::TensorId tensor = -1;
  std::vector<uint8_t> bytes;
};

struct Executable {
  std::string name;      // "jit_step"
  isa::Program program;  // without a placement: `place` makes it when a time is asked for
  std::vector<Argument> arguments;
  std::vector<Output> outputs;
  std::vector<ConstantData> constants;
  std::vector<std::string> remarks;  // what was not fused or not put on a fast engine, and why
};

}  // namespace trainyard::compiler
