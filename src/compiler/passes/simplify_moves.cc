// Moves of whole elements: those that move nothing, and chains of them.
#include <algorithm>

#include "compiler/passes/simplifier.h"

namespace trainyard::compiler {
namespace {

const Dims& dims_of(const Op& op) { return std::get<DimsAttributes>(op.attributes).dims; }

bool is_counted(const Dims& dims) {
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

ValueId transpose(Simplifier& s, const Op& op, const TensorType& result) {
  const Dims& order = dims_of(op);
  const ValueId from = op.operands[0];
  if (is_counted(order)) return from;
  // Only dimensions of size 1 change their place.
  Dims kept;
  for (const int64_t d : order) {
    if (s.type(from).shape[static_cast<size_t>(d)] != 1) kept.push_back(d);
  }
  if (std::ranges::is_sorted(kept)) return s.make(OpKind::Reshape, {from}, {}, result);
  if (const Op* inner = s.maker(from, OpKind::Transpose)) {
    const Dims& first = dims_of(*inner);
    Dims both;
    for (const int64_t d : order) both.push_back(first[static_cast<size_t>(d)]);
    return s.make(OpKind::Transpose, {inner->operands[0]}, DimsAttributes{both}, result);
  }
  return -1;
}

ValueId broadcast(Simplifier& s, const Op& op, const TensorType& result) {
  const Dims& dims = dims_of(op);
  const ValueId from = op.operands[0];
  if (s.type(from).elements() == result.elements() && std::ranges::is_sorted(dims)) {
    return s.make(OpKind::Reshape, {from}, {}, result);
  }
  if (const Op* inner = s.maker(from, OpKind::BroadcastInDim)) {
    Dims both;
    for (const int64_t d : dims_of(*inner)) both.push_back(dims[static_cast<size_t>(d)]);
    return s.make(OpKind::BroadcastInDim, {inner->operands[0]}, DimsAttributes{both}, result);
  }
  return -1;
}

ValueId slice(Simplifier& s, const Op& op, const TensorType& result) {
  const ValueId from = op.operands[0];
  if (s.type(from) == result) return from;
  const Op* inner = s.maker(from, OpKind::Slice);
  if (inner == nullptr) return -1;
  const auto& first = std::get<SliceAttributes>(inner->attributes);
  SliceAttributes both = std::get<SliceAttributes>(op.attributes);
  for (size_t d = 0; d < both.start.size(); ++d) {
    both.start[d] = first.start[d] + both.start[d] * first.strides[d];
    both.strides[d] *= first.strides[d];
    const int64_t size = result.shape[d];
    both.limit[d] = size == 0 ? both.start[d] : both.start[d] + (size - 1) * both.strides[d] + 1;
  }
  return s.make(OpKind::Slice, {inner->operands[0]}, both, result);
}

// Operands without elements add nothing.
ValueId concatenate(Simplifier& s, const Op& op, const TensorType& result) {
  const auto dim = static_cast<size_t>(std::get<DimAttributes>(op.attributes).dim);
  std::vector<ValueId> parts;
  std::ranges::copy_if(op.operands, std::back_inserter(parts),
                       [&](ValueId v) { return s.type(v).shape[dim] != 0; });
  if (parts.size() == 1) return parts[0];
  if (parts.empty() || parts.size() == op.operands.size()) return -1;
  return s.make(OpKind::Concatenate, parts, op.attributes, result);
}

ValueId pad(Simplifier& s, const Op& op, const TensorType& result) {
  const auto& attributes = std::get<PadAttributes>(op.attributes);
  const auto is_zero = [](int64_t n) { return n == 0; };
  const TensorType& from = s.type(op.operands[0]);
  bool apart = false;
  for (size_t d = 0; d < from.shape.size(); ++d) {
    apart = apart || (attributes.interior[d] != 0 && from.shape[d] > 1);
  }
  if (!apart && std::ranges::all_of(attributes.low, is_zero) &&
      std::ranges::all_of(attributes.high, is_zero)) {
    return op.operands[0];
  }
  if (from.elements() == 0) {
    return s.make(OpKind::BroadcastInDim, {op.operands[1]}, DimsAttributes{}, result);
  }
  return -1;
}

ValueId reverse(Simplifier& s, const Op& op) {
  const bool still = std::ranges::all_of(dims_of(op), [&](int64_t d) {
    return s.type(op.operands[0]).shape[static_cast<size_t>(d)] <= 1;
  });
  return still ? op.operands[0] : -1;
}

}  // namespace

ValueId simplified_move(Simplifier& s, const Op& op, const TensorType& result) {
  switch (op.kind) {
    case OpKind::Reshape:
      if (s.type(op.operands[0]) == result) return op.operands[0];
      if (const Op* inner = s.maker(op.operands[0], OpKind::Reshape)) {
        return s.make(OpKind::Reshape, {inner->operands[0]}, {}, result);
      }
      // A broadcast of one number has no shape to keep.
      if (const Op* inner = s.maker(op.operands[0], OpKind::BroadcastInDim)) {
        if (s.type(inner->operands[0]).is_scalar()) {
          return s.make(OpKind::BroadcastInDim, {inner->operands[0]}, DimsAttributes{}, result);
        }
      }
      return -1;
    case OpKind::Transpose:
      return transpose(s, op, result);
    case OpKind::BroadcastInDim:
      return broadcast(s, op, result);
    case OpKind::Slice:
      return slice(s, op, result);
    case OpKind::Concatenate:
      return concatenate(s, op, result);
    case OpKind::Pad:
      return pad(s, op, result);
    case OpKind::Reverse:
      return reverse(s, op);
    case OpKind::BitcastConvert:
      return s.type(op.operands[0]) == result ? op.operands[0] : -1;
    default:
      return -1;
  }
}

}  // namespace trainyard::compiler
