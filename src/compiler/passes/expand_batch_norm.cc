// Batch normalisation by its definition in the StableHLO specification.
#include "compiler/passes/expand.h"

namespace trainyard::compiler {
namespace {

struct Norm {
  Emit& emit;
  Dims shape;   // of the operand
  Dims others;  // all dimensions but the feature's
  int64_t feature = 0;
  double per_feature = 1;  // elements that share a feature

  ValueId full(ValueId vector) const { return emit.broadcast(vector, shape, {feature}); }
  ValueId sum(ValueId a) const {
    const ValueId zero = emit.constant(tensor_of(emit.type(a).element, {}), 0);
    return emit.reduce(OpKind::Add, a, zero, others);
  }
  ValueId mean(ValueId a) const {
    const ValueId total = sum(a);
    return emit.over(total, emit.like(total, per_feature));
  }
};

Norm norm_of(Emit& emit, const Op& op, ValueId operand) {
  Norm norm{.emit = emit, .shape = emit.type(operand).shape};
  norm.feature = std::get<BatchNormAttributes>(op.attributes).feature_index;
  for (size_t i = 0; i < norm.shape.size(); ++i) {
    if (static_cast<int64_t>(i) == norm.feature) continue;
    norm.others.push_back(static_cast<int64_t>(i));
    norm.per_feature *= static_cast<double>(norm.shape[i]);
  }
  return norm;
}

// scale * (x - mean) / sqrt(variance + epsilon) + offset
ValueId normalize(const Norm& norm, double epsilon, const std::vector<ValueId>& in) {
  Emit& emit = norm.emit;
  const ValueId centered = emit.minus(in[0], norm.full(in[3]));
  const ValueId safe = emit.plus(in[4], emit.like(in[4], epsilon));
  const ValueId deviation = emit.unary(OpKind::Sqrt, safe);
  const ValueId unit = emit.over(centered, norm.full(deviation));
  return emit.plus(emit.times(unit, norm.full(in[1])), norm.full(in[2]));
}

std::vector<ValueId> gradient(const Norm& norm, double epsilon, const std::vector<ValueId>& in) {
  Emit& emit = norm.emit;
  const ValueId grad = in[4];
  const ValueId centered = emit.minus(in[0], norm.full(in[2]));
  const ValueId safe = emit.plus(in[3], emit.like(in[3], epsilon));
  const ValueId deviation = emit.unary(OpKind::Sqrt, safe);
  const ValueId sum_grad = norm.sum(grad);
  const ValueId sum_product = norm.sum(emit.times(grad, centered));
  // (n * grad - sum(grad) - centered * sum(grad * centered) / (variance + epsilon))
  const ValueId first = emit.times(grad, emit.like(grad, norm.per_feature));
  const ValueId third = emit.times(centered, norm.full(emit.over(sum_product, safe)));
  const ValueId inner = emit.minus(emit.minus(first, norm.full(sum_grad)), third);
  const ValueId weight =
      emit.over(in[1], emit.times(deviation, emit.like(deviation, norm.per_feature)));
  return {emit.times(norm.full(weight), inner), emit.over(sum_product, deviation), sum_grad};
}

}  // namespace

Expanded expand_batch_norm(Emit& emit, const Op& op, const std::vector<ValueId>& in) {
  const Norm norm = norm_of(emit, op, in[0]);
  const double epsilon = std::get<BatchNormAttributes>(op.attributes).epsilon;
  if (op.kind == OpKind::BatchNormInference) return std::vector{normalize(norm, epsilon, in)};
  if (op.kind == OpKind::BatchNormGrad) return gradient(norm, epsilon, in);
  const ValueId mean = norm.mean(in[0]);
  const ValueId centered = emit.minus(in[0], norm.full(mean));
  const ValueId variance = norm.mean(emit.times(centered, centered));
  return std::vector{normalize(norm, epsilon, {in[0], in[1], in[2], mean, variance}), mean,
                     variance};
}

}  // namespace trainyard::compiler
