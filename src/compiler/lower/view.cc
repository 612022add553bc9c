#include "compiler/lower/view.h"

#include <algorithm>

#include "base/check.h"

namespace trainyard::compiler {
namespace {

View broadcast(const View& in, const Dims& dims, const std::vector<int64_t>& shape) {
  View out{in.base, in.offset, {}, in.tensor};
  for (const int64_t n : shape) out.axes.push_back({0, n});
  for (size_t i = 0; i < dims.size(); ++i) {
    if (in.axes[i].count != 1) out.axes[static_cast<size_t>(dims[i])].step = in.axes[i].step;
  }
  return out;
}

View slice(View in, const SliceAttributes& a) {
  for (size_t i = 0; i < in.axes.size(); ++i) {
    isa::Dim& axis = in.axes[i];
    in.offset += a.start[i] * axis.step;
    axis.count = (a.limit[i] - a.start[i] + a.strides[i] - 1) / a.strides[i];
    axis.step *= a.strides[i];
  }
  return in;
}

// Neighbouring axes that one step walks become one, then each is cut to the new sizes.
std::optional<View> reshape(const View& in, const std::vector<int64_t>& shape) {
  std::vector<isa::Dim> merged;
  for (const isa::Dim& axis : in.axes) {
    if (axis.count == 1) continue;
    const bool joins = !merged.empty() && merged.back().step == axis.step * axis.count;
    if (joins) {
      merged.back() = {axis.step, merged.back().count * axis.count};
    } else {
      merged.push_back(axis);
    }
  }
  View out{in.base, in.offset, std::vector<isa::Dim>(shape.size()), in.tensor};
  for (size_t i = shape.size(); i-- > 0;) {
    out.axes[i] = {0, shape[i]};
    if (shape[i] == 1) continue;
    if (merged.empty() || merged.back().count % shape[i] != 0) return std::nullopt;
    isa::Dim& last = merged.back();
    out.axes[i].step = last.step;
    last = {last.step * shape[i], last.count / shape[i]};
    if (last.count == 1) merged.pop_back();
  }
  return out;
}

}  // namespace

View dense_view(ValueId value, const std::vector<int64_t>& shape) {
  View view{value, 0, {}, -1};
  const std::vector<int64_t> strides = row_major(shape);
  for (size_t i = 0; i < shape.size(); ++i) view.axes.push_back({strides[i], shape[i]});
  return view;
}

bool is_view(const Op& op) {
  switch (op.kind) {
    case OpKind::BroadcastInDim:
    case OpKind::Slice:
    case OpKind::Transpose:
    case OpKind::Reverse:
    case OpKind::Reshape:
      return true;
    default:
      return false;
  }
}

std::optional<View> apply_view(const Function& function, const Op& op, View operand) {
  const std::vector<int64_t>& shape = function.type(op.results[0]).tensor()->shape;
  switch (op.kind) {
    case OpKind::BroadcastInDim:
      return broadcast(operand, std::get<DimsAttributes>(op.attributes).dims, shape);
    case OpKind::Slice:
      return slice(std::move(operand), std::get<SliceAttributes>(op.attributes));
    case OpKind::Transpose: {
      View out{operand.base, operand.offset, {}, operand.tensor};
      for (const int64_t d : std::get<DimsAttributes>(op.attributes).dims) {
        out.axes.push_back(operand.axes[static_cast<size_t>(d)]);
      }
      return out;
    }
    case OpKind::Reverse:
      for (const int64_t d : std::get<DimsAttributes>(op.attributes).dims) {
        isa::Dim& axis = operand.axes[static_cast<size_t>(d)];
        operand.offset += (axis.count - 1) * axis.step;
        axis.step = -axis.step;
      }
      return operand;
    default:
      return reshape(operand, shape);
  }
}

std::optional<View> resolve_view(Lowering& lowering, ValueId value) {
  if (lowering.is_bound(value) || lowering.constant(value) != nullptr) {
    return dense_view(value, lowering.type(value).shape);
  }
  const Op* op = lowering.maker(value);
  if (op == nullptr || !is_view(*op)) return std::nullopt;
  std::optional<View> operand = resolve_view(lowering, op->operands[0]);
  if (!operand) return std::nullopt;
  return apply_view(lowering.function, *op, std::move(*operand));
}

isa::Access access(Lowering& lowering, const View& view) {
  std::vector<isa::Dim> dims;
  for (const isa::Dim& axis : view.axes) {
    if (axis.count == 1) continue;
    const bool joins = !dims.empty() && dims.back().step == axis.step * axis.count;
    if (joins) {
      dims.back() = {axis.step, dims.back().count * axis.count};
    } else {
      dims.push_back(axis);
    }
  }
  if (dims.empty()) dims.push_back({1, 1});
  isa::Access out = lowering.access(view.base, view.offset, std::move(dims));
  if (view.tensor >= 0) out.tensor = view.tensor;
  return out;
}

}  // namespace trainyard::compiler
