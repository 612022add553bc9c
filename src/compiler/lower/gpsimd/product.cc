// dot_general and convolution of types that the array does not have.
#include <algorithm>

#include "compiler/lower/gpsimd/lowerings.h"
#include "compiler/lower/move.h"

namespace trainyard::compiler {
namespace {

using gp::Code;
using Use = gp::Window::Use;

bool contains(const Dims& dims, int64_t d) {
  return std::find(dims.begin(), dims.end(), d) != dims.end();
}

int64_t count(const std::vector<isa::Dim>& axes) {
  int64_t n = 1;
  for (const isa::Dim& a : axes) n *= a.count;
  return n;
}

void append(std::vector<isa::Dim>& to, const std::vector<isa::Dim>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

std::vector<isa::Dim> pick(const View& view, const Dims& dims) {
  std::vector<isa::Dim> out;
  for (const int64_t d : dims) out.push_back(view.axes[static_cast<size_t>(d)]);
  return out;
}

Dims free_dims(size_t rank, const Dims& a, const Dims& b) {
  Dims out;
  for (int64_t d = 0; d < static_cast<int64_t>(rank); ++d) {
    if (!contains(a, d) && !contains(b, d)) out.push_back(d);
  }
  return out;
}

// An operand as [batch, rows, columns], each a list of axes.
struct Matrix {
  ValueId base = -1;
  int64_t offset = 0;
  std::vector<isa::Dim> batch, rows, columns;
  isa::TensorId tensor = -1;
};

gp::WindowId matrix_window(Call& call, Use use, const Matrix& m) {
  View view{m.base, m.offset, m.batch, m.tensor};
  append(view.axes, m.rows);
  append(view.axes, m.columns);
  return call.view(use, view, {count(m.batch), count(m.rows), count(m.columns)});
}

// A truth value counts as a byte.
Result<gp::WindowId> numeric(Call& call, const Matrix& m, const std::string& label) {
  if (call.lowering.type(m.base).element != ElementType::I1)
    return matrix_window(call, Use::Read, m);
  Call before(call.lowering, "widen");
  const gp::WindowId from = matrix_window(before, Use::Read, m);
  const Temporary bytes = make_temporary(call.lowering, gp::Type::U8, before.at(from).shape);
  before.convert(from, before.window(Use::Write, bytes));
  TY_TRY(before.emit(label));
  return call.window(Use::Read, bytes);
}

Status emit_product(Lowering& lowering, const Op& op, OpId id, const Matrix& x, const Matrix& y,
                    const Matrix& z) {
  for (const ValueId v : {x.base, y.base, z.base}) {
    const ElementType type = lowering.type(v).element;
    if (is_float(type) && byte_size(type) == 1) {
      return error("TY-LOW-001", "{} on {} has no kernel on GpSimd; convert to bf16 first",
                   name(op.kind), str(lowering.type(v)));
    }
  }
  const std::string label = Lowering::label(op, id);
  Call call(lowering, "dot");
  const Result<gp::WindowId> a = numeric(call, x, label), b = numeric(call, y, label);
  if (!a.ok()) return a.status();
  if (!b.ok()) return b.status();
  if (lowering.type(z.base).element != ElementType::I1) {
    call.body.primitive(Code::Dot, {.windows = {*a, *b, matrix_window(call, Use::Write, z)}});
    return call.emit(label);
  }
  const Temporary sum =
      make_temporary(lowering, gp::Type::U64, {count(z.batch), count(z.rows), count(z.columns)});
  call.body.primitive(Code::Dot, {.windows = {*a, *b, call.window(Use::Write, sum)}});
  TY_TRY(call.emit(label));
  Call after(lowering, "narrow");
  after.convert(after.window(Use::Read, sum), matrix_window(after, Use::Write, z));
  return after.emit(label);
}

Status fill_zero(Lowering& lowering, const Op& op, OpId id) {
  Call call(lowering, "zero");
  const gp::WindowId y = call.write(op.results[0]);
  call.fill(y, call.body.constant(call.at(y).type, 0));
  return call.emit(Lowering::label(op, id));
}

}  // namespace

Status lower_gpsimd_dot(Lowering& lowering, const Op& op, OpId id) {
  const auto& a = std::get<DotAttributes>(op.attributes);
  const ValueId lhs = op.operands[0], rhs = op.operands[1], result = op.results[0];
  if (is_empty(lowering.type(result))) return {};
  lowering.define(result);
  if (is_empty(lowering.type(lhs)) || is_empty(lowering.type(rhs))) {
    return fill_zero(lowering, op, id);
  }
  const View left = dense_view(lhs, lowering.type(lhs).shape);
  const View right = dense_view(rhs, lowering.type(rhs).shape);
  const View out = dense_view(result, lowering.type(result).shape);
  const Dims left_free = free_dims(left.axes.size(), a.lhs_batch, a.lhs_contracting);
  const Dims right_free = free_dims(right.axes.size(), a.rhs_batch, a.rhs_contracting);
  const Matrix x{
      lhs, 0, pick(left, a.lhs_batch), pick(left, left_free), pick(left, a.lhs_contracting), -1};
  const Matrix y{
      rhs, 0, pick(right, a.rhs_batch), pick(right, a.rhs_contracting), pick(right, right_free),
      -1};
  Matrix z{result, 0, {}, {}, {}, -1};
  for (size_t i = 0; i < out.axes.size(); ++i) {
    const size_t batch = a.lhs_batch.size();
    (i < batch                      ? z.batch
     : i < batch + left_free.size() ? z.rows
                                    : z.columns)
        .push_back(out.axes[i]);
  }
  return emit_product(lowering, op, id, x, y, z);
}

namespace {

// A convolution as a product: the padded input is read as [groups, places of the window, taps and
// features], so the window slides by its pattern.
class ConvolutionProduct {
 public:
  ConvolutionProduct(Lowering& lowering, const Op& op)
      : lowering_(lowering), op_(op), a_(std::get<ConvolutionAttributes>(op.attributes)) {}

  Status lower(OpId id) {
    const ValueId result = op_.results[0];
    lowering_.define(result);
    if (is_empty(lowering_.type(op_.operands[0])) || is_empty(lowering_.type(op_.operands[1]))) {
      return fill_zero(lowering_, op_, id);
    }
    const View kernel = dense_view(op_.operands[1], lowering_.type(op_.operands[1]).shape);
    const View out = dense_view(result, lowering_.type(result).shape);
    View input;
    padded(id, input);
    Matrix x{input.base, input.offset, {}, {}, {}, input.tensor};
    Matrix y{kernel.base, 0, {}, {}, {}, -1};
    Matrix z{result, 0, {}, {}, {}, -1};
    add_groups(input, kernel, out, x, y, z);
    for (size_t i = 0; i < a_.input_spatial.size(); ++i) {
      add_spatial(i, input, kernel, out, x, y, z);
    }
    const auto features = kernel.axes[static_cast<size_t>(a_.kernel_input_feature)];
    isa::Dim channels = input.axes[static_cast<size_t>(a_.input_feature)];
    channels.count = features.count;
    x.columns.push_back(channels);
    y.rows.push_back(features);
    return emit_product(lowering_, op_, id, x, y, z);
  }

 private:
  // Groups of features or of the batch are the product's batch.
  void add_groups(const View& input, const View& kernel, const View& out, Matrix& x, Matrix& y,
                  Matrix& z) const {
    isa::Dim batch = input.axes[static_cast<size_t>(a_.input_batch)];
    const isa::Dim channels = input.axes[static_cast<size_t>(a_.input_feature)];
    isa::Dim outputs = kernel.axes[static_cast<size_t>(a_.kernel_output_feature)];
    isa::Dim features = out.axes[static_cast<size_t>(a_.output_feature)];
    const isa::Dim out_batch = out.axes[static_cast<size_t>(a_.output_batch)];
    const int64_t groups = std::max(a_.feature_groups, a_.batch_groups);
    if (a_.feature_groups > 1) {
      x.batch.push_back({channels.step * (channels.count / groups), groups});
    } else if (a_.batch_groups > 1) {
      batch.count /= groups;
      x.batch.push_back({batch.step * batch.count, groups});
    }
    if (groups > 1) {
      outputs.count /= groups;
      features.count /= groups;
      y.batch.push_back({outputs.step * outputs.count, groups});
      z.batch.push_back({features.step * features.count, groups});
    }
    x.rows.push_back(batch);
    y.columns.push_back(outputs);
    z.rows.push_back(out_batch);
    z.columns.push_back(features);
  }

  void add_spatial(size_t i, const View& input, const View& kernel, const View& out, Matrix& x,
                   Matrix& y, Matrix& z) const {
    const isa::Dim in = input.axes[static_cast<size_t>(a_.input_spatial[i])];
    isa::Dim tap = kernel.axes[static_cast<size_t>(a_.kernel_spatial[i])];
    const isa::Dim place = out.axes[static_cast<size_t>(a_.output_spatial[i])];
    const int64_t stride = a_.window.strides.empty() ? 1 : a_.window.strides[i];
    const int64_t dilation = a_.window.window_dilations.empty() ? 1 : a_.window.window_dilations[i];
    x.rows.push_back({in.step * stride, place.count});
    x.columns.push_back({in.step * dilation, tap.count});
    if (!a_.window_reversal.empty() && a_.window_reversal[i]) {
      y.offset += (tap.count - 1) * tap.step;
      tap.step = -tap.step;
    }
    y.rows.push_back(tap);
    z.rows.push_back(place);
  }

  // The input with its padding and holes written out.
  void padded(OpId id, View& view) {
    const ValueId input = op_.operands[0];
    const auto& shape = lowering_.type(input).shape;
    PadAttributes pad;
    pad.low.assign(shape.size(), 0);
    pad.high = pad.interior = pad.low;
    bool any = false;
    for (size_t i = 0; i < a_.input_spatial.size(); ++i) {
      const auto d = static_cast<size_t>(a_.input_spatial[i]);
      if (!a_.window.padding_low.empty()) pad.low[d] = a_.window.padding_low[i];
      if (!a_.window.padding_high.empty()) pad.high[d] = a_.window.padding_high[i];
      if (!a_.window.base_dilations.empty()) pad.interior[d] = a_.window.base_dilations[i] - 1;
      any = any || pad.low[d] != 0 || pad.high[d] != 0 || pad.interior[d] != 0;
    }
    view = dense_view(input, shape);
    if (!any) return;
    view = padded_with_zero(lowering_, input, pad, Lowering::label(op_, id));
  }

  Lowering& lowering_;
  const Op& op_;
  const ConvolutionAttributes& a_;
};

}  // namespace

Status lower_gpsimd_convolution(Lowering& lowering, const Op& op, OpId id) {
  if (is_empty(lowering.type(op.results[0]))) return {};
  return ConvolutionProduct(lowering, op).lower(id);
}

}  // namespace trainyard::compiler
