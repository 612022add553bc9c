#pragma once
// The kernels of the GpSimd engine, one function per group of operations. Each defines the results
// of its operation (or group) and adds the calls and copies that compute them.
#include "compiler/lower/gpsimd/call.h"
#include "compiler/lower/kernels.h"

namespace trainyard::compiler {

Status lower_elementwise(Lowering& lowering, const Kernel& kernel);
Status lower_reduce(Lowering& lowering, const Op& op, OpId id);
Status lower_reduce_window(Lowering& lowering, const Op& op, OpId id);
Status lower_select_and_scatter(Lowering& lowering, const Op& op, OpId id);
Status lower_sort(Lowering& lowering, const Op& op, OpId id);
Status lower_top_k(Lowering& lowering, const Op& op, OpId id);
Status lower_gather(Lowering& lowering, const Op& op, OpId id);
Status lower_scatter(Lowering& lowering, const Op& op, OpId id);
Status lower_gpsimd_dot(Lowering& lowering, const Op& op, OpId id);
Status lower_gpsimd_convolution(Lowering& lowering, const Op& op, OpId id);

// A region over scalars as a combiner or comparator; its parameters are the block's arguments.
Result<gp::Function> combiner(Lowering& lowering, BlockId region, std::string name);

// The tensor of `result`, with the bytes of `operand` in it: the same tensor if a pass found that
// the operand is dead (trainyard.in_place), else a copy.
void define_from(Lowering& lowering, const Op& op, OpId id, size_t result, size_t operand);

}  // namespace trainyard::compiler
