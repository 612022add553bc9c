#pragma once
// How often a counted loop runs.
#include <cstdint>
#include <optional>

#include "compiler/ir/graph.h"

namespace trainyard::compiler {

// The trips of a while whose condition compares one state with a constant and whose body adds a
// constant to that state, which begins at a constant. Nothing if it is of another form, endless, or
// counts past the end of its type.
std::optional<int64_t> counted_trips(const Module& module, const Function& function, const Op& op);

}  // namespace trainyard::compiler
