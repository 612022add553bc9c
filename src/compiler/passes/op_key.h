#pragma once
// A text that two operations share exactly when they compute the same from the same operands.
#include <string>

#include "compiler/ir/graph.h"

namespace trainyard::compiler {

// Empty for an operation that must not be shared: effects, tokens, control flow, attributes that
// are not plain numbers. Constants are compared by their data.
std::string op_key(const Module& module, const Function& function, const Op& op);

}  // namespace trainyard::compiler
