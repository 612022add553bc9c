#include "compiler/lower/gpsimd/emitter.h"

#include <optional>

#include "base/check.h"
#include "isa/gpsimd/literal.h"

namespace trainyard::compiler {

using gp::Code;

namespace {

// Operations that have a code of their own.
std::optional<Code> plain_code(const Op& op) {
  switch (op.kind) {
    case OpKind::Abs:
      return Code::Abs;
    case OpKind::Cbrt:
      return Code::Cbrt;
    case OpKind::Ceil:
      return Code::Ceil;
    case OpKind::Cosine:
      return Code::Cos;
    case OpKind::CountLeadingZeros:
      return Code::Clz;
    case OpKind::Exponential:
      return Code::Exp;
    case OpKind::ExponentialMinusOne:
      return Code::Expm1;
    case OpKind::Floor:
      return Code::Floor;
    case OpKind::IsFinite:
      return Code::IsFinite;
    case OpKind::Log:
      return Code::Log;
    case OpKind::LogPlusOne:
      return Code::Log1p;
    case OpKind::Logistic:
      return Code::Logistic;
    case OpKind::Negate:
      return Code::Neg;
    case OpKind::Not:
      return Code::Not;
    case OpKind::Popcnt:
      return Code::Popcount;
    case OpKind::RoundNearestAfz:
      return Code::RoundAway;
    case OpKind::RoundNearestEven:
      return Code::Round;
    case OpKind::Rsqrt:
      return Code::Rsqrt;
    case OpKind::Sign:
      return Code::Sign;
    case OpKind::Sine:
      return Code::Sin;
    case OpKind::Sqrt:
      return Code::Sqrt;
    case OpKind::Tan:
      return Code::Tan;
    case OpKind::Tanh:
      return Code::Tanh;
    case OpKind::Add:
      return Code::Add;
    case OpKind::And:
      return Code::And;
    case OpKind::Atan2:
      return Code::Atan2;
    case OpKind::Divide:
      return Code::Div;
    case OpKind::Maximum:
      return Code::Max;
    case OpKind::Minimum:
      return Code::Min;
    case OpKind::Multiply:
      return Code::Mul;
    case OpKind::Or:
      return Code::Or;
    case OpKind::Power:
      return Code::Pow;
    case OpKind::Remainder:
      return Code::Rem;
    case OpKind::ShiftLeft:
      return Code::Shl;
    case OpKind::ShiftRightArithmetic:
      return Code::Sar;
    case OpKind::ShiftRightLogical:
      return Code::Shr;
    case OpKind::Subtract:
      return Code::Sub;
    case OpKind::Xor:
      return Code::Xor;
    case OpKind::Composite: {
      const std::string& name = std::get<CompositeAttributes>(op.attributes).name;
      if (name == "chlo.erf") return Code::Erf;
      return std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

bool is_small_float(ElementType type) { return is_float(type) && byte_size(type) == 1; }

int missing_bits(ElementType type) {
  return is_integer(type) && bit_width(type) < 8 ? 8 - bit_width(type) : 0;
}

ElementType element(const Function& function, ValueId value) {
  return function.type(value).tensor()->element;
}

}  // namespace

bool is_elementwise(const Function& function, const Op& op) {
  for (const ValueId v : op.operands) {
    const TensorType* type = function.type(v).tensor();
    if (type == nullptr || is_complex(type->element)) return false;
  }
  if (op.results.size() != 1 || function.type(op.results[0]).tensor() == nullptr) return false;
  const ElementType result = element(function, op.results[0]);
  if (is_complex(result)) return false;
  switch (op.kind) {
    case OpKind::Clamp:
    case OpKind::Compare:
    case OpKind::Convert:
    case OpKind::Iota:
    case OpKind::Select:
      return true;
    case OpKind::BitcastConvert:
      return byte_size(result) == byte_size(element(function, op.operands[0])) &&
             bit_width(result) >= 8;
    default:
      return plain_code(op).has_value();
  }
}

gp::ValueId Emitter::constant(gp::Type type, uint64_t bits) {
  const auto [known, added] = made_.try_emplace({type, bits}, -1);
  if (!added) return known->second;
  used_.emplace_back(type, bits);
  const gp::ValueId scalar = body_.constant(type, bits);
  return known->second = count_ == 0 ? scalar : body_.broadcast(scalar, count_);
}

gp::ValueId Emitter::integer(gp::Type type, int64_t value) {
  return constant(type, gp::integer_bits(type, value));
}
gp::ValueId Emitter::real(gp::Type type, double value) {
  return constant(type, gp::real_bits(type, value));
}

void Emitter::prepare(const std::vector<Literal>& literals) {
  for (const auto& [type, bits] : literals) constant(type, bits);
}

gp::ValueId Emitter::wrapped(ElementType type, gp::ValueId x) {
  const int shift = missing_bits(type);
  if (shift == 0) return x;
  const gp::Type t = window_type(type);
  const gp::ValueId by = integer(t, shift);
  const gp::ValueId high = body_.binary(Code::Shl, x, by);
  return body_.binary(gp::is_signed(t) ? Code::Sar : Code::Shr, high, by);
}

gp::ValueId Emitter::unary(ElementType type, Code code, gp::ValueId a) {
  const gp::ValueId y = body_.unary(code, widened(type, a));
  if (code == Code::IsFinite) return y;
  return wrapped(type, narrowed(type, y));
}

gp::ValueId Emitter::binary(ElementType type, Code code, gp::ValueId a, gp::ValueId b) {
  return wrapped(type, narrowed(type, body_.binary(code, widened(type, a), widened(type, b))));
}

gp::ValueId Emitter::arithmetic(ElementType type, OpKind kind, gp::ValueId a, gp::ValueId b) {
  if (is_boolean(type)) {
    if (kind == OpKind::Add) return body_.binary(Code::Or, a, b);
    if (kind == OpKind::Subtract) return body_.binary(Code::Xor, a, b);
    if (kind == OpKind::Multiply) return body_.binary(Code::And, a, b);
  }
  if (kind == OpKind::Power && is_integer(type)) return integer_power(type, a, b);
  Op op;
  op.kind = kind;
  return binary(type, *plain_code(op), a, b);
}

gp::ValueId Emitter::compare(const CompareAttributes& a, ElementType type, gp::ValueId x,
                             gp::ValueId y) {
  using Direction = CompareAttributes::Direction;
  const bool total = a.order == CompareAttributes::Order::TotalOrder && is_float(type);
  const auto code = [&]() -> Code {
    switch (a.direction) {
      case Direction::Eq:
        return total ? Code::EqTotal : Code::Eq;
      case Direction::Ne:
        return total ? Code::NeTotal : Code::Ne;
      case Direction::Ge:
        return total ? Code::GeTotal : Code::Ge;
      case Direction::Gt:
        return total ? Code::GtTotal : Code::Gt;
      case Direction::Le:
        return total ? Code::LeTotal : Code::Le;
      case Direction::Lt:
        return total ? Code::LtTotal : Code::Lt;
    }
    return Code::Eq;
  }();
  return body_.binary(code, widened(type, x), widened(type, y));
}

gp::ValueId Emitter::convert(ElementType from, ElementType to, gp::ValueId x) {
  if (from == to) return x;
  const gp::ValueId wide = widened(from, x);
  if (is_small_float(to)) return narrowed(to, body_.convert(wide, gp::Type::F32));
  return wrapped(to, body_.convert(wide, window_type(to)));
}

// By squaring, one step for each bit of the exponent. A negative exponent leaves 1 and -1 alone.
gp::ValueId Emitter::integer_power(ElementType type, gp::ValueId base, gp::ValueId exponent) {
  const gp::Type t = window_type(type);
  const gp::ValueId zero = integer(t, 0), one = integer(t, 1);
  gp::ValueId result = one, square = base, left = exponent;
  const int bits = bit_width(type) - (gp::is_signed(t) ? 1 : 0);
  for (int i = 0; i < bits; ++i) {
    const gp::ValueId odd = body_.binary(Code::Ne, body_.binary(Code::And, left, one), zero);
    result = body_.select(odd, body_.binary(Code::Mul, result, square), result);
    if (i + 1 == bits) break;
    square = body_.binary(Code::Mul, square, square);
    left = body_.binary(Code::Shr, left, one);
  }
  result = wrapped(type, result);
  if (!gp::is_signed(t)) return result;
  const gp::ValueId minus_one = integer(t, -1);
  const gp::ValueId odd = body_.binary(Code::Ne, body_.binary(Code::And, exponent, one), zero);
  gp::ValueId inverse = body_.select(odd, minus_one, one);
  inverse = body_.select(body_.binary(Code::Eq, base, minus_one), inverse, zero);
  inverse = body_.select(body_.binary(Code::Eq, base, one), one, inverse);
  return body_.select(body_.binary(Code::Lt, exponent, zero), inverse, result);
}

gp::ValueId Emitter::emit(const Function& function, const Op& op, std::span<const gp::ValueId> in) {
  const ElementType result = element(function, op.results[0]);
  const ElementType type = op.operands.empty() ? result : element(function, op.operands.back());
  switch (op.kind) {
    case OpKind::Clamp:
      return arithmetic(type, OpKind::Minimum, arithmetic(type, OpKind::Maximum, in[1], in[0]),
                        in[2]);
    case OpKind::Compare:
      return compare(std::get<CompareAttributes>(op.attributes), type, in[0], in[1]);
    case OpKind::Convert:
      return convert(type, result, in[0]);
    case OpKind::Select:
      return body_.select(in[0], in[1], in[2]);
    case OpKind::BitcastConvert: {
      const gp::Type to = window_type(result);
      return body_.type(in[0]).type == to ? in[0] : body_.bitcast(in[0], to);
    }
    case OpKind::CountLeadingZeros: {
      const int extra = missing_bits(type);
      if (extra == 0) return unary(type, Code::Clz, in[0]);
      const gp::Type t = window_type(type);
      const gp::ValueId high = body_.binary(Code::Shl, in[0], integer(t, extra));
      const gp::ValueId zeros = body_.unary(Code::Clz, high);
      return body_.binary(Code::Min, zeros, integer(t, bit_width(type)));
    }
    case OpKind::Popcnt:
      if (missing_bits(type) > 0) {
        const gp::Type t = window_type(type);
        const int64_t mask = (int64_t{1} << bit_width(type)) - 1;
        return body_.unary(Code::Popcount, body_.binary(Code::And, in[0], integer(t, mask)));
      }
      return unary(type, Code::Popcount, in[0]);
    default:
      break;
  }
  if (in.size() == 2) return arithmetic(type, op.kind, in[0], in[1]);
  // The absolute value and sign of what has no sign are plain.
  return unary(type, *plain_code(op), in[0]);
}

}  // namespace trainyard::compiler
