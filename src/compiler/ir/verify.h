#pragma once
// Checks that a module keeps StableHLO's rules.
#include "base/status.h"
#include "compiler/ir/graph.h"

namespace trainyard::compiler {

// Ok, or the first operation that breaks a rule, with its place in the user's file. Checks counts,
// element types, shapes, attributes, declared against inferred result types, regions and their
// terminators, the order of definitions and uses, calls (known, matching, not recursive) and
// shardings. Passes keep this true; what the compiler cannot do yet is check_supported's matter.
Status verify(const Module& module);

}  // namespace trainyard::compiler
