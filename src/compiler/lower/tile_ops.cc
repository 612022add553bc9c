#include "compiler/lower/tile_ops.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "base/check.h"
#include "compiler/lower/views.h"
#include "numerics/convert.h"

namespace trainyard::compiler {

bool is_tile_type(ElementType type) {
  return type == ElementType::F32 || type == ElementType::BF16 || type == ElementType::F16 ||
         type == ElementType::I1;
}

namespace {

bool is_tile_float(ElementType type) { return is_tile_type(type) && type != ElementType::I1; }

ElementType element(const Lowering& lowering, ValueId value) {
  const TensorType* type = lowering.function.type(value).tensor();
  return type == nullptr ? ElementType::None : type->element;
}

// To a float from what fp32 holds; i1 from floats.
bool is_tile_convert(ElementType from, ElementType to) {
  const bool readable = is_tile_type(from) || from == ElementType::I8 || from == ElementType::U8 ||
                        from == ElementType::I16 || from == ElementType::U16 ||
                        from == ElementType::I32 || from == ElementType::U32;
  if (is_tile_float(to)) return readable;
  return to == ElementType::I1 && is_tile_type(from);
}

}  // namespace

bool is_tile_elementwise(const Lowering& lowering, const Op& op) {
  if (op.operands.empty() || op.results.size() != 1) return false;
  const ElementType result = element(lowering, op.results[0]);
  const ElementType first = element(lowering, op.operands[0]);
  switch (op.kind) {
    case OpKind::Add:
    case OpKind::Subtract:
    case OpKind::Multiply:
    case OpKind::Divide:
    case OpKind::Maximum:
    case OpKind::Minimum:
    case OpKind::Negate:
    case OpKind::Abs:
    case OpKind::Exponential:
    case OpKind::Log:
    case OpKind::Sqrt:
    case OpKind::Rsqrt:
    case OpKind::Tanh:
    case OpKind::Logistic:
    case OpKind::Clamp:
      return is_tile_float(result) && is_tile_float(first);
    case OpKind::Composite:
      return std::get<CompositeAttributes>(op.attributes).name == "chlo.erf" &&
             is_tile_float(result);
    case OpKind::Compare:
      return is_tile_float(first) && std::get<CompareAttributes>(op.attributes).order !=
                                         CompareAttributes::Order::TotalOrder;
    case OpKind::IsFinite:
      return is_tile_float(first);
    case OpKind::And:
    case OpKind::Or:
    case OpKind::Xor:
    case OpKind::Not:
      return result == ElementType::I1;
    case OpKind::Select:
      return is_tile_type(result);
    case OpKind::Convert:
      return is_tile_convert(first, result);
    default:
      return false;
  }
}

float number_of(const Constant& constant) {
  const Storage storage = storage_of(constant.type.element);
  if (constant.type.element == ElementType::I1) return constant.bytes[0] != 0 ? 1.0f : 0.0f;
  float value = 0;
  numerics::convert(storage.dtype, constant.bytes.data(), isa::Dtype::F32, &value, 1, {});
  return value;
}

std::optional<SimpleReduce> simple_reduce(const Lowering& lowering, const Op& op) {
  if (op.kind != OpKind::Reduce || op.operands.size() != 2) return std::nullopt;
  if (!is_tile_float(element(lowering, op.operands[0]))) return std::nullopt;
  const Block& body = lowering.function.block(op.regions[0]);
  if (body.ops.size() != 2) return std::nullopt;
  const Op& combine = lowering.function.op(body.ops[0]);
  const Op& end = lowering.function.op(body.ops[1]);
  const bool plain = combine.operands.size() == 2 && end.operands[0] == combine.results[0] &&
                     combine.operands[0] != combine.operands[1] &&
                     lowering.function.value(combine.operands[0]).op == kNoOp &&
                     lowering.function.value(combine.operands[1]).op == kNoOp;
  const Constant* start = splat(lowering, op.operands[1]);
  if (!plain || start == nullptr) return std::nullopt;
  const float from = number_of(*start);
  constexpr float kInf = std::numeric_limits<float>::infinity();
  switch (combine.kind) {
    case OpKind::Add:
      if (from == 0) return SimpleReduce{isa::AluOp::Add, 0};
      break;
    case OpKind::Maximum:
      if (from == -kInf) return SimpleReduce{isa::AluOp::Max, -kInf};
      break;
    case OpKind::Minimum:
      if (from == kInf) return SimpleReduce{isa::AluOp::Min, kInf};
      break;
    default:
      break;
  }
  return std::nullopt;
}

}  // namespace trainyard::compiler
