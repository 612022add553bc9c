#pragma once
// The machine has no complex numbers: inside the program they are pairs of real tensors.
#include "base/status.h"
#include "compiler/ir/graph.h"

namespace trainyard::compiler {

// Before: expanded. After: complex values are only parameters and results of `main`; the operations
// on them are `real` and `imag` of a parameter, and `complex`, whose result is returned.
Status split_complex(Module& module);

}  // namespace trainyard::compiler
