#include "compiler/lower/dynamic_slice.h"

#include <algorithm>

#include "compiler/ir/element_value.h"
#include "compiler/lower/gpsimd/lowerings.h"
#include "compiler/lower/move.h"

namespace trainyard::compiler {
namespace {

// Where a slice of `sizes` begins in a tensor of `shape`, dim by dim.
struct Start {
  std::span<const ValueId> indices;
  std::vector<int64_t> shape, sizes;

  int64_t last(size_t i) const { return shape[i] - sizes[i]; }
};

// Known, or in a register: signed 32-bit indices are clamped there.
bool fits_registers(const Lowering& lowering, const Start& start) {
  return std::all_of(start.indices.begin(), start.indices.end(), [&](ValueId v) {
    return lowering.constant(v) != nullptr || lowering.type(v).element == ElementType::I32;
  });
}

int64_t known_index(const Constant& data, int64_t last) {
  const uint64_t bits = element_bits(data, 0);
  const bool huge = is_unsigned_integer(data.type.element) && bits > static_cast<uint64_t>(last);
  return huge ? last : std::clamp<int64_t>(to_integer(data.type.element, bits), 0, last);
}

// The first element of the slice.
isa::Affine first_element(Lowering& lowering, const Start& start) {
  const std::vector<int64_t> strides = row_major(start.shape);
  isa::Affine at;
  for (size_t i = 0; i < start.shape.size(); ++i) {
    if (start.last(i) == 0) continue;
    const ValueId v = start.indices[i];
    if (const Constant* data = lowering.constant(v)) {
      at += known_index(*data, start.last(i)) * strides[i];
      continue;
    }
    const isa::RegisterId r = lowering.address_register(i);
    lowering.body.emit(isa::RegisterLoad{.dst = {r}, .src = lowering.whole(v)});
    using isa::RegisterAlu;
    lowering.body.emit(
        RegisterAlu{.dst = {r}, .a = r, .b = int64_t{0}, .op = isa::RegisterOp::Max});
    lowering.body.emit(
        RegisterAlu{.dst = {r}, .a = r, .b = start.last(i), .op = isa::RegisterOp::Min});
    at += isa::Affine::reg(r, strides[i]);
  }
  return at;
}

// The slice of `value` at an address from registers.
isa::Access slice_access(Lowering& lowering, ValueId value, const Start& start) {
  const isa::Affine at = first_element(lowering, start);
  View view = dense_view(value, start.shape);
  for (size_t i = 0; i < view.axes.size(); ++i) view.axes[i].count = start.sizes[i];
  isa::Access out = access(lowering, view);
  out.offset += at * storage_of(lowering.type(value).element).words;
  return out;
}

// All indices in one tensor, [1, 1, rank].
gp::WindowId index_window(Call& call, const Start& start, std::string_view label) {
  Lowering& lowering = call.lowering;
  const TensorType type = tensor_of(lowering.type(start.indices[0]).element,
                                    {static_cast<int64_t>(start.indices.size())});
  const isa::TensorId tensor = lowering.body.declare(hbm_tensor(type, "start"));
  for (size_t i = 0; i < start.indices.size(); ++i) {
    View dst{start.indices[i], static_cast<int64_t>(i), {}, tensor};
    move(lowering, dst, dense_view(start.indices[i], {}), label);
  }
  View all = dense_view(start.indices[0], type.shape);
  all.tensor = tensor;
  return call.view(gp::Window::Use::Read, all, {1, 1, type.shape[0]});
}

// A GpSimd program between x and the slice: gather or scatter of one slice, moved inside.
Status by_program(Lowering& lowering, const Op& op, OpId id, const Start& start, ValueId x,
                  ValueId slice) {
  const bool update = op.kind == OpKind::DynamicUpdateSlice;
  if (is_complex(lowering.type(x).element)) {
    return error("TY-LOW-001", "{} of complex numbers takes 32-bit signed indices; convert them",
                 name(op.kind));
  }
  Call call(lowering, update ? "update_slice" : "slice");
  Dims whole = {1}, part = {1, 1};
  whole.insert(whole.end(), start.shape.begin(), start.shape.end());
  part.insert(part.end(), start.sizes.begin(), start.sizes.end());
  using Use = gp::Window::Use;
  const std::string label = Lowering::label(op, id);
  const gp::WindowId wx =
      call.view(update ? Use::Update : Use::Read, dense_view(x, start.shape), whole);
  const gp::WindowId wi = index_window(call, start, label);
  const gp::WindowId ws =
      call.view(update ? Use::Read : Use::Write, dense_view(slice, start.sizes), part);
  gp::WindowWork work{.windows = {wx, wi, ws}};
  for (size_t i = 0; i < start.shape.size(); ++i) work.axes.push_back(static_cast<int64_t>(i) + 1);
  work.bounds = gp::Bounds::Clamp;
  call.body.primitive(update ? gp::Code::ScatterSlices : gp::Code::GatherSlices, std::move(work));
  return call.emit(label);
}

}  // namespace

Status lower_dynamic_slice(Lowering& lowering, const Op& op, OpId id) {
  const ValueId x = op.operands[0], result = op.results[0];
  const Start start{std::span(op.operands).subspan(1), lowering.type(x).shape,
                    lowering.type(result).shape};
  if (!fits_registers(lowering, start)) return by_program(lowering, op, id, start, x, result);
  const isa::Access src = slice_access(lowering, x, start);
  const isa::Access dst = access(lowering, dense_view(result, start.sizes));
  lowering.body.emit(isa::DmaCopy{.dst = dst, .src = src}, Lowering::label(op, id));
  return {};
}

Status lower_dynamic_update_slice(Lowering& lowering, const Op& op, OpId id) {
  const ValueId update = op.operands[1], result = op.results[0];
  define_from(lowering, op, id, 0, 0);
  if (is_empty(lowering.type(update))) return {};
  const Start start{std::span(op.operands).subspan(2), lowering.type(result).shape,
                    lowering.type(update).shape};
  if (!fits_registers(lowering, start)) return by_program(lowering, op, id, start, result, update);
  const isa::Access dst = slice_access(lowering, result, start);
  const isa::Access src = access(lowering, dense_view(update, start.sizes));
  lowering.body.emit(isa::DmaCopy{.dst = dst, .src = src}, Lowering::label(op, id));
  return {};
}

}  // namespace trainyard::compiler
