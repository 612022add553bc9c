#pragma once
// Complex arithmetic on pairs of real tensors.
#include <optional>

#include "compiler/passes/emit.h"

namespace trainyard::compiler {

struct ComplexPair {
  ValueId re = -1;
  ValueId im = -1;
};

ComplexPair complex_multiply(Emit& emit, ComplexPair a, ComplexPair b);
// Scaled by the larger part of the divisor, so that its square neither overflows nor vanishes.
ComplexPair complex_divide(Emit& emit, ComplexPair a, ComplexPair b);
// sqrt(re^2 + im^2) without overflow; infinite if a part is.
ValueId complex_abs(Emit& emit, ComplexPair a);

// A function of one operand; nothing for a kind that has no formula here.
std::optional<ComplexPair> complex_unary(Emit& emit, OpKind kind, ComplexPair a);
// A function of two operands; nothing for a kind that has no formula here.
std::optional<ComplexPair> complex_binary(Emit& emit, OpKind kind, ComplexPair a, ComplexPair b);

}  // namespace trainyard::compiler
