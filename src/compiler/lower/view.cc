#include "compiler/lower/view.h"

namespace trainyard::compiler {

View dense_view(ValueId value, const std::vector<int64_t>& shape) {
  View view{value, 0, {}, -1};
  const std::vector<int64_t> strides = row_major(shape);
  for (size_t i = 0; i < shape.size(); ++i) view.axes.push_back({strides[i], shape[i]});
  return view;
}

View strided_view(Lowering& lowering, ValueId value) {
  const StridedView strided = lowering.view(value);
  const std::vector<int64_t>& shape = lowering.type(value).shape;
  View view{value, strided.offset, {}, strided.tensor};
  for (size_t i = 0; i < shape.size(); ++i) view.axes.push_back({strided.steps[i], shape[i]});
  return view;
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
  const isa::TensorId tensor = view.tensor >= 0 ? view.tensor : lowering.hbm(view.base);
  return lowering.access({tensor, view.offset, {}}, lowering.type(view.base).element, 0,
                         std::move(dims));
}

}  // namespace trainyard::compiler
