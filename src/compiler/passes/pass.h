#pragma once
// The passes, in the order in which they run. Each takes a module that verifies and leaves one that
// verifies.
#include <span>
#include <string_view>

#include "base/status.h"
#include "compiler/ir/graph.h"

namespace trainyard::compiler {

struct Pass {
  std::string_view name;
  Status (*run)(Module& module);
};

std::span<const Pass> pipeline();

}  // namespace trainyard::compiler
