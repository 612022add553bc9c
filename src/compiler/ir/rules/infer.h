#pragma once
// Result types from operand types and attributes, by StableHLO's rules.
#include <vector>

#include "base/status.h"
#include "compiler/ir/rules/op_view.h"

namespace trainyard::compiler {

using Inferred = Result<std::vector<Type>>;

// The result types of `op`, or the rule that its operands or attributes break. Where StableHLO
// leaves the result to the program (reshape, convert, the element type of a dot, ...) the declared
// result is checked and returned. Needs the counts of op_kind.h to hold; safe for any numbers.
Inferred infer_results(const OpView& view);

// The rules by group; each takes only its own operations.
Inferred infer_elementwise(const OpView& view);
Inferred infer_shape_op(const OpView& view);
Inferred infer_slicing(const OpView& view);
Inferred infer_product(const OpView& view);
Inferred infer_window(const OpView& view);
Inferred infer_gather(const OpView& view);
Inferred infer_control(const OpView& view);
Inferred infer_reduction(const OpView& view);
Inferred infer_collective(const OpView& view);
Inferred infer_linear_algebra(const OpView& view);
Inferred infer_sharding_op(const OpView& view);

// Lists of dimensions. `without` drops the entries of `shape` at the (checked) positions `dims`.
Dims joined(const Dims& a, const Dims& b);
Dims without(const Dims& shape, const Dims& dims);

// Sizes are untrusted 64-bit numbers: rules compute in twice the width.
using Wide = __int128;
// True when `size` can be the size of a dimension.
bool is_size(Wide size);
// ceil((size - window) / stride) + 1 windows, none when the window does not fit. stride >= 1.
Wide window_count(Wide size, Wide window, Wide stride);
// The size of a dimension after dilation: (size - 1) * dilation + 1, and 0 for 0.
Wide dilated(Wide size, Wide dilation);
// How many windows fit along each dimension of `sizes`. Fails when a list of `window` has another
// length than `sizes`, or a stride or dilation is below 1.
Result<Dims> window_counts(const OpView& view, const WindowAttributes& window, const Dims& sizes,
                           const Dims& window_sizes);

}  // namespace trainyard::compiler
