#include "compiler/passes/emit.h"

#include <bit>
#include <utility>

#include "base/check.h"
#include "numerics/convert.h"

namespace trainyard::compiler {
namespace {

numerics::Dtype dtype_of(ElementType element) {
  switch (element) {
    case ElementType::BF16:
      return numerics::Dtype::BF16;
    case ElementType::F16:
      return numerics::Dtype::F16;
    case ElementType::F8E3M4:
      return numerics::Dtype::F8E3M4;
    case ElementType::F8E4M3:
      return numerics::Dtype::F8E4M3;
    case ElementType::F8E4M3FN:
      return numerics::Dtype::F8E4M3FN;
    case ElementType::F8E5M2:
      return numerics::Dtype::F8E5M2;
    default:
      TY_CHECK(false);
      return numerics::Dtype::F32;
  }
}

}  // namespace

ConstantId add_constant(Module& module, Constant constant) {
  module.constants.push_back(std::move(constant));
  return static_cast<ConstantId>(module.constants.size()) - 1;
}

uint64_t bits_of(ElementType element, double value) {
  if (element == ElementType::F64) return std::bit_cast<uint64_t>(value);
  if (element == ElementType::F32) return std::bit_cast<uint32_t>(static_cast<float>(value));
  if (is_float(element)) {
    const auto single = static_cast<float>(value);
    uint64_t bits = 0;
    numerics::convert(numerics::Dtype::F32, &single, dtype_of(element), &bits, 1);
    return bits;
  }
  return static_cast<uint64_t>(static_cast<int64_t>(value));
}

ValueId Emit::add(OpKind kind, std::vector<ValueId> operands, OpAttributes attributes,
                  const TensorType& result, std::vector<BlockId> regions) {
  Op op;
  op.kind = kind;
  op.operands = std::move(operands);
  op.attributes = std::move(attributes);
  op.regions = std::move(regions);
  op.location = location_;
  const TensorType made = result;  // `result` may lie in the vector that grows
  return rebuild_.to.op(rebuild_.add(std::move(op), {made})).results[0];
}

ValueId Emit::unary(OpKind kind, ValueId a) {
  switch (kind) {
    case OpKind::Cbrt:
    case OpKind::Cosine:
    case OpKind::Exponential:
    case OpKind::ExponentialMinusOne:
    case OpKind::Log:
    case OpKind::LogPlusOne:
    case OpKind::Logistic:
    case OpKind::Rsqrt:
    case OpKind::Sine:
    case OpKind::Sqrt:
    case OpKind::Tan:
    case OpKind::Tanh:
      return add(kind, {a}, AccuracyAttributes{}, type(a));
    default:
      return add(kind, {a}, {}, type(a));
  }
}

ValueId Emit::compare(Direction direction, ValueId a, ValueId b) {
  const ElementType element = type(a).element;
  CompareAttributes attributes{.direction = direction};
  attributes.order = is_float(element)            ? CompareAttributes::Order::Float
                     : is_signed_integer(element) ? CompareAttributes::Order::Signed
                                                  : CompareAttributes::Order::Unsigned;
  return add(OpKind::Compare, {a, b}, attributes, tensor_of(ElementType::I1, type(a).shape));
}

ValueId Emit::select(ValueId predicate, ValueId on_true, ValueId on_false) {
  return add(OpKind::Select, {predicate, on_true, on_false}, {}, type(on_true));
}

ValueId Emit::convert(ValueId a, ElementType element) {
  if (type(a).element == element) return a;
  return add(OpKind::Convert, {a}, {}, tensor_of(element, type(a).shape));
}

ValueId Emit::bitcast(ValueId a, ElementType element) {
  return add(OpKind::BitcastConvert, {a}, {}, tensor_of(element, type(a).shape));
}

ValueId Emit::broadcast(ValueId a, const Dims& shape, const Dims& dims) {
  return add(OpKind::BroadcastInDim, {a}, DimsAttributes{dims}, tensor_of(type(a).element, shape));
}

ValueId Emit::reshape(ValueId a, const Dims& shape) {
  if (type(a).shape == shape) return a;
  return add(OpKind::Reshape, {a}, {}, tensor_of(type(a).element, shape));
}

ValueId Emit::slice(ValueId a, int64_t dim, int64_t from, int64_t to) {
  const Dims shape = type(a).shape;
  SliceAttributes attributes{
      .start = Dims(shape.size(), 0), .limit = shape, .strides = Dims(shape.size(), 1)};
  attributes.start[static_cast<size_t>(dim)] = from;
  attributes.limit[static_cast<size_t>(dim)] = to;
  Dims out = shape;
  out[static_cast<size_t>(dim)] = to - from;
  return add(OpKind::Slice, {a}, attributes, tensor_of(type(a).element, out));
}

ValueId Emit::concatenate(const std::vector<ValueId>& parts, int64_t dim) {
  if (parts.size() == 1) return parts[0];
  Dims shape = type(parts[0]).shape;
  int64_t total = 0;
  for (const ValueId part : parts) total += type(part).shape[static_cast<size_t>(dim)];
  shape[static_cast<size_t>(dim)] = total;
  return add(OpKind::Concatenate, parts, DimAttributes{dim},
             tensor_of(type(parts[0]).element, shape));
}

ValueId Emit::iota(ElementType element, const Dims& shape, int64_t dim) {
  return add(OpKind::Iota, {}, DimAttributes{dim}, tensor_of(element, shape));
}

ValueId Emit::reduce(OpKind kind, ValueId a, ValueId init, const Dims& dims) {
  const TensorType scalar = tensor_of(type(a).element, {});
  const BlockId block = region({scalar, scalar}, [&](std::span<const ValueId> in) {
    return std::vector{add(kind, {in[0], in[1]}, {}, scalar)};
  });
  Dims shape;
  for (size_t i = 0; i < type(a).shape.size(); ++i) {
    bool kept = true;
    for (const int64_t dim : dims) kept = kept && dim != static_cast<int64_t>(i);
    if (kept) shape.push_back(type(a).shape[i]);
  }
  return add(OpKind::Reduce, {a, init}, DimsAttributes{dims}, tensor_of(type(a).element, shape),
             {block});
}

ValueId Emit::constant(const TensorType& type, double value) {
  return integer(type, bits_of(type.element, value));
}

ValueId Emit::integer(const TensorType& type, uint64_t bits) {
  Constant data{.type = type, .splat = true};
  for (int64_t i = 0; i < byte_size(type.element); ++i) {
    data.bytes.push_back(static_cast<uint8_t>(bits >> (8 * i)));
  }
  const TensorType made = type;
  return add(OpKind::Constant, {},
             ConstantAttributes{add_constant(rebuild_.module, std::move(data))}, made);
}

BlockId Emit::region(const std::vector<Type>& arguments,
                     const std::function<std::vector<ValueId>(std::span<const ValueId>)>& fill) {
  const BlockId made = add_block(rebuild_.to, arguments);
  const BlockId outer = std::exchange(rebuild_.block, made);
  const std::vector<ValueId> in = rebuild_.to.block(made).arguments;
  Op last;
  last.kind = OpKind::Return;
  last.operands = fill(in);
  last.location = location_;
  rebuild_.add(std::move(last), {});
  rebuild_.block = outer;
  return made;
}

}  // namespace trainyard::compiler
