#pragma once
// Runs a GpSimd program on the host.
//
// A window that is all of its tensor is used in place, others are copied in, and out again when the
// program has ended well: after a fault the tensors that are written hold anything. Two operands
// that share memory see each other's writes only after the call. What a written window holds
// before the program writes it is undefined, but always the same: what the tensor held.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "base/status.h"
#include "base/units.h"
#include "hw/core_spec.h"
#include "isa/gpsimd/program.h"

namespace trainyard::sim::gpsimd {

struct Operands {
  std::span<const std::span<std::byte>> tensors;  // one per window: all of its tensor
  std::span<const uint64_t> scalars;              // bits, one per param of the body
};

struct RunOptions {
  // The run ends with TY-GPS-022 when it has spent more; every operation spends at least one.
  int64_t cycle_limit = std::numeric_limits<int64_t>::max();
};

struct RunCost {
  Cycles cycles;  // sum over executed operations, for isa::gpsimd::call_cost
};

// The program must verify. Errors: TY-GPS-020 (access outside of a window), TY-GPS-021 (a loop
// passes its maximum), TY-GPS-022 (cycle limit), TY-GPS-023 (operands do not fit the windows).
Result<RunCost> run(const isa::gpsimd::Program& program, const Operands& operands,
                    const hw::CoreSpec& core, const RunOptions& options = {});

}  // namespace trainyard::sim::gpsimd
