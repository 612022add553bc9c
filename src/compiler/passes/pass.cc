#include "compiler/passes/pass.h"

#include <array>

namespace trainyard::compiler {

std::span<const Pass> pipeline() {
  static constexpr std::array<Pass, 0> kPasses = {};
  return kPasses;
}

}  // namespace trainyard::compiler
