// dot_general as a contraction.
#include <algorithm>

#include "compiler/lower/contraction.h"
#include "compiler/lower/kernels.h"

namespace trainyard::compiler {
namespace {

bool has(const Dims& dims, size_t d) {
  return std::ranges::find(dims, static_cast<int64_t>(d)) != dims.end();
}

// The result has the batch axes first, then the free ones of lhs, then those of rhs.
void add_axes(Contraction& c, const DotAttributes& dot, const TensorType& lhs,
              const std::vector<int64_t>& ls, const TensorType& rhs, const std::vector<int64_t>& rs,
              const std::vector<int64_t>& os) {
  size_t out = 0;
  for (size_t i = 0; i < dot.lhs_batch.size(); ++i, ++out) {
    const auto a = static_cast<size_t>(dot.lhs_batch[i]), b = static_cast<size_t>(dot.rhs_batch[i]);
    c.batch.push_back({lhs.shape[a], ls[a], rs[b], os[out]});
  }
  for (size_t i = 0; i < lhs.shape.size(); ++i) {
    if (has(dot.lhs_batch, i) || has(dot.lhs_contracting, i)) continue;
    c.m.push_back({lhs.shape[i], ls[i], 0, os[out++]});
  }
  for (size_t i = 0; i < rhs.shape.size(); ++i) {
    if (has(dot.rhs_batch, i) || has(dot.rhs_contracting, i)) continue;
    c.n.push_back({rhs.shape[i], 0, rs[i], os[out++]});
  }
  for (size_t i = 0; i < dot.lhs_contracting.size(); ++i) {
    const auto a = static_cast<size_t>(dot.lhs_contracting[i]),
               b = static_cast<size_t>(dot.rhs_contracting[i]);
    c.k.push_back({lhs.shape[a], ls[a], rs[b], 0});
  }
}

}  // namespace

// A dot, perhaps with the transpose of its result, which then is where the result goes.
Status lower_dot(Lowering& lowering, const Kernel& kernel) {
  const OpId id = kernel.ops.front();
  const Op& op = lowering.function.op(id);
  const TensorType& lhs = lowering.type(op.operands[0]);
  const TensorType& rhs = lowering.type(op.operands[1]);
  const TensorType& result = lowering.type(op.results[0]);
  const StridedView a = lowering.view(op.operands[0]), b = lowering.view(op.operands[1]);
  Contraction c;
  c.lhs = {a.tensor, storage_of(lhs.element).dtype, a.offset};
  c.rhs = {b.tensor, storage_of(rhs.element).dtype, b.offset};
  std::vector<int64_t> steps = row_major(result.shape);
  ValueId written = op.results[0];
  if (kernel.ops.size() > 1) {
    const Op& turn = lowering.function.op(kernel.ops[1]);
    written = turn.results[0];
    const std::vector<int64_t> turned = row_major(lowering.type(written).shape);
    const Dims& order = std::get<DimsAttributes>(turn.attributes).dims;
    for (size_t i = 0; i < order.size(); ++i) steps[static_cast<size_t>(order[i])] = turned[i];
  }
  c.result = {lowering.define(written), storage_of(result.element).dtype, 0};
  add_axes(c, std::get<DotAttributes>(op.attributes), lhs, a.steps, rhs, b.steps, steps);
  emit_contraction(lowering, std::move(c), Lowering::label(op, id));
  return {};
}

}  // namespace trainyard::compiler
