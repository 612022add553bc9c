#include "compiler/passes/pass.h"

#include <array>

#include "compiler/passes/expand.h"
#include "compiler/passes/inline.h"

namespace trainyard::compiler {

std::span<const Pass> pipeline() {
  static constexpr std::array kPasses = {
      Pass{"inline", inline_calls},
      Pass{"expand", expand},
  };
  return kPasses;
}

}  // namespace trainyard::compiler
