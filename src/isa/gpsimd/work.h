#pragma once
// What a GpSimd program computes, counted in operations and without a machine. Reports use it to
// say how much float work left the engines that are made for it.
#include "isa/gpsimd/program.h"

namespace trainyard::isa::gpsimd {

struct CallWork {
  double contraction = 0;  // of dot: 2 per multiply-add, any type
  double floats = 0;       // float arithmetic, comparisons and functions, one per element

  friend bool operator==(const CallWork&, const CallWork&) = default;
};

// Of one call, if every loop makes its declared maximum of turns and every `if` takes its dearer
// side. Moving, choosing, sorting, gathering and scattering of floats counts for nothing: no other
// engine could do it. The program must verify.
CallWork call_work(const Program& program);

}  // namespace trainyard::isa::gpsimd
