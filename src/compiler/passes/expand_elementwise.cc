// map and reduce_precision.
#include "compiler/passes/expand.h"

namespace trainyard::compiler {
namespace {

constexpr std::string_view kMapRegion = "TY-CMP-002";

struct FloatParts {
  ElementType bits;
  int exponent;
  int mantissa;
};

FloatParts parts_of(ElementType element) {
  switch (element) {
    case ElementType::F64:
      return {ElementType::U64, 11, 52};
    case ElementType::F16:
      return {ElementType::U16, 5, 10};
    case ElementType::BF16:
      return {ElementType::U16, 8, 7};
    default:
      return {ElementType::U32, 8, 23};
  }
}

// Rounds the mantissa to `kept` bits, to nearest even; a carry goes into the exponent.
ValueId round_mantissa(Emit& emit, ValueId bits, int dropped) {
  const TensorType type = emit.type(bits);
  const uint64_t last = uint64_t{1} << dropped;
  const ValueId shift = emit.integer(type, static_cast<uint64_t>(dropped));
  const ValueId odd = emit.binary(OpKind::ShiftRightLogical,
                                  emit.binary(OpKind::And, bits, emit.integer(type, last)), shift);
  const ValueId bias = emit.plus(odd, emit.integer(type, (last >> 1) - 1));
  return emit.binary(OpKind::And, emit.plus(bits, bias), emit.integer(type, ~(last - 1)));
}

// Values beyond the smaller exponent become infinite, values below it zero.
ValueId clamp_exponent(Emit& emit, ValueId bits, const FloatParts& parts, int64_t exponent_bits) {
  const TensorType type = emit.type(bits);
  const uint64_t bias = (uint64_t{1} << (parts.exponent - 1)) - 1;
  const uint64_t reduced = (uint64_t{1} << (exponent_bits - 1)) - 1;
  const uint64_t exponent_mask = ((uint64_t{1} << parts.exponent) - 1) << parts.mantissa;
  const uint64_t sign_mask = uint64_t{1} << (parts.exponent + parts.mantissa);
  const ValueId exponent = emit.binary(OpKind::And, bits, emit.integer(type, exponent_mask));
  const ValueId sign = emit.binary(OpKind::And, bits, emit.integer(type, sign_mask));
  const ValueId infinity = emit.binary(OpKind::Or, sign, emit.integer(type, exponent_mask));
  const ValueId most = emit.integer(type, (bias + reduced) << parts.mantissa);
  const ValueId least = emit.integer(type, (bias - reduced) << parts.mantissa);
  const ValueId high = emit.select(emit.compare(Direction::Gt, exponent, most), infinity, bits);
  return emit.select(emit.compare(Direction::Le, exponent, least), sign, high);
}

}  // namespace

Expanded expand_reduce_precision(Emit& emit, const Op& op, const std::vector<ValueId>& in) {
  const auto& attributes = std::get<ReducePrecisionAttributes>(op.attributes);
  const ElementType element = emit.type(in[0]).element;
  const FloatParts parts = parts_of(element);
  const bool fewer_digits = attributes.mantissa_bits < parts.mantissa;
  const bool smaller_range = attributes.exponent_bits < parts.exponent;
  if (!fewer_digits && !smaller_range) return in;
  ValueId bits = emit.bitcast(in[0], parts.bits);
  if (fewer_digits) {
    bits = round_mantissa(emit, bits, parts.mantissa - static_cast<int>(attributes.mantissa_bits));
  }
  if (smaller_range) bits = clamp_exponent(emit, bits, parts, attributes.exponent_bits);
  const ValueId number = emit.compare(Direction::Eq, in[0], in[0]);
  return std::vector{emit.select(number, emit.bitcast(bits, element), in[0])};
}

// The region computes one element; the same operations on whole tensors compute them all.
Expanded expand_map(Rebuild& rebuild, Emit& emit, const Op& op, const std::vector<ValueId>& in) {
  const Function& source = rebuild.source();
  const Block& region = source.block(op.regions[0]);
  const Dims shape = source.type(op.results[0]).tensor()->shape;
  for (size_t i = 0; i < in.size(); ++i) rebuild.map(region.arguments[i], in[i]);
  for (size_t i = 0; i + 1 < region.ops.size(); ++i) {
    const Op& inner = source.op(region.ops[i]);
    if (!inner.regions.empty() || inner.results.size() != 1) {
      return error(kMapRegion, "the region of map holds {}; use operations on single elements",
                   name(inner.kind));
    }
    std::vector<ValueId> operands;
    for (const ValueId old : inner.operands) {
      const ValueId now = rebuild.mapped(old);
      const bool scalar = emit.type(now).shape != shape;  // from outside of the region
      operands.push_back(scalar ? emit.broadcast(now, shape, {}) : now);
    }
    TensorType type = *source.type(inner.results[0]).tensor();
    if (!type.is_scalar()) {
      return error(kMapRegion, "the region of map makes {}; use operations on single elements",
                   str(type));
    }
    ValueId made = emit.add(inner.kind, operands, inner.attributes,
                            inner.kind == OpKind::Constant ? type : tensor_of(type.element, shape));
    rebuild.map(inner.results[0], made);
  }
  std::vector<ValueId> results;
  for (const ValueId old : source.op(region.ops.back()).operands) {
    const ValueId now = rebuild.mapped(old);
    results.push_back(emit.type(now).shape == shape ? now : emit.broadcast(now, shape, {}));
  }
  return results;
}

}  // namespace trainyard::compiler
