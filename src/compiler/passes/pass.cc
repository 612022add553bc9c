#include "compiler/passes/pass.h"

#include <array>

#include "compiler/passes/expand.h"
#include "compiler/passes/inline.h"
#include "compiler/passes/loops.h"
#include "compiler/passes/simplify.h"
#include "compiler/passes/split_complex.h"

namespace trainyard::compiler {

std::span<const Pass> pipeline() {
  static constexpr std::array kPasses = {
      Pass{"inline", inline_calls},          // one function, one device
      Pass{"expand", expand},                // fewer kinds of operations
      Pass{"split_complex", split_complex},  // real numbers only
      Pass{"simplify", simplify},            // less work
      Pass{"loops", improve_loops},          // less work in loops, counted loops
      Pass{"cumulative", mark_cumulative},   // notes for the lowering
      Pass{"in_place", mark_in_place},
  };
  return kPasses;
}

}  // namespace trainyard::compiler
