// dot, dot_general, convolution.
#include "compiler/ir/rules/infer.h"

namespace trainyard::compiler {
namespace {

Status check_pairs(const OpView& view, std::string_view what, const Dims& lhs, const Dims& rhs) {
  if (lhs.size() != rhs.size()) {
    return view.wrong(kWrongAttribute, "{} {} dimensions on the left, {} on the right", lhs.size(),
                      what, rhs.size());
  }
  const TensorType& a = view.operand(0);
  const TensorType& b = view.operand(1);
  for (size_t i = 0; i < lhs.size(); ++i) {
    const int64_t left = a.shape[static_cast<size_t>(lhs[i])];
    const int64_t right = b.shape[static_cast<size_t>(rhs[i])];
    if (left != right) {
      return view.wrong(kWrongShape, "{} dimension {} of {} has size {}, {} of {} has {}", what,
                        lhs[i], str(a), left, rhs[i], str(b), right);
    }
  }
  return {};
}

Status check_precision(const OpView& view, const std::vector<Precision>& precision) {
  if (precision.empty() || precision.size() == 2) return {};
  return view.wrong(kWrongAttribute, "{} precisions are given, none or two are expected",
                    precision.size());
}

Inferred infer_dot_general(const OpView& view) {
  const auto& a = view.attributes<DotAttributes>();
  const Dims lhs = joined(a.lhs_batch, a.lhs_contracting);
  const Dims rhs = joined(a.rhs_batch, a.rhs_contracting);
  TY_TRY(check_dims(view, "lhs", lhs, view.operand(0).rank()));
  TY_TRY(check_dims(view, "rhs", rhs, view.operand(1).rank()));
  TY_TRY(check_pairs(view, "batch", a.lhs_batch, a.rhs_batch));
  TY_TRY(check_pairs(view, "contracting", a.lhs_contracting, a.rhs_contracting));
  TY_TRY(check_precision(view, a.precision));
  Dims shape;
  for (const int64_t dim : a.lhs_batch) {
    shape.push_back(view.operand(0).shape[static_cast<size_t>(dim)]);
  }
  shape = joined(joined(shape, without(view.operand(0).shape, lhs)),
                 without(view.operand(1).shape, rhs));
  // The element type is the program's choice: i8 x i8 -> i32, bf16 x bf16 -> f32.
  return std::vector<Type>{tensor_of(view.result(0).element, std::move(shape))};
}

// The old matrix product: the last dimension of a vector or matrix by the first of another.
Inferred infer_dot(const OpView& view) {
  const TensorType& a = view.operand(0);
  const TensorType& b = view.operand(1);
  const bool ranks = a.rank() >= 1 && a.rank() <= 2 && b.rank() >= 1 && b.rank() <= 2;
  if (!ranks || a.shape.back() != b.shape.front()) {
    return view.wrong(kWrongShape, "{} and {} have no matrix product", str(a), str(b));
  }
  Dims shape(a.shape.begin(), a.shape.end() - 1);
  shape.insert(shape.end(), b.shape.begin() + 1, b.shape.end());
  return std::vector<Type>{tensor_of(view.result(0).element, std::move(shape))};
}

Status check_layout(const OpView& view, std::string_view what, Dims dims, int64_t first,
                    int64_t second, int64_t rank) {
  dims.push_back(first);
  dims.push_back(second);
  if (static_cast<int64_t>(dims.size()) != rank) {
    return view.wrong(kWrongAttribute, "{} names {} dimensions of a tensor of rank {}", what,
                      dims.size(), rank);
  }
  return check_dims(view, what, dims, rank);
}

Status check_groups(const OpView& view, const ConvolutionAttributes& a) {
  const auto size = [&](size_t operand, int64_t dim) {
    return view.operand(operand).shape[static_cast<size_t>(dim)];
  };
  const int64_t batch = size(0, a.input_batch);
  const int64_t features = size(0, a.input_feature);
  const int64_t kernel_in = size(1, a.kernel_input_feature);
  const int64_t kernel_out = size(1, a.kernel_output_feature);
  if (a.feature_groups < 1 || a.batch_groups < 1 || (a.feature_groups > 1 && a.batch_groups > 1)) {
    return view.wrong(kWrongAttribute, "{} feature groups and {} batch groups", a.feature_groups,
                      a.batch_groups);
  }
  if (batch % a.batch_groups != 0 || features % a.feature_groups != 0 ||
      kernel_in != features / a.feature_groups || kernel_out % a.feature_groups != 0 ||
      kernel_out % a.batch_groups != 0) {
    return view.wrong(
        kWrongShape,
        "input {} (batch {}, features {}) does not fit kernel {} (in {}, out {}) in {} "
        "feature and {} batch groups",
        str(view.operand(0)), batch, features, str(view.operand(1)), kernel_in, kernel_out,
        a.feature_groups, a.batch_groups);
  }
  return {};
}

Inferred infer_convolution(const OpView& view) {
  const auto& a = view.attributes<ConvolutionAttributes>();
  const TensorType& input = view.operand(0);
  const TensorType& kernel = view.operand(1);
  const int64_t rank = input.rank();
  TY_TRY(check_layout(view, "input", a.input_spatial, a.input_batch, a.input_feature, rank));
  TY_TRY(check_layout(view, "kernel", a.kernel_spatial, a.kernel_input_feature,
                      a.kernel_output_feature, kernel.rank()));
  TY_TRY(check_layout(view, "output", a.output_spatial, a.output_batch, a.output_feature, rank));
  if (kernel.rank() != rank) {
    return view.wrong(kWrongShape, "input {} and kernel {} differ in rank", str(input),
                      str(kernel));
  }
  TY_TRY(check_groups(view, a));
  TY_TRY(check_precision(view, a.precision));
  const size_t spatial = a.input_spatial.size();
  Dims sizes(spatial);
  Dims window(spatial);
  for (size_t i = 0; i < spatial; ++i) {
    sizes[i] = input.shape[static_cast<size_t>(a.input_spatial[i])];
    window[i] = kernel.shape[static_cast<size_t>(a.kernel_spatial[i])];
  }
  if (!a.window_reversal.empty() && a.window_reversal.size() != spatial) {
    return view.wrong(kWrongAttribute, "window_reversal has {} entries for {} dimensions",
                      a.window_reversal.size(), spatial);
  }
  const Result<Dims> counts = window_counts(view, a.window, sizes, window);
  if (!counts.ok()) return counts.status();
  Dims shape(static_cast<size_t>(rank));
  shape[static_cast<size_t>(a.output_batch)] =
      input.shape[static_cast<size_t>(a.input_batch)] / a.batch_groups;
  shape[static_cast<size_t>(a.output_feature)] =
      kernel.shape[static_cast<size_t>(a.kernel_output_feature)];
  for (size_t i = 0; i < spatial; ++i) {
    shape[static_cast<size_t>(a.output_spatial[i])] = (*counts)[i];
  }
  return std::vector<Type>{tensor_of(view.result(0).element, std::move(shape))};
}

}  // namespace

Inferred infer_product(const OpView& view) {
  switch (view.op.kind) {
    case OpKind::DotGeneral:
      return infer_dot_general(view);
    case OpKind::Dot:
      return infer_dot(view);
    default:
      return infer_convolution(view);
  }
}

}  // namespace trainyard::compiler
