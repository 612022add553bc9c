// Arithmetic that changes nothing. A float rule must hold for every number: x + 0 is not x where
// x is -0, so only x - 0 and x + (-0) go.
#include "compiler/passes/simplifier.h"

namespace trainyard::compiler {
namespace {

// Every number of `from` is a number of `to`.
bool is_widening(ElementType from, ElementType to) {
  if (is_boolean(from)) return is_integer(to) || is_float(to);
  if (is_float(from) && is_float(to)) {
    if (to == ElementType::F64) return bit_width(from) <= 64;
    if (to == ElementType::F32) return bit_width(from) <= 32 && from != ElementType::F64;
    return false;
  }
  if (!is_integer(from) || !is_integer(to)) return false;
  if (is_signed_integer(from) == is_signed_integer(to)) return bit_width(from) <= bit_width(to);
  return is_unsigned_integer(from) && bit_width(from) < bit_width(to);
}

ValueId convert(Simplifier& s, const Op& op, const TensorType& result) {
  const ValueId from = op.operands[0];
  if (s.type(from) == result) return from;
  const Op* inner = s.maker(from, OpKind::Convert);
  if (inner == nullptr) return -1;
  const ValueId origin = inner->operands[0];
  if (is_complex(result.element) || is_complex(s.type(origin).element)) return -1;
  if (!is_widening(s.type(origin).element, s.type(from).element)) return -1;
  return s.make(OpKind::Convert, {origin}, {}, result);
}

ValueId add(Simplifier& s, const Op& op) {
  const double nothing = is_float(s.type(op.operands[0]).element) ? -0.0 : 0.0;
  if (s.is_all(op.operands[1], nothing)) return op.operands[0];
  if (s.is_all(op.operands[0], nothing)) return op.operands[1];
  return -1;
}

ValueId multiply(Simplifier& s, const Op& op) {
  for (const size_t i : {0, 1}) {
    if (s.is_all(op.operands[i], 1)) return op.operands[1 - i];
    const bool whole = is_integer(s.type(op.operands[i]).element);
    if (whole && s.is_all(op.operands[i], 0)) return op.operands[i];
  }
  return -1;
}

ValueId power(Simplifier& s, const Op& op, const TensorType& result) {
  if (!is_float(result.element)) return -1;
  if (s.is_all(op.operands[1], 1)) return op.operands[0];
  if (s.is_all(op.operands[1], 2)) {
    return s.make(OpKind::Multiply, {op.operands[0], op.operands[0]}, {}, result);
  }
  return -1;
}

ValueId select(Simplifier& s, const Op& op, const TensorType& result) {
  if (op.operands[1] == op.operands[2]) return op.operands[1];
  if (s.is_all(op.operands[0], 1)) return op.operands[1];
  if (s.is_all(op.operands[0], 0)) return op.operands[2];
  if (const Op* inverse = s.maker(op.operands[0], OpKind::Not)) {
    return s.make(OpKind::Select, {inverse->operands[0], op.operands[2], op.operands[1]}, {},
                  result);
  }
  return -1;
}

// and, or, xor of integers and truth values.
ValueId logic(Simplifier& s, const Op& op) {
  for (const size_t i : {0, 1}) {
    const bool zero = s.is_all(op.operands[i], 0);
    const ElementType element = s.type(op.operands[i]).element;
    const bool ones = is_boolean(element)          ? s.is_all(op.operands[i], 1)
                      : is_signed_integer(element) ? s.is_all(op.operands[i], -1)
                                                   : false;
    if (zero) return op.operands[op.kind == OpKind::And ? i : 1 - i];
    if (ones && op.kind == OpKind::And) return op.operands[1 - i];
    if (ones && op.kind == OpKind::Or) return op.operands[i];
  }
  return op.operands[0] == op.operands[1] && op.kind != OpKind::Xor ? op.operands[0] : -1;
}

ValueId undone(Simplifier& s, const Op& op) {
  const Op* inner = s.maker(op.operands[0], op.kind);
  return inner == nullptr ? -1 : inner->operands[0];
}

ValueId complex_part_of(Simplifier& s, const Op& op) {
  const Op* inner = s.maker(op.operands[0], OpKind::Complex);
  return inner == nullptr ? -1 : inner->operands[op.kind == OpKind::Real ? 0 : 1];
}

ValueId complex(Simplifier& s, const Op& op) {
  const Op* re = s.maker(op.operands[0], OpKind::Real);
  const Op* im = s.maker(op.operands[1], OpKind::Imag);
  const bool same = re != nullptr && im != nullptr && re->operands[0] == im->operands[0];
  return same ? re->operands[0] : -1;
}

}  // namespace

ValueId simplified_arithmetic(Simplifier& s, const Op& op, const TensorType& result) {
  switch (op.kind) {
    case OpKind::Convert:
      return convert(s, op, result);
    case OpKind::Add:
      return add(s, op);
    case OpKind::Subtract:
      return s.is_all(op.operands[1], 0.0) ? op.operands[0] : -1;
    case OpKind::Multiply:
      return multiply(s, op);
    case OpKind::Divide:
      return s.is_all(op.operands[1], 1) ? op.operands[0] : -1;
    case OpKind::Power:
      return power(s, op, result);
    case OpKind::Select:
      return select(s, op, result);
    case OpKind::And:
    case OpKind::Or:
    case OpKind::Xor:
      return logic(s, op);
    case OpKind::ShiftLeft:
    case OpKind::ShiftRightArithmetic:
    case OpKind::ShiftRightLogical:
      return s.is_all(op.operands[1], 0) ? op.operands[0] : -1;
    case OpKind::Negate:
    case OpKind::Not:
      return undone(s, op);
    case OpKind::Real:
    case OpKind::Imag:
      return complex_part_of(s, op);
    case OpKind::Complex:
      return complex(s, op);
    default:
      return -1;
  }
}

}  // namespace trainyard::compiler
