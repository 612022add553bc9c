#pragma once
// Values that need no memory of their own: transposes, broadcasts, slices and reversals are
// patterns over their operand's bytes. Kernels that read patterns (tile, dot) take them as they
// are; for the others they are copied.
#include <optional>

#include "compiler/lower/lowering.h"

namespace trainyard::compiler {

bool is_view_op(OpKind kind);

// True if `value` has, or by reshapes shares, a dense tensor.
bool has_dense(const Lowering& lowering, ValueId value);

// The steps of a reshape of a pattern; nothing where it is no pattern.
std::optional<std::vector<int64_t>> reshaped_steps(const Dims& from,
                                                   const std::vector<int64_t>& steps,
                                                   const Dims& to);

// The number that every element of `value` is: a splat constant, also through broadcasts and
// reshapes. The bytes of one element.
const Constant* splat(const Lowering& lowering, ValueId value);

// Copies a view into `tensor` and gives that back.
isa::TensorId materialize(Lowering& lowering, ValueId value, isa::TensorId tensor);

}  // namespace trainyard::compiler
