#pragma once
// Which operations share a tile kernel. A kernel has a space, the shape that its full values have.
// Values that are constant along the reduced dimensions are row values: one number a row.
#include <functional>

#include "compiler/lower/kernels.h"

namespace trainyard::compiler {

// Row value: the leading `row_rank` dimensions of the space, perhaps followed by ones.
bool is_row_shape(const Dims& shape, const Dims& space, int64_t row_rank);

// A kernel that begins with `op`.
Kernel start_tile(const Lowering& lowering, OpId id, const Op& op);

// Whether `op`, whose operands are ready when `kernel` runs or are made by it, can be a part of it.
// Fixes the kernel's rows where `op` is its first reduction.
bool joins_tile(const Lowering& lowering, Kernel& kernel, const Op& op,
                const std::function<bool(ValueId)>& in_kernel);

// Whether the operations of both could be one kernel.
bool can_merge_tiles(const Lowering& lowering, const Kernel& a, const Kernel& b);

}  // namespace trainyard::compiler
