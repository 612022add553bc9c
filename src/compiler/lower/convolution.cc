// convolution as a contraction: the windows are axes over the padded input. Also both gradients:
// that of the input has gaps in its input and a reversed window; that of the kernel has the image
// as its window.
#include "compiler/lower/contraction.h"
#include "compiler/lower/convolution_input.h"
#include "compiler/lower/kernels.h"

namespace trainyard::compiler {
namespace {

int64_t at(const Dims& values, size_t i, int64_t otherwise) {
  return values.empty() ? otherwise : values[i];
}

struct Operands {
  TensorType input, kernel, result;
  StridedView lhs, rhs;
};

std::vector<PaddedDim> padded_dims(const ConvolutionAttributes& a, const TensorType& input) {
  std::vector<PaddedDim> dims;
  for (const int64_t n : input.shape) dims.push_back({n, 0, 1, n});
  for (size_t i = 0; i < a.input_spatial.size(); ++i) {
    PaddedDim& d = dims[static_cast<size_t>(a.input_spatial[i])];
    d.pitch = at(a.window.base_dilations, i, 1);
    d.low = at(a.window.padding_low, i, 0);
    d.extent =
        d.low + (d.count > 0 ? (d.count - 1) * d.pitch + 1 : 0) + at(a.window.padding_high, i, 0);
  }
  return dims;
}

// `lhs.steps` are those of the padded input.
void add_axes(Contraction& c, const ConvolutionAttributes& a, const Operands& o) {
  const auto dim = [](const auto& values, int64_t d) { return values[static_cast<size_t>(d)]; };
  const std::vector<int64_t> out = row_major(o.result.shape);
  const int64_t groups = a.feature_groups * a.batch_groups;  // one of them is 1
  const int64_t batch = dim(o.result.shape, a.output_batch);
  const int64_t features = dim(o.result.shape, a.output_feature) / groups;
  const int64_t depth = dim(o.kernel.shape, a.kernel_input_feature);
  const int64_t lhs_batch = dim(o.lhs.steps, a.input_batch);
  const int64_t lhs_feature = dim(o.lhs.steps, a.input_feature);
  const int64_t rhs_feature = dim(o.rhs.steps, a.kernel_output_feature);
  const int64_t out_feature = dim(out, a.output_feature);
  c.batch = {{groups, a.batch_groups > 1 ? batch * lhs_batch : depth * lhs_feature,
              features * rhs_feature, features * out_feature}};
  c.m = {{batch, lhs_batch, 0, dim(out, a.output_batch)}};
  c.n = {{features, 0, rhs_feature, out_feature}};
  c.k = {{depth, lhs_feature, dim(o.rhs.steps, a.kernel_input_feature), 0}};
  for (size_t i = 0; i < a.input_spatial.size(); ++i) {
    const int64_t place = dim(o.lhs.steps, a.input_spatial[i]);
    const int64_t window = dim(o.kernel.shape, a.kernel_spatial[i]);
    int64_t tap = dim(o.rhs.steps, a.kernel_spatial[i]);
    if (!a.window_reversal.empty() && a.window_reversal[i]) {
      c.rhs.offset += (window - 1) * tap;
      tap = -tap;
    }
    c.m.push_back({dim(o.result.shape, a.output_spatial[i]), place * at(a.window.strides, i, 1), 0,
                   dim(out, a.output_spatial[i])});
    c.k.push_back({window, place * at(a.window.window_dilations, i, 1), tap, 0});
  }
}

}  // namespace

Status lower_convolution(Lowering& lowering, const Kernel& kernel) {
  const OpId id = kernel.ops.front();
  const Op& op = lowering.function.op(id);
  const auto& a = std::get<ConvolutionAttributes>(op.attributes);
  const std::string label = Lowering::label(op, id);
  Operands o{lowering.type(op.operands[0]),
             lowering.type(op.operands[1]),
             lowering.type(op.results[0]),
             {},
             {}};
  const isa::TensorId result = lowering.define(op.results[0]);
  if (is_empty(o.input) || is_empty(o.kernel)) {
    fill_with_zeros(lowering, result, lowering.elements(op.results[0]), label);
    return {};
  }
  o.lhs = padded_input(lowering, lowering.view(op.operands[0]), o.input.element,
                       padded_dims(a, o.input), label);
  o.rhs = lowering.view(op.operands[1]);
  Contraction c;
  c.lhs = {o.lhs.tensor, storage_of(o.input.element).dtype, o.lhs.offset};
  c.rhs = {o.rhs.tensor, storage_of(o.kernel.element).dtype, o.rhs.offset};
  c.result = {result, storage_of(o.result.element).dtype, 0};
  add_axes(c, a, o);
  if (fits_vector(c)) {
    emit_vector_contraction(lowering, std::move(c), label);
  } else if (fits_column_sums(c)) {
    emit_column_sums(lowering, std::move(c), label);
  } else {
    emit_contraction(lowering, std::move(c), label);
  }
  return {};
}

}  // namespace trainyard::compiler
