// reduce_window, select_and_scatter, and the arithmetic of windows.
#include <limits>

#include "compiler/ir/rules/infer.h"

namespace trainyard::compiler {

bool is_size(Wide size) { return size >= 0 && size <= std::numeric_limits<int64_t>::max(); }

Wide window_count(Wide size, Wide window, Wide stride) {
  if (size <= 0 || window > size) return 0;
  return (size - window) / stride + 1;
}

Wide dilated(Wide size, Wide dilation) { return size == 0 ? 0 : (size - 1) * dilation + 1; }

Result<Dims> window_counts(const OpView& view, const WindowAttributes& window, const Dims& sizes,
                           const Dims& window_sizes) {
  const size_t rank = sizes.size();
  const auto fits = [&](const Dims& list) { return list.empty() || list.size() == rank; };
  if (!fits(window.strides) || !fits(window.base_dilations) || !fits(window.window_dilations) ||
      !fits(window.padding_low) || !fits(window.padding_high) || window_sizes.size() != rank) {
    return view.wrong(kWrongAttribute, "a list of the window does not have {} entries", rank);
  }
  const auto at = [](const Dims& list, size_t i, int64_t neutral) {
    return list.empty() ? neutral : list[i];
  };
  Dims out(rank);
  for (size_t i = 0; i < rank; ++i) {
    const int64_t stride = at(window.strides, i, 1);
    const int64_t base_dilation = at(window.base_dilations, i, 1);
    const int64_t window_dilation = at(window.window_dilations, i, 1);
    if (stride < 1 || base_dilation < 1 || window_dilation < 1 || window_sizes[i] < 0) {
      return view.wrong(kWrongAttribute,
                        "dimension {}: window {}, stride {}, dilations {} and {}; all must be "
                        "positive",
                        i, window_sizes[i], stride, base_dilation, window_dilation);
    }
    const Wide padded = dilated(sizes[i], base_dilation) + at(window.padding_low, i, 0) +
                        at(window.padding_high, i, 0);
    const Wide count = window_count(padded, dilated(window_sizes[i], window_dilation), stride);
    if (!is_size(count)) return view.wrong(kWrongShape, "dimension {} gets too large", i);
    out[i] = static_cast<int64_t>(count);
  }
  return out;
}

namespace {

Inferred infer_reduce_window(const OpView& view) {
  const size_t n = view.operands() / 2;
  if (view.operands() == 0 || view.operands() % 2 != 0 || view.results() != n) {
    return view.wrong(kWrongCount, "{} operands and {} results", view.operands(), view.results());
  }
  const auto& window = view.attributes<WindowAttributes>();
  const std::vector<Type> elements = view.region_results(0);
  std::vector<Type> arguments = elements;
  arguments.insert(arguments.end(), elements.begin(), elements.end());
  if (elements.size() != n) {
    return view.wrong(kWrongRegion, "the reducer returns {} values for {} inputs", elements.size(),
                      n);
  }
  TY_TRY(check_region(view, 0, arguments, elements));
  std::vector<Type> out;
  for (size_t i = 0; i < n; ++i) {
    const TensorType& input = view.operand(i);
    if (input.shape != view.operand(0).shape || !view.operand(n + i).is_scalar()) {
      return view.wrong(kWrongShape, "input {} is {}, its initial value is {}", i, str(input),
                        str(view.operand(n + i)));
    }
    const Result<Dims> counts = window_counts(view, window, input.shape, window.dimensions);
    if (!counts.ok()) return counts.status();
    const TensorType* element = elements[i].tensor();
    if (element == nullptr || !element->is_scalar()) {
      return view.wrong(kWrongRegion, "the reducer returns {}, scalars are expected",
                        str(elements));
    }
    out.push_back(tensor_of(element->element, *counts));
  }
  return out;
}

Inferred infer_select_and_scatter(const OpView& view) {
  const TensorType& operand = view.operand(0);
  const TensorType& source = view.operand(1);
  const TensorType scalar = tensor_of(operand.element, {});
  const auto& window = view.attributes<WindowAttributes>();
  const Result<Dims> counts = window_counts(view, window, operand.shape, window.dimensions);
  if (!counts.ok()) return counts.status();
  if (source.shape != *counts || source.element != operand.element) {
    return view.wrong(kWrongShape, "the source is {}, the windows of {} make {}", str(source),
                      str(operand), str(tensor_of(operand.element, *counts)));
  }
  if (view.operand(2) != scalar) {
    return view.wrong(kWrongShape, "the initial value is {}, {} is expected", str(view.operand(2)),
                      str(scalar));
  }
  TY_TRY(check_region(view, 0, {scalar, scalar}, {tensor_of(ElementType::I1, {})}));
  TY_TRY(check_region(view, 1, {scalar, scalar}, {scalar}));
  return std::vector<Type>{operand};
}

}  // namespace

Inferred infer_window(const OpView& view) {
  return view.op.kind == OpKind::ReduceWindow ? infer_reduce_window(view)
                                              : infer_select_and_scatter(view);
}

}  // namespace trainyard::compiler
