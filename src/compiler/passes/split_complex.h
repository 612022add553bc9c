#pragma once
// Complex numbers as two tensors, their real and imaginary parts: no engine has complex types.
#include <optional>

#include "base/status.h"
#include "compiler/ir/graph.h"
#include "compiler/passes/emit.h"

namespace trainyard::compiler {

// The parts of a complex value.
struct Parts {
  ValueId re = -1;
  ValueId im = -1;
};

// Before: inlined and expanded. After: complex types are left on parameters and results of main,
// and on the real, imag and complex operations that take them apart and put them together.
// What has no formula here is left for the lowering to refuse.
Status split_complex(Module& module);

// Formulas on parts.
Parts complex_multiply(Emit& emit, Parts a, Parts b);
Parts complex_divide(Emit& emit, Parts a, Parts b);
ValueId complex_abs(Emit& emit, Parts a);
Parts complex_exponential(Emit& emit, Parts a);
Parts complex_log(Emit& emit, Parts a);
Parts complex_sqrt(Emit& emit, Parts a);
Parts complex_power(Emit& emit, Parts a, Parts b);
// A function of one argument; nothing for an operation that is none.
std::optional<Parts> complex_function(Emit& emit, OpKind kind, Parts a);

}  // namespace trainyard::compiler
