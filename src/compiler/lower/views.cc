#include "compiler/lower/views.h"

#include "base/check.h"

namespace trainyard::compiler {

bool is_view_op(OpKind kind) {
  return kind == OpKind::Transpose || kind == OpKind::BroadcastInDim || kind == OpKind::Slice ||
         kind == OpKind::Reverse || kind == OpKind::Reshape;
}

bool has_dense(const Lowering& lowering, ValueId value) {
  if (lowering.is_bound(value)) return true;
  const Op* op = lowering.maker(value);
  if (op == nullptr || op->kind == OpKind::Constant) return true;
  return op->kind == OpKind::Reshape && has_dense(lowering, op->operands[0]);
}

const Constant* splat(const Lowering& lowering, ValueId value) {
  const Op* op = lowering.maker(value);
  if (op == nullptr) return nullptr;
  if (op->kind == OpKind::BroadcastInDim || op->kind == OpKind::Reshape) {
    return splat(lowering, op->operands[0]);
  }
  const Constant* data = lowering.constant(value);
  if (data == nullptr) return nullptr;
  const bool one = data->splat || data->type.elements() == 1;
  return one ? data : nullptr;
}

std::optional<std::vector<int64_t>> reshaped_steps(const Dims& from,
                                                   const std::vector<int64_t>& steps,
                                                   const Dims& to) {
  // The pattern as a list of axes without ones, neighbours joined.
  struct Run {
    int64_t count, step;
  };
  std::vector<Run> runs;
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i] == 1) continue;
    if (!runs.empty() && runs.back().step == steps[i] * from[i]) {
      runs.back() = {runs.back().count * from[i], steps[i]};
    } else {
      runs.push_back({from[i], steps[i]});
    }
  }
  std::vector<int64_t> out(to.size(), 0);
  for (size_t i = to.size(); i-- > 0;) {
    if (to[i] == 1) continue;
    while (!runs.empty() && runs.back().count == 1) runs.pop_back();
    if (runs.empty() || runs.back().count % to[i] != 0) return std::nullopt;
    out[i] = runs.back().step;
    runs.back().step *= to[i];
    runs.back().count /= to[i];
  }
  return out;
}

namespace {

StridedView view_of_slice(StridedView view, const SliceAttributes& slice) {
  for (size_t i = 0; i < view.steps.size(); ++i) {
    view.offset += slice.start[i] * view.steps[i];
    view.steps[i] *= slice.strides.empty() ? 1 : slice.strides[i];
  }
  return view;
}

}  // namespace

StridedView Lowering::view(ValueId value) {
  const Op* op = maker(value);
  const TensorType& shape = type(value);
  if (has_dense(*this, value)) return {hbm(value), 0, row_major(shape.shape)};
  TY_CHECK(op != nullptr && is_view_op(op->kind));
  const ValueId from = op->operands[0];
  const TensorType& inner = type(from);
  StridedView view = this->view(from);
  switch (op->kind) {
    case OpKind::Transpose: {
      const Dims& order = std::get<DimsAttributes>(op->attributes).dims;
      std::vector<int64_t> steps(order.size());
      for (size_t i = 0; i < order.size(); ++i)
        steps[i] = view.steps[static_cast<size_t>(order[i])];
      view.steps = std::move(steps);
      return view;
    }
    case OpKind::BroadcastInDim: {
      const Dims& dims = std::get<DimsAttributes>(op->attributes).dims;
      std::vector<int64_t> steps(shape.shape.size(), 0);
      for (size_t i = 0; i < dims.size(); ++i) {
        if (inner.shape[i] > 1) steps[static_cast<size_t>(dims[i])] = view.steps[i];
      }
      view.steps = std::move(steps);
      return view;
    }
    case OpKind::Slice:
      return view_of_slice(std::move(view), std::get<SliceAttributes>(op->attributes));
    case OpKind::Reverse:
      for (const int64_t d : std::get<DimsAttributes>(op->attributes).dims) {
        const auto i = static_cast<size_t>(d);
        view.offset += (inner.shape[i] - 1) * view.steps[i];
        view.steps[i] = -view.steps[i];
      }
      return view;
    default: {
      auto steps = reshaped_steps(inner.shape, view.steps, shape.shape);
      if (steps) return {view.tensor, view.offset, std::move(*steps)};
      return {hbm(value), 0, row_major(shape.shape)};
    }
  }
}

isa::TensorId materialize(Lowering& lowering, ValueId value, isa::TensorId tensor) {
  // A reshape that is no pattern has the elements of its operand, in order.
  const Op* op = lowering.maker(value);
  while (op->kind == OpKind::Reshape) {
    value = op->operands[0];
    op = lowering.maker(value);
  }
  const StridedView view = lowering.view(value);
  const TensorType& type = lowering.type(value);
  std::vector<isa::Dim> dims;
  for (size_t i = 0; i < type.shape.size(); ++i) {
    if (type.shape[i] == 1) continue;
    if (!dims.empty() && dims.back().step == view.steps[i] * type.shape[i]) {
      dims.back() = {view.steps[i], dims.back().count * type.shape[i]};
    } else {
      dims.push_back({view.steps[i], type.shape[i]});
    }
  }
  if (dims.empty()) dims.push_back({1, 1});
  const isa::Access to =
      lowering.access({tensor, 0, {}}, type.element, 0, {{1, lowering.elements(value)}});
  lowering.body.emit(
      isa::DmaCopy{.dst = to, .src = lowering.access(view, type.element, 0, std::move(dims))},
      Lowering::label(*op, 0) + "_copy");
  return tensor;
}

}  // namespace trainyard::compiler
