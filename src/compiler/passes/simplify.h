#pragma once
// Folds constants, takes away operations that change nothing, joins chains of moves, shares equal
// operations and drops those that nobody uses: one walk over the function.
#include <optional>
#include <vector>

#include "base/status.h"
#include "compiler/ir/graph.h"

namespace trainyard::compiler {

// Before: expanded. After: no operation on constants that fold.h computes, no move of nothing, no
// two equal operations in sight of each other, no `if` or `case` on a constant, and no operation
// whose result has elements while an operand that it draws them from has none.
Status simplify(Module& module);

// Operations whose results nobody uses, and what they alone used. Effects stay.
Status drop_dead(Module& module);

}  // namespace trainyard::compiler
