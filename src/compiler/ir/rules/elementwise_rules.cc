// Operations that work on each element alone.
#include "compiler/ir/rules/infer.h"

namespace trainyard::compiler {
namespace {

enum Accepts : unsigned {
  kBool = 1,
  kSigned = 2,
  kUnsigned = 4,
  kFloat = 8,
  kComplex = 16,
  kInt = kSigned | kUnsigned,
  kNumber = kInt | kFloat | kComplex,
  kReal = kInt | kFloat,
};

bool accepts(unsigned mask, ElementType type) {
  return ((mask & kBool) && is_boolean(type)) || ((mask & kSigned) && is_signed_integer(type)) ||
         ((mask & kUnsigned) && is_unsigned_integer(type)) || ((mask & kFloat) && is_float(type)) ||
         ((mask & kComplex) && is_complex(type));
}

std::string words(unsigned mask) {
  std::string text;
  const auto add = [&](unsigned bit, std::string_view word) {
    if ((mask & bit) != bit) return;
    text += (text.empty() ? "" : ", ") + std::string(word);
  };
  add(kBool, "i1");
  add(kSigned, "signed integers");
  add(kUnsigned, "unsigned integers");
  add(kFloat, "floats");
  add(kComplex, "complex");
  return text;
}

// The element types that an operation takes. [StableHLO specification, "Ops"]
unsigned accepted(OpKind kind) {
  switch (kind) {
    case OpKind::Abs:
    case OpKind::Sign:
      return kSigned | kFloat | kComplex;
    case OpKind::Add:
    case OpKind::Multiply:
    case OpKind::Maximum:
    case OpKind::Minimum:
      return kBool | kNumber;
    case OpKind::And:
    case OpKind::Or:
    case OpKind::Xor:
    case OpKind::Not:
      return kBool | kInt;
    case OpKind::ShiftLeft:
    case OpKind::ShiftRightArithmetic:
    case OpKind::ShiftRightLogical:
    case OpKind::Popcnt:
    case OpKind::CountLeadingZeros:
      return kInt;
    case OpKind::Ceil:
    case OpKind::Floor:
    case OpKind::RoundNearestAfz:
    case OpKind::RoundNearestEven:
    case OpKind::IsFinite:
    case OpKind::ReducePrecision:
      return kFloat;
    case OpKind::Complex:
    case OpKind::Real:
    case OpKind::Imag:
    case OpKind::Atan2:
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
      return kFloat | kComplex;
    case OpKind::Clamp:
    case OpKind::Compare:
    case OpKind::Select:
    case OpKind::Convert:
    case OpKind::BitcastConvert:
      return kBool | kNumber;
    default:  // subtract, multiply, divide, remainder, negate, power
      return kNumber;
  }
}

Status check_same(const OpView& view) {
  for (size_t i = 1; i < view.operands(); ++i) {
    if (view.operand(i) != view.operand(0)) {
      return view.wrong(kWrongShape, "operand 0 is {}, operand {} is {}; both must be the same",
                        str(view.operand(0)), i, str(view.operand(i)));
    }
  }
  return {};
}

Inferred with_element(const OpView& view, ElementType element) {
  return std::vector<Type>{tensor_of(element, view.operand(0).shape)};
}

Inferred infer_complex(const OpView& view) {
  TY_TRY(check_same(view));
  const ElementType part = view.operand(0).element;
  if (part == ElementType::F32) return with_element(view, ElementType::Complex64);
  if (part == ElementType::F64) return with_element(view, ElementType::Complex128);
  return view.wrong(kWrongElement, "the parts are {}, f32 or f64 is expected", name(part));
}

Inferred infer_compare(const OpView& view) {
  TY_TRY(check_same(view));
  using Direction = CompareAttributes::Direction;
  const Direction direction = view.attributes<CompareAttributes>().direction;
  const bool ordered = direction != Direction::Eq && direction != Direction::Ne;
  if (ordered && is_complex(view.operand(0).element)) {
    return view.wrong(kWrongElement, "complex numbers have no order; only EQ and NE apply");
  }
  return with_element(view, ElementType::I1);
}

Inferred infer_select(const OpView& view) {
  const TensorType& predicate = view.operand(0);
  const TensorType& value = view.operand(1);
  if (predicate.element != ElementType::I1) {
    return view.wrong(kWrongElement, "the predicate is {}, i1 is expected", str(predicate));
  }
  if (value != view.operand(2)) {
    return view.wrong(kWrongShape, "the choices are {} and {}; both must be the same", str(value),
                      str(view.operand(2)));
  }
  if (!predicate.is_scalar() && predicate.shape != value.shape) {
    return view.wrong(kWrongShape, "the predicate is {}, the choices are {}", str(predicate),
                      str(value));
  }
  return std::vector<Type>{value};
}

Inferred infer_clamp(const OpView& view) {
  const TensorType& value = view.operand(1);
  for (const size_t bound : {size_t{0}, size_t{2}}) {
    const TensorType& type = view.operand(bound);
    if (type.element != value.element || (!type.is_scalar() && type.shape != value.shape)) {
      return view.wrong(kWrongShape, "the bound {} does not fit the operand {}", str(type),
                        str(value));
    }
  }
  return std::vector<Type>{value};
}

// Narrower elements add a last dimension, wider ones consume it.
Inferred infer_bitcast(const OpView& view) {
  const TensorType& from = view.operand(0);
  const TensorType& to = view.result(0);
  const int from_bits = bit_width(from.element);
  const int to_bits = bit_width(to.element);
  Dims long_shape = from_bits > to_bits ? to.shape : from.shape;
  const Dims& short_shape = from_bits > to_bits ? from.shape : to.shape;
  if (from_bits != to_bits) {
    const int wide = std::max(from_bits, to_bits);
    const int narrow = std::min(from_bits, to_bits);
    if (wide % narrow != 0 || long_shape.empty() || long_shape.back() != wide / narrow) {
      return view.wrong(kWrongShape, "{} cannot be seen as {}", str(from), str(to));
    }
    long_shape.pop_back();
  }
  if (long_shape != short_shape || is_complex(from.element) != is_complex(to.element)) {
    return view.wrong(kWrongShape, "{} cannot be seen as {}", str(from), str(to));
  }
  return std::vector<Type>{to};
}

Inferred infer_reduce_precision(const OpView& view) {
  const auto& a = view.attributes<ReducePrecisionAttributes>();
  if (a.exponent_bits < 1 || a.mantissa_bits < 0) {
    return view.wrong(kWrongAttribute, "a format with {} exponent and {} mantissa bits",
                      a.exponent_bits, a.mantissa_bits);
  }
  return std::vector<Type>{view.operand(0)};
}

}  // namespace

Inferred infer_elementwise(const OpView& view) {
  const OpKind kind = view.op.kind;
  const ElementType element = view.operand(kind == OpKind::Select ? 1 : 0).element;
  if (!accepts(accepted(kind), element)) {
    return view.wrong(kWrongElement, "operand is {}; it takes {}", name(element),
                      words(accepted(kind)));
  }
  switch (kind) {
    case OpKind::Complex:
      return infer_complex(view);
    case OpKind::Compare:
      return infer_compare(view);
    case OpKind::Select:
      return infer_select(view);
    case OpKind::Clamp:
      return infer_clamp(view);
    case OpKind::BitcastConvert:
      return infer_bitcast(view);
    case OpKind::ReducePrecision:
      return infer_reduce_precision(view);
    case OpKind::Convert:
      return with_element(view, view.result(0).element);
    case OpKind::IsFinite:
      return with_element(view, ElementType::I1);
    case OpKind::Real:
    case OpKind::Imag:
    case OpKind::Abs:
      return with_element(view, complex_part(element));
    default:
      TY_TRY(check_same(view));
      return std::vector<Type>{view.operand(0)};
  }
}

}  // namespace trainyard::compiler
