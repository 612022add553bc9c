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
      Pass{"inline", inline_calls},        Pass{"expand", expand},
      Pass{"simplify", simplify},          Pass{"loops", improve_loops},
      Pass{"cumulative", mark_cumulative}, Pass{"in_place", mark_in_place},
  };
  return kPasses;
}

}  // namespace trainyard::compiler
