// Operations that move elements without changing them, and those that make tensors.
#include <algorithm>

#include "compiler/ir/rules/infer.h"

namespace trainyard::compiler {
namespace {

Inferred infer_broadcast_in_dim(const OpView& view) {
  const TensorType& from = view.operand(0);
  const TensorType& to = view.result(0);
  const Dims& dims = view.attributes<DimsAttributes>().dims;
  if (dims.size() != from.shape.size()) {
    return view.wrong(kWrongAttribute, "{} dimensions are given for operand {}", dims.size(),
                      str(from));
  }
  TY_TRY(check_dims(view, "dims", dims, to.rank()));
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t size = to.shape[static_cast<size_t>(dims[i])];
    if (from.shape[i] != 1 && from.shape[i] != size) {
      return view.wrong(kWrongShape, "dimension {} of {} cannot become dimension {} of {}", i,
                        str(from), dims[i], str(to));
    }
  }
  return std::vector<Type>{tensor_of(from.element, to.shape)};
}

Inferred infer_broadcast(const OpView& view) {
  const TensorType& from = view.operand(0);
  Dims shape = view.attributes<DimsAttributes>().dims;
  if (std::ranges::any_of(shape, [](int64_t size) { return size < 0; })) {
    return view.wrong(kWrongAttribute, "a size is negative");
  }
  shape.insert(shape.end(), from.shape.begin(), from.shape.end());
  return std::vector<Type>{tensor_of(from.element, std::move(shape))};
}

Inferred infer_reshape(const OpView& view) {
  const TensorType& from = view.operand(0);
  const TensorType& to = view.result(0);
  if (!from.elements() || from.elements() != to.elements()) {
    return view.wrong(kWrongShape, "{} and {} hold different numbers of elements", str(from),
                      str(to));
  }
  return std::vector<Type>{tensor_of(from.element, to.shape)};
}

Inferred infer_transpose(const OpView& view) {
  const TensorType& from = view.operand(0);
  const Dims& permutation = view.attributes<DimsAttributes>().dims;
  TY_TRY(check_dims(view, "the permutation", permutation, from.rank()));
  if (permutation.size() != from.shape.size()) {
    return view.wrong(kWrongAttribute, "the permutation has {} entries for {}", permutation.size(),
                      str(from));
  }
  Dims shape;
  for (const int64_t dim : permutation) shape.push_back(from.shape[static_cast<size_t>(dim)]);
  return std::vector<Type>{tensor_of(from.element, std::move(shape))};
}

Inferred infer_concatenate(const OpView& view) {
  if (view.operands() == 0) return view.wrong(kWrongCount, "there is nothing to concatenate");
  const int64_t dim = view.attributes<DimAttributes>().dim;
  TensorType out = view.operand(0);
  TY_TRY(check_dims(view, "dim", {dim}, out.rank()));
  Wide sum = 0;
  for (size_t i = 0; i < view.operands(); ++i) {
    TensorType part = view.operand(i);
    if (part.rank() != out.rank()) {
      return view.wrong(kWrongShape, "operand {} is {}, operand 0 is {}", i, str(part),
                        str(view.operand(0)));
    }
    sum += part.shape[static_cast<size_t>(dim)];
    part.shape[static_cast<size_t>(dim)] = out.shape[static_cast<size_t>(dim)];
    if (part != out) {
      return view.wrong(kWrongShape, "operand {} is {}, operand 0 is {}; they may differ in {}", i,
                        str(view.operand(i)), str(view.operand(0)), dim);
    }
  }
  if (!is_size(sum)) return view.wrong(kWrongShape, "the sum of the sizes is too large");
  out.shape[static_cast<size_t>(dim)] = static_cast<int64_t>(sum);
  return std::vector<Type>{out};
}

Inferred infer_pad(const OpView& view) {
  const TensorType& from = view.operand(0);
  const auto& a = view.attributes<PadAttributes>();
  const size_t rank = from.shape.size();
  if (a.low.size() != rank || a.high.size() != rank || a.interior.size() != rank) {
    return view.wrong(kWrongAttribute, "padding is given for {}, {} and {} dimensions of {}",
                      a.low.size(), a.high.size(), a.interior.size(), str(from));
  }
  if (view.operand(1) != tensor_of(from.element, {})) {
    return view.wrong(kWrongShape, "the padding value is {}, a scalar of {} is expected",
                      str(view.operand(1)), name(from.element));
  }
  TensorType out = from;
  for (size_t i = 0; i < rank; ++i) {
    if (a.interior[i] < 0) return view.wrong(kWrongAttribute, "interior padding is negative");
    const Wide inside = dilated(from.shape[i], Wide{a.interior[i]} + 1);
    const Wide size = inside + a.low[i] + a.high[i];
    if (!is_size(size)) {
      return view.wrong(kWrongShape, "padding {} and {} leaves no size for dimension {} of {}",
                        a.low[i], a.high[i], i, str(from));
    }
    out.shape[i] = static_cast<int64_t>(size);
  }
  return std::vector<Type>{out};
}

Inferred infer_iota(const OpView& view) {
  const TensorType& out = view.result(0);
  TY_TRY(check_dims(view, "dim", {view.attributes<DimAttributes>().dim}, out.rank()));
  if (is_boolean(out.element)) return view.wrong(kWrongElement, "i1 cannot count");
  return std::vector<Type>{out};
}

Inferred infer_constant(const OpView& view) {
  const ConstantId id = view.attributes<ConstantAttributes>().value;
  return std::vector<Type>{view.module.constants[static_cast<size_t>(id)].type};
}

}  // namespace

Inferred infer_shape_op(const OpView& view) {
  switch (view.op.kind) {
    case OpKind::BroadcastInDim:
      return infer_broadcast_in_dim(view);
    case OpKind::Broadcast:
      return infer_broadcast(view);
    case OpKind::Reshape:
      return infer_reshape(view);
    case OpKind::Transpose:
      return infer_transpose(view);
    case OpKind::Reverse:
      TY_TRY(
          check_dims(view, "dims", view.attributes<DimsAttributes>().dims, view.operand(0).rank()));
      return std::vector<Type>{view.operand(0)};
    case OpKind::Concatenate:
      return infer_concatenate(view);
    case OpKind::Pad:
      return infer_pad(view);
    case OpKind::Iota:
      return infer_iota(view);
    default:
      return infer_constant(view);
  }
}

}  // namespace trainyard::compiler
