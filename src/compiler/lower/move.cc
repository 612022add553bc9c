#include "compiler/lower/move.h"

#include <algorithm>

#include "compiler/lower/dynamic_slice.h"
#include "compiler/lower/gpsimd/lowerings.h"
#include "compiler/lower/views.h"
#include "compiler/passes/notes.h"

namespace trainyard::compiler {
namespace {

isa::Access flat(isa::TensorId tensor, const Storage& storage, int64_t offset,
                 std::vector<isa::Dim> dims) {
  isa::Access access;
  access.tensor = tensor;
  access.dtype = storage.dtype;
  access.offset = offset;
  access.dims = std::move(dims);
  return access;
}

bool has_elements(const View& view) {
  return std::all_of(view.axes.begin(), view.axes.end(),
                     [](const isa::Dim& d) { return d.count > 0; });
}

// The elements of a padded tensor that come from its input, and which of the input's they are.
struct PadParts {
  View dst, src;
};
PadParts pad_parts(const PadAttributes& pad, View dst, View src) {
  for (size_t i = 0; i < src.axes.size(); ++i) {
    isa::Dim &to = dst.axes[i], &from = src.axes[i];
    const int64_t pitch = pad.interior[i] + 1;
    const int64_t low = pad.low[i];
    // Element k of the input lies at low + k * pitch of the result.
    const int64_t first = low >= 0 ? 0 : (-low + pitch - 1) / pitch;
    const int64_t room = to.count - 1 - low;
    const int64_t end = room < 0 ? 0 : std::min(from.count, room / pitch + 1);
    const int64_t count = std::max<int64_t>(end - first, 0);
    dst.offset += (low + first * pitch) * to.step;
    src.offset += first * from.step;
    to = {to.step * pitch, count};
    from.count = count;
  }
  return {dst, src};
}

void pad_into(Lowering& lowering, const PadAttributes& pad, const View& dst, const View& src,
              const View& value, std::string_view label) {
  const PadParts parts = pad_parts(pad, dst, src);
  const auto all = [](const View& v) {
    int64_t n = 1;
    for (const isa::Dim& axis : v.axes) n *= axis.count;
    return n;
  };
  if (!has_elements(src) || all(parts.src) < all(dst)) fill(lowering, dst, value, label);
  if (has_elements(src) && has_elements(parts.src)) move(lowering, parts.dst, parts.src, label);
}

Status lower_pad(Lowering& lowering, const Op& op, std::string_view label) {
  const ValueId result = op.results[0];
  const View dst = dense_view(result, lowering.type(result).shape);
  const ValueId input = op.operands[0];
  const bool empty = is_empty(lowering.type(input));
  const View src =
      empty ? dense_view(input, lowering.type(input).shape) : strided_view(lowering, input);
  const View value = dense_view(op.operands[1], {});
  pad_into(lowering, std::get<PadAttributes>(op.attributes), dst, src, value, label);
  return {};
}

Status lower_concatenate(Lowering& lowering, const Op& op, std::string_view label) {
  const ValueId result = op.results[0];
  const auto dim = static_cast<size_t>(std::get<DimAttributes>(op.attributes).dim);
  const View whole = dense_view(result, lowering.type(result).shape);
  int64_t at = 0;
  for (const ValueId v : op.operands) {
    if (is_empty(lowering.type(v))) continue;
    const View src = strided_view(lowering, v);
    View dst = whole;
    dst.offset += at * dst.axes[dim].step;
    dst.axes[dim].count = src.axes[dim].count;
    at += src.axes[dim].count;
    move(lowering, dst, src, label);
  }
  return {};
}

// Parts of complex numbers: every other element, in words of the part's storage.
Status lower_complex(Lowering& lowering, const Op& op, std::string_view label) {
  const bool joins = op.kind == OpKind::Complex;
  const ValueId pairs = joins ? op.results[0] : op.operands[0];
  const ValueId single = joins ? op.operands[0] : op.results[0];
  const Storage storage = storage_of(lowering.type(single).element);
  const int64_t n = lowering.elements(single);
  const auto part = [&](int64_t which) {
    return flat(lowering.hbm(pairs), storage, which * storage.words,
                {{2 * storage.words, n}, {1, storage.words}});
  };
  const auto all = [&](ValueId v) {
    return flat(lowering.hbm(v), storage, 0, {{storage.words, n}, {1, storage.words}});
  };
  if (!joins) {
    const isa::Access from = part(op.kind == OpKind::Imag ? 1 : 0);
    lowering.body.emit(isa::DmaCopy{.dst = all(single), .src = from}, label);
    return {};
  }
  for (size_t i = 0; i < 2; ++i) {
    lowering.body.emit(
        isa::DmaCopy{.dst = part(static_cast<int64_t>(i)), .src = all(op.operands[i])}, label);
  }
  return {};
}

bool is_entry_argument(const Function& function, ValueId value) {
  const auto& arguments = function.entry().arguments;
  return std::find(arguments.begin(), arguments.end(), value) != arguments.end();
}

}  // namespace

void move(Lowering& lowering, const View& dst, const View& src, std::string_view label) {
  lowering.body.emit(isa::DmaCopy{.dst = access(lowering, dst), .src = access(lowering, src)},
                     label);
}

void fill(Lowering& lowering, const View& dst, const View& value, std::string_view label) {
  View src = value;
  src.axes.clear();
  for (const isa::Dim& axis : dst.axes) src.axes.push_back({0, axis.count});
  move(lowering, dst, src, label);
}

View padded_with_zero(Lowering& lowering, ValueId input, const PadAttributes& pad,
                      std::string_view label) {
  TensorType type = lowering.type(input);
  const View src = dense_view(input, type.shape);
  for (size_t i = 0; i < type.shape.size(); ++i) {
    const int64_t n = type.shape[i];
    type.shape[i] = pad.low[i] + pad.high[i] + n + pad.interior[i] * std::max<int64_t>(n - 1, 0);
  }
  View dst = dense_view(input, type.shape);
  dst.tensor = lowering.body.declare(hbm_tensor(type, "padded"));
  View zero = dense_view(input, {});
  zero.tensor = lowering.body.global(hbm_tensor(tensor_of(type.element, {}), "zero", isa::Io::In));
  lowering.executable.constants.push_back(
      {zero.tensor, std::vector<uint8_t>(static_cast<size_t>(byte_size(type.element)), 0)});
  pad_into(lowering, pad, dst, src, zero, label);
  return dst;
}

void define_from(Lowering& lowering, const Op& op, OpId id, size_t result, size_t operand) {
  const ValueId to = op.results[result], from = op.operands[operand];
  const bool writable = lowering.constant(from) == nullptr && lowering.is_bound(from) &&
                        !is_entry_argument(lowering.function, from);
  const bool dead =
      (find(op.extra, kInPlaceNote) != nullptr && writable) || lowering.may_take_over(from, op);
  if (dead && !lowering.is_reserved(to)) return lowering.bind(to, lowering.hbm(from));
  const isa::TensorId source = lowering.hbm(from);
  const isa::TensorId tensor = lowering.define(to);
  if (tensor != source) lowering.copy(tensor, source, Lowering::label(op, id));
}

Status lower_move(Lowering& lowering, const Kernel& kernel) {
  const OpId id = kernel.ops.front();
  const Op& op = lowering.function.op(id);
  const ValueId result = op.results[0];
  if (is_empty(lowering.type(result))) return {};
  const std::string label = Lowering::label(op, id);
  if (op.kind == OpKind::DynamicUpdateSlice) return lower_dynamic_update_slice(lowering, op, id);
  if (is_view_op(op.kind)) {
    lowering.bind(result, materialize(lowering, result, lowering.allocate(result)));
    return {};
  }
  lowering.define(result);
  switch (op.kind) {
    case OpKind::Pad:
      return lower_pad(lowering, op, label);
    case OpKind::Concatenate:
      return lower_concatenate(lowering, op, label);
    case OpKind::Real:
    case OpKind::Imag:
    case OpKind::Complex:
      return lower_complex(lowering, op, label);
    default:
      return lower_dynamic_slice(lowering, op, id);
  }
}

}  // namespace trainyard::compiler
