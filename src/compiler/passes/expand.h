#pragma once
// Replaces operations that have a definition by others, so that fewer kinds need a kernel.
#include <vector>

#include "base/status.h"
#include "compiler/ir/graph.h"
#include "compiler/passes/emit.h"

namespace trainyard::compiler {

// Before: inlined. After: no broadcast, dot, clamp, map, batch norm, tuple, get_dimension_size,
// reduce_precision, rng_bit_generator, collective, cholesky, triangular_solve or ApproxTopK is
// left; a select's predicate has the shape of its values; real and imag have complex operands.
Status expand(Module& module);

// The rules that take more than a few lines. Each gets the operation in the source and its operands
// in the new function, and returns what its results become.
using Expanded = Result<std::vector<ValueId>>;
Expanded expand_batch_norm(Emit& emit, const Op& op, const std::vector<ValueId>& in);
Expanded expand_map(Rebuild& rebuild, Emit& emit, const Op& op, const std::vector<ValueId>& in);
Expanded expand_reduce_precision(Emit& emit, const Op& op, const std::vector<ValueId>& in);
Expanded expand_random_bits(Emit& emit, const Op& op, const std::vector<ValueId>& in,
                            const TensorType& bits);
Expanded expand_approx_top_k(Rebuild& rebuild, Emit& emit, const Op& op,
                             const std::vector<ValueId>& in);
Expanded expand_cholesky(Rebuild& rebuild, Emit& emit, const Op& op,
                         const std::vector<ValueId>& in);
Expanded expand_triangular_solve(Rebuild& rebuild, Emit& emit, const Op& op,
                                 const std::vector<ValueId>& in);

}  // namespace trainyard::compiler
