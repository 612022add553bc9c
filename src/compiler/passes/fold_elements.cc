#include "compiler/passes/fold_elements.h"

#include <bit>
#include <cmath>

#include "compiler/ir/element_value.h"
#include "compiler/passes/emit.h"

namespace trainyard::compiler {
namespace {

uint64_t mask_of(ElementType type) {
  const int width = is_boolean(type) ? 1 : bit_width(type);
  return width >= 64 ? ~uint64_t{0} : (uint64_t{1} << width) - 1;
}

template <class T>
bool ordered(CompareAttributes::Direction direction, T a, T b) {
  switch (direction) {
    case CompareAttributes::Direction::Eq:
      return a == b;
    case CompareAttributes::Direction::Ne:
      return a != b;
    case CompareAttributes::Direction::Ge:
      return a >= b;
    case CompareAttributes::Direction::Gt:
      return a > b;
    case CompareAttributes::Direction::Le:
      return a <= b;
    case CompareAttributes::Direction::Lt:
      return a < b;
  }
  return false;
}

// Division by zero gives all ones, a remainder by zero the dividend; the lowest number over -1
// wraps.
uint64_t divided(ElementType type, uint64_t a, uint64_t b, bool remainder) {
  if (b == 0) return remainder ? a : ~uint64_t{0};
  if (!is_signed_integer(type)) return remainder ? a % b : a / b;
  const int64_t x = to_integer(type, a);
  const int64_t y = to_integer(type, b);
  if (y == -1) return remainder ? 0 : uint64_t{0} - static_cast<uint64_t>(x);
  return static_cast<uint64_t>(remainder ? x % y : x / y);
}

uint64_t shifted(OpKind kind, ElementType type, uint64_t a, uint64_t by) {
  const auto width = static_cast<uint64_t>(bit_width(type));
  const bool all = by >= width;
  if (kind == OpKind::ShiftLeft) return all ? 0 : a << by;
  if (kind == OpKind::ShiftRightLogical) return all ? 0 : a >> by;
  const int64_t x = is_signed_integer(type)
                        ? to_integer(type, a)
                        : static_cast<int64_t>(a << (64 - width)) >> (64 - width);
  return static_cast<uint64_t>(x >> (all ? 63 : by));
}

std::optional<uint64_t> fold_integer(OpKind kind, ElementType type,
                                     std::span<const uint64_t> bits) {
  const uint64_t a = bits[0];
  const uint64_t b = bits.size() > 1 ? bits[1] : 0;
  const bool is_signed = is_signed_integer(type);
  const auto less = [&] { return is_signed ? to_integer(type, a) < to_integer(type, b) : a < b; };
  switch (kind) {
    case OpKind::Add:
      return is_boolean(type) ? a | b : a + b;
    case OpKind::Multiply:
      return is_boolean(type) ? a & b : a * b;
    case OpKind::Subtract:
      return a - b;
    case OpKind::Divide:
      return divided(type, a, b, false);
    case OpKind::Remainder:
      return divided(type, a, b, true);
    case OpKind::Maximum:
      return less() ? b : a;
    case OpKind::Minimum:
      return less() ? a : b;
    case OpKind::And:
      return a & b;
    case OpKind::Or:
      return a | b;
    case OpKind::Xor:
      return a ^ b;
    case OpKind::Not:
      return ~a;
    case OpKind::Negate:
      return uint64_t{0} - a;
    case OpKind::Abs:
      return is_signed && to_integer(type, a) < 0 ? uint64_t{0} - a : a;
    case OpKind::ShiftLeft:
    case OpKind::ShiftRightArithmetic:
    case OpKind::ShiftRightLogical:
      return shifted(kind, type, a, b);
    case OpKind::Popcnt:
      return static_cast<uint64_t>(std::popcount(a));
    case OpKind::CountLeadingZeros:
      return static_cast<uint64_t>(std::countl_zero(a) - (64 - bit_width(type)));
    default:
      return std::nullopt;
  }
}

template <class T>
std::optional<T> fold_float(OpKind kind, T a, T b) {
  switch (kind) {
    case OpKind::Add:
      return a + b;
    case OpKind::Subtract:
      return a - b;
    case OpKind::Multiply:
      return a * b;
    case OpKind::Divide:
      return a / b;
    case OpKind::Negate:
      return -a;
    case OpKind::Abs:
      return std::fabs(a);
    case OpKind::Sqrt:
      return std::sqrt(a);
    case OpKind::Floor:
      return std::floor(a);
    case OpKind::Ceil:
      return std::ceil(a);
    case OpKind::Maximum:
      return a < b ? b : a;
    case OpKind::Minimum:
      return b < a ? b : a;
    default:
      return std::nullopt;
  }
}

template <class T, class Bits>
std::optional<uint64_t> fold_float_bits(OpKind kind, std::span<const uint64_t> bits) {
  const T a = std::bit_cast<T>(static_cast<Bits>(bits[0]));
  const T b = bits.size() > 1 ? std::bit_cast<T>(static_cast<Bits>(bits[1])) : T{0};
  const bool zeros = (kind == OpKind::Maximum || kind == OpKind::Minimum) && a == 0 && b == 0;
  if (std::isnan(a) || std::isnan(b) || zeros) return std::nullopt;
  const std::optional<T> out = fold_float(kind, a, b);
  // The bits of a NaN are nobody's promise.
  if (!out || std::isnan(*out)) return std::nullopt;
  return std::bit_cast<Bits>(*out);
}

std::optional<uint64_t> fold_convert(ElementType in, ElementType out, uint64_t bits) {
  const bool from_integer = is_integer(in) || is_boolean(in);
  const bool to_truth = is_boolean(out);
  if (from_integer) {
    const int64_t value = is_boolean(in) ? static_cast<int64_t>(bits) : to_integer(in, bits);
    if (to_truth) return value != 0 ? 1 : 0;
    if (is_integer(out)) return static_cast<uint64_t>(value);
    const bool exact_double = std::abs(value) <= (int64_t{1} << 53) && in != ElementType::U64;
    if ((out != ElementType::F32 && out != ElementType::F64) || !exact_double) return std::nullopt;
    return bits_of(out, static_cast<double>(value));
  }
  if (!is_float(in)) return std::nullopt;
  const double value = to_double(in, bits);
  if (std::isnan(value)) return std::nullopt;
  if (to_truth) return value != 0 ? 1 : 0;
  if (out == ElementType::F64 || out == ElementType::F32) return bits_of(out, value);
  // One rounding only: f64 to a narrow type would round twice on the way through f32.
  const bool narrow = out == ElementType::BF16 || out == ElementType::F16;
  if (narrow && in != ElementType::F64) return bits_of(out, value);
  const double most = out == ElementType::I32 ? 2147483520.0 : 8388607.0;
  const bool fits = (out == ElementType::I32 || out == ElementType::I64) && std::fabs(value) < most;
  if (fits) return static_cast<uint64_t>(static_cast<int64_t>(value));
  return std::nullopt;
}

}  // namespace

std::optional<uint64_t> fold_element(const Op& op, ElementType in, ElementType out,
                                     std::span<const uint64_t> bits) {
  std::optional<uint64_t> result;
  if (op.kind == OpKind::Select) {
    return bits[0] != 0 ? bits[1] : bits[2];
  }
  if (op.kind == OpKind::Convert) {
    result = fold_convert(in, out, bits[0]);
  } else if (op.kind == OpKind::BitcastConvert) {
    if (bit_width(in) != bit_width(out)) return std::nullopt;
    result = bits[0];
  } else if (op.kind == OpKind::Compare) {
    const auto& compare = std::get<CompareAttributes>(op.attributes);
    if (compare.order == CompareAttributes::Order::TotalOrder) return std::nullopt;
    if (is_float(in)) {
      return ordered(compare.direction, to_double(in, bits[0]), to_double(in, bits[1])) ? 1 : 0;
    }
    if (!is_signed_integer(in)) return ordered(compare.direction, bits[0], bits[1]) ? 1 : 0;
    return ordered(compare.direction, to_integer(in, bits[0]), to_integer(in, bits[1])) ? 1 : 0;
  } else if (is_integer(in) || is_boolean(in)) {
    result = fold_integer(op.kind, in, bits);
  } else if (in == ElementType::F32) {
    result = fold_float_bits<float, uint32_t>(op.kind, bits);
  } else if (in == ElementType::F64) {
    result = fold_float_bits<double, uint64_t>(op.kind, bits);
  }
  if (!result) return std::nullopt;
  return *result & mask_of(out);
}

}  // namespace trainyard::compiler
