#pragma once
// What a correct module may hold and the compiler does not take. One table, so that a user sees at
// once what is refused, why, and what to do instead.
#include <span>
#include <string_view>

#include "base/status.h"
#include "compiler/ir/graph.h"

namespace trainyard::compiler {

struct RefusedOp {
  OpKind kind;
  std::string_view code;
  std::string_view why;
  std::string_view remedy;
};
std::span<const RefusedOp> refused_ops();

// Custom calls that the compiler knows; every other target is refused.
bool is_known_custom_call(std::string_view target);

// Ok, or the first operation or type that the compiler refuses, with the user's line and a way out.
Status check_supported(const Module& module);

}  // namespace trainyard::compiler
