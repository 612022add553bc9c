#pragma once
// Computes operations on constants. Only what is exact is folded: integers, truth values, moves of
// whole elements, and IEEE arithmetic in f32 and f64, so that a folded program gives the bits of
// the unfolded one.
#include <optional>
#include <span>

#include "compiler/ir/graph.h"

namespace trainyard::compiler {

// The result of `op` on these constants, whose type is `result`; nothing where it is not folded:
// too large, not exact, not a number, or not an operation on constants.
std::optional<Constant> folded(const Op& op, std::span<const Constant* const> operands,
                               const TensorType& result);

// The one number of a constant whose elements are all the same.
bool is_uniform(const Constant& constant);
// True when every element is the number `value` (for floats: with its sign).
bool is_all(const Constant& constant, double value);

// Element `index` as bytes; the whole index space of a splat has one.
std::span<const uint8_t> element_bytes(const Constant& constant, int64_t index);

}  // namespace trainyard::compiler
