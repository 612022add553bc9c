// slice, dynamic_slice, dynamic_update_slice.
#include "compiler/ir/rules/infer.h"

namespace trainyard::compiler {
namespace {

Inferred infer_slice(const OpView& view) {
  const TensorType& from = view.operand(0);
  const auto& a = view.attributes<SliceAttributes>();
  const size_t rank = from.shape.size();
  if (a.start.size() != rank || a.limit.size() != rank || a.strides.size() != rank) {
    return view.wrong(kWrongAttribute, "bounds are given for {}, {} and {} dimensions of {}",
                      a.start.size(), a.limit.size(), a.strides.size(), str(from));
  }
  TensorType out = from;
  for (size_t i = 0; i < rank; ++i) {
    const bool inside = 0 <= a.start[i] && a.start[i] <= a.limit[i] && a.limit[i] <= from.shape[i];
    if (!inside || a.strides[i] < 1) {
      return view.wrong(kWrongAttribute, "{}:{}:{} is no slice of dimension {} of {}", a.start[i],
                        a.limit[i], a.strides[i], i, str(from));
    }
    const Wide length = Wide{a.limit[i]} - a.start[i];
    out.shape[i] = static_cast<int64_t>((length + a.strides[i] - 1) / a.strides[i]);
  }
  return std::vector<Type>{out};
}

// Start indices: one scalar of one integer type per dimension, from operand `first` on.
Status check_starts(const OpView& view, size_t first) {
  const size_t rank = view.operand(0).shape.size();
  if (view.operands() != first + rank) {
    return view.wrong(kWrongCount, "{} start indices are given for {}", view.operands() - first,
                      str(view.operand(0)));
  }
  for (size_t i = first; i < view.operands(); ++i) {
    const TensorType& type = view.operand(i);
    if (!type.is_scalar() || !is_integer(type.element) || type != view.operand(first)) {
      return view.wrong(kWrongElement, "start index {} is {}; all must be one integer scalar type",
                        i - first, str(type));
    }
  }
  return {};
}

Inferred infer_dynamic_slice(const OpView& view) {
  if (view.operands() < 1) return view.wrong(kWrongCount, "the operand is missing");
  TY_TRY(check_starts(view, 1));
  const TensorType& from = view.operand(0);
  const Dims& sizes = view.attributes<DimsAttributes>().dims;
  if (sizes.size() != from.shape.size()) {
    return view.wrong(kWrongAttribute, "{} sizes are given for {}", sizes.size(), str(from));
  }
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < 0 || sizes[i] > from.shape[i]) {
      return view.wrong(kWrongAttribute, "size {} does not fit dimension {} of {}", sizes[i], i,
                        str(from));
    }
  }
  return std::vector<Type>{tensor_of(from.element, sizes)};
}

Inferred infer_dynamic_update_slice(const OpView& view) {
  if (view.operands() < 2) return view.wrong(kWrongCount, "an operand is missing");
  TY_TRY(check_starts(view, 2));
  const TensorType& into = view.operand(0);
  const TensorType& update = view.operand(1);
  bool fits = update.element == into.element && update.rank() == into.rank();
  for (size_t i = 0; fits && i < into.shape.size(); ++i) fits = update.shape[i] <= into.shape[i];
  if (!fits) {
    return view.wrong(kWrongShape, "the update {} does not fit into {}", str(update), str(into));
  }
  return std::vector<Type>{into};
}

}  // namespace

Inferred infer_slicing(const OpView& view) {
  switch (view.op.kind) {
    case OpKind::Slice:
      return infer_slice(view);
    case OpKind::DynamicSlice:
      return infer_dynamic_slice(view);
    default:
      return infer_dynamic_update_slice(view);
  }
}

}  // namespace trainyard::compiler
