#pragma once
// What can be known about loops before they run.
#include "base/status.h"
#include "compiler/ir/graph.h"

namespace trainyard::compiler {

// Before: simplified. After: a while carries only state that changes and that somebody reads; work
// of a body that is the same each time stands before its loop; a counted loop has kTripsNote
// (passes/notes.h); a loop that runs once or never is gone.
Status improve_loops(Module& module);

// Moves what is the same in each trip before its loop. Views and constants stay: they cost nothing
// where they are, and memory elsewhere. Part of improve_loops.
Status hoist_invariants(Module& module);

// Puts kInPlaceNote on updates whose operand is dead afterwards. The last pass: others move uses.
Status mark_in_place(Module& module);

// Puts kCumulativeNote on windows that are running sums.
Status mark_cumulative(Module& module);

}  // namespace trainyard::compiler
