#pragma once
// What GpSimd programs cost, in cycles of the engine. One formula for the simulator, which adds up
// what was executed, and for the compiler, which adds up the declared maxima.
#include "base/units.h"
#include "hw/core_spec.h"
#include "isa/gpsimd/program.h"

namespace trainyard::isa::gpsimd {

// Of one execution of `op`, without the blocks inside of it. The program must verify.
Cycles op_cycles(const Program& program, const Function& function, const Op& op,
                 const hw::CoreSpec& core);

// Bytes that the DMA moves in and out of windows, once per call. A sort that does not fit the
// working memory moves its windows once more in and out per merge level; see sort_passes.
struct Moved {
  int64_t in = 0;
  int64_t out = 0;
};
// `in_hbm` says per window whether it has to be moved at all; without it all have.
Moved moved_bytes(const Program& program, const hw::CoreSpec& core,
                  const std::vector<bool>& in_hbm = {});

// Merge levels beyond the first pass over windows of `bytes`, with `working` bytes at hand.
int64_t sort_passes(int64_t bytes, int64_t working);

struct CallCost {
  Cycles cycles;      // compute, with the start of the call
  Seconds transfer;   // of the windows, at the rate of the engine's DMA or of `fallback`
  Seconds time;       // the longer of both if double buffered, else the sum
  Seconds low, high;  // the band around `time`
};
// `executed` is the sum of op_cycles. `queue_bytes_per_ns` is the rate where the engine has no DMA
// of its own.
CallCost call_cost(const Program& program, Cycles executed, const hw::CoreSpec& core,
                   double queue_bytes_per_ns, const std::vector<bool>& in_hbm = {});

// The sum of op_cycles if every loop makes its declared maximum of turns and every `if` takes its
// dearer side. Saturates far below overflow.
Cycles most_cycles(const Program& program, const hw::CoreSpec& core);

}  // namespace trainyard::isa::gpsimd
