#include "compiler/lower/gpsimd/call.h"

#include "base/check.h"
#include "compiler/ir/element_value.h"
#include "isa/gpsimd/verify.h"
#include "isa/gpsimd_call.h"

namespace trainyard::compiler {

using gp::Bounds;
using gp::Code;

gp::Type window_type(ElementType element) {
  switch (element) {
    case ElementType::I1:
      return gp::Type::I1;
    case ElementType::I2:
    case ElementType::I4:
    case ElementType::I8:
      return gp::Type::S8;
    case ElementType::I16:
      return gp::Type::S16;
    case ElementType::I32:
      return gp::Type::S32;
    case ElementType::I64:
      return gp::Type::S64;
    case ElementType::U16:
      return gp::Type::U16;
    case ElementType::U32:
      return gp::Type::U32;
    case ElementType::U64:
      return gp::Type::U64;
    case ElementType::BF16:
      return gp::Type::BF16;
    case ElementType::F16:
      return gp::Type::F16;
    case ElementType::F32:
      return gp::Type::F32;
    case ElementType::F64:
      return gp::Type::F64;
    default:  // unsigned bytes and 8-bit floats
      TY_CHECK(byte_size(element) == 1);
      return gp::Type::U8;
  }
}

gp::WindowId Call::window(gp::Window::Use use, isa::Access access, gp::Type type, Dims shape) {
  const auto id = static_cast<gp::WindowId>(program_.windows.size());
  gp::Window w;
  w.name = "w" + std::to_string(id);
  w.type = type;
  w.start.assign(shape.size(), 0);
  w.tensor = shape;
  w.shape = std::move(shape);
  w.use = use;
  program_.windows.push_back(std::move(w));
  operands_.push_back(std::move(access));
  return id;
}

gp::WindowId Call::whole(gp::Window::Use use, ValueId value) {
  const TensorType& type = lowering.type(value);
  Dims shape = type.shape;
  if (shape.empty()) shape = {1};
  return window(use, lowering.whole(value), window_type(type.element), std::move(shape));
}

gp::WindowId Call::view(gp::Window::Use use, const View& view, Dims shape) {
  return window(use, access(lowering, view), window_type(lowering.type(view.base).element),
                std::move(shape));
}

gp::WindowId Call::read(const View& v) {
  int64_t elements = 1;
  for (const isa::Dim& axis : v.axes) elements *= axis.count;
  return view(gp::Window::Use::Read, v, {elements});
}

namespace {

int64_t bytes_of(gp::Type type, const Dims& shape) {
  int64_t bytes = gp::size_of(type);
  for (const int64_t n : shape) bytes *= n;
  return bytes;
}

}  // namespace

Temporary make_temporary(Lowering& lowering, gp::Type type, Dims shape) {
  const int64_t bytes = bytes_of(type, shape);
  return {lowering.body.hbm("temporary", isa::Dtype::U8, {bytes}), type, std::move(shape)};
}

gp::WindowId Call::window(gp::Window::Use use, const Temporary& temporary) {
  isa::Access access;
  access.tensor = temporary.tensor;
  access.dtype = isa::Dtype::U8;
  access.dims = {{1, bytes_of(temporary.type, temporary.shape)}};
  return window(use, std::move(access), temporary.type, temporary.shape);
}

gp::ValueId Call::scalar(ValueId value) {
  const gp::Type type = window_type(lowering.type(value).element);
  if (const Constant* known = lowering.constant(value)) {
    return body.constant(type, element_bits(*known, 0));
  }
  const gp::WindowId from = read(value);
  return body.load({.window = from}, {type, 0}, body.integer(gp::Type::S64, 0));
}

gp::FunctionId Call::add(gp::Function function) {
  program_.functions.push_back(std::move(function));
  return static_cast<gp::FunctionId>(program_.functions.size()) - 1;
}

gp::Fold Call::fold(gp::Function function) {
  const gp::Block& block = function.blocks[0];
  if (block.params.size() == 2 && block.ops.size() == 1 && block.results == block.ops[0].out) {
    const gp::Op& op = block.ops[0];
    const bool both = op.in == block.params ||
                      op.in == std::vector<gp::ValueId>(block.params.rbegin(), block.params.rend());
    for (int k = static_cast<int>(gp::Fold::Kind::Add);
         k < static_cast<int>(gp::Fold::Kind::Function); ++k) {
      const auto kind = static_cast<gp::Fold::Kind>(k);
      if (both && gp::code_of(kind) == op.code) return {kind, -1};
    }
  }
  return {gp::Fold::Kind::Function, add(std::move(function))};
}

void Call::convert(gp::WindowId from, gp::WindowId to) {
  each_strip(
      at(from).elements(), longest_strip(),
      [&](gp::ValueId base, int64_t n, Bounds load, Bounds store) {
        const gp::ValueId x = body.load({.window = from, .bounds = load}, {at(from).type, n}, base);
        body.store({.window = to, .bounds = store}, base, body.convert(x, at(to).type));
      });
}

void Call::fill(gp::WindowId to, gp::ValueId value) {
  const int64_t n = at(to).elements();
  const gp::ValueId strip = body.broadcast(value, std::min(n, longest_strip()));
  each_strip(n, longest_strip(), [&](gp::ValueId base, int64_t, Bounds, Bounds store) {
    body.store({.window = to, .bounds = store}, base, strip);
  });
}

Status Call::emit(std::string_view label) {
  program_.body = body.finish();
  TY_TRY(gp::verify(program_, gp::limits(lowering.core)));
  const int32_t id = lowering.body.add_gpsimd(std::move(program_));
  lowering.body.emit(isa::make_call(lowering.body.program(), id, std::move(operands_)), label);
  return {};
}

}  // namespace trainyard::compiler
