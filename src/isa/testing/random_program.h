#pragma once
// Random programs for tests of everything that reads a Program.
//
// A body is legal as far as its author knows the instructions: memories, types and shapes fit,
// every access lies inside its tensor, every tile is written before it is read, and run-time loops
// end. It computes nothing sensible. All instructions occur. The same seed and options give the
// same program on every host.
#include <cstdint>

#include "isa/program.h"

namespace trainyard::isa::testing {

struct RandomProgramOptions {
  int statements = 40;           // instructions and blocks, about
  int depth = 3;                 // of nested blocks, at most
  bool run_time_control = true;  // registers, `loop`, `if`
  bool several_cores = false;    // core_barrier, sendrecv, collective
  bool placement = false;        // a random placement: well formed, but full of races
};

Program random_program(uint64_t seed, const RandomProgramOptions& options = {});

// Gives each tensor and instruction of `program` a random, well formed place: edges name counters
// that exist, queues belong to transfers. Nothing says that it is free of races or deadlocks.
void place_at_random(Program& program, uint64_t seed);

// A GpSimd program that writes the first `part` of `n` elements: x plus its scalar.
gpsimd::Program adder(int64_t n, int64_t part);

}  // namespace trainyard::isa::testing
