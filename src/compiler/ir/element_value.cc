#include "compiler/ir/element_value.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/check.h"

namespace trainyard::compiler {
namespace {

// How a small float is laid out. `Ieee` has infinities and NaNs in the top exponent; `Fn` has one
// NaN pattern (all ones) and no infinity; `FnUz` has NaN at minus zero; `Finite` has neither.
enum class Special : uint8_t { Ieee, Fn, FnUz, Finite };
struct FloatLayout {
  int exponent_bits;
  int mantissa_bits;
  int bias;
  Special special;
};

FloatLayout layout(ElementType type) {
  switch (type) {
    case ElementType::F4E2M1FN:
      return {2, 1, 1, Special::Finite};
    case ElementType::F6E2M3FN:
      return {2, 3, 1, Special::Finite};
    case ElementType::F6E3M2FN:
      return {3, 2, 3, Special::Finite};
    case ElementType::F8E3M4:
      return {3, 4, 3, Special::Ieee};
    case ElementType::F8E4M3:
      return {4, 3, 7, Special::Ieee};
    case ElementType::F8E4M3FN:
      return {4, 3, 7, Special::Fn};
    case ElementType::F8E4M3FNUZ:
      return {4, 3, 8, Special::FnUz};
    case ElementType::F8E4M3B11FNUZ:
      return {4, 3, 11, Special::FnUz};
    case ElementType::F8E5M2:
      return {5, 2, 15, Special::Ieee};
    case ElementType::F8E5M2FNUZ:
      return {5, 2, 16, Special::FnUz};
    case ElementType::BF16:
      return {8, 7, 127, Special::Ieee};
    case ElementType::F16:
      return {5, 10, 15, Special::Ieee};
    case ElementType::TF32:
      return {8, 10, 127, Special::Ieee};
    default:
      return {8, 23, 127, Special::Ieee};
  }
}

double small_float(FloatLayout form, uint64_t bits) {
  const uint64_t mantissa_mask = (uint64_t{1} << form.mantissa_bits) - 1;
  const uint64_t exponent_mask = (uint64_t{1} << form.exponent_bits) - 1;
  const uint64_t mantissa = bits & mantissa_mask;
  const uint64_t exponent = (bits >> form.mantissa_bits) & exponent_mask;
  const bool negative = (bits >> (form.mantissa_bits + form.exponent_bits)) & 1;
  const double sign = negative ? -1.0 : 1.0;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  if (form.special == Special::Ieee && exponent == exponent_mask) {
    return mantissa ? nan : sign * std::numeric_limits<double>::infinity();
  }
  if (form.special == Special::Fn && exponent == exponent_mask && mantissa == mantissa_mask) {
    return nan;
  }
  if (form.special == Special::FnUz && negative && exponent == 0 && mantissa == 0) return nan;
  const bool normal = exponent != 0;
  const double fraction = static_cast<double>(mantissa + (normal ? mantissa_mask + 1 : 0));
  const int scale = static_cast<int>(normal ? exponent : 1) - form.bias - form.mantissa_bits;
  return sign * std::ldexp(fraction, scale);
}

uint64_t bits_at(const std::vector<uint8_t>& bytes, size_t offset, size_t size) {
  TY_CHECK(size <= 8 && offset + size <= bytes.size());
  uint64_t bits = 0;
  for (size_t i = 0; i < size; ++i) bits |= static_cast<uint64_t>(bytes[offset + i]) << (8 * i);
  return bits;
}

std::string scalar_text(ElementType type, uint64_t bits) {
  if (is_boolean(type)) return bits ? "true" : "false";
  if (type == ElementType::U64) return std::to_string(bits);
  if (is_integer(type) || type == ElementType::Index) return std::to_string(to_integer(type, bits));
  if (!is_float(type)) return fmt::format("0x{:X}", bits);
  if (type == ElementType::F32)
    return fmt::format("{}", std::bit_cast<float>(static_cast<uint32_t>(bits)));
  return fmt::format("{}", to_double(type, bits));
}

uint64_t checksum(const std::vector<uint8_t>& bytes) {  // FNV-1a
  uint64_t hash = 0xCBF29CE484222325;
  for (const uint8_t byte : bytes) hash = (hash ^ byte) * 0x100000001B3;
  return hash;
}

}  // namespace

double to_double(ElementType type, uint64_t bits) {
  if (type == ElementType::F64) return std::bit_cast<double>(bits);
  if (type == ElementType::F32) return std::bit_cast<float>(static_cast<uint32_t>(bits));
  if (type == ElementType::F8E8M0FNU) {
    const int exponent = static_cast<int>(bits & 0xFF);
    if (exponent == 0xFF) return std::numeric_limits<double>::quiet_NaN();
    return std::ldexp(1.0, exponent - 127);
  }
  return small_float(layout(type), bits);
}

int64_t to_integer(ElementType type, uint64_t bits) {
  const int width = is_boolean(type) ? 1 : bit_width(type);
  if (width >= 64 || width == 0) return static_cast<int64_t>(bits);
  const uint64_t mask = (uint64_t{1} << width) - 1;
  bits &= mask;
  const bool negative = is_signed_integer(type) && ((bits >> (width - 1)) & 1);
  return static_cast<int64_t>(negative ? bits | ~mask : bits);
}

uint64_t element_bits(const Constant& constant, int64_t index) {
  const size_t size = static_cast<size_t>(byte_size(constant.type.element));
  return bits_at(constant.bytes, constant.splat ? 0 : static_cast<size_t>(index) * size, size);
}

std::string element_text(const Constant& constant, int64_t index) {
  const ElementType type = constant.type.element;
  if (!is_complex(type)) return scalar_text(type, element_bits(constant, index));
  const ElementType part = complex_part(type);
  const size_t size = static_cast<size_t>(byte_size(part));
  const size_t start = constant.splat ? 0 : static_cast<size_t>(index) * 2 * size;
  return fmt::format("({}, {})", scalar_text(part, bits_at(constant.bytes, start, size)),
                     scalar_text(part, bits_at(constant.bytes, start + size, size)));
}

std::string str(const Constant& constant) {
  constexpr int64_t kShort = 16;
  constexpr int64_t kShown = 4;
  if (constant.splat) return "dense<" + element_text(constant, 0) + ">";
  const int64_t count = constant.type.elements().value_or(0);
  const bool is_short = count <= kShort;
  std::string text = "dense<";
  if (!constant.type.is_scalar()) text += "[";
  for (int64_t i = 0; i < (is_short ? count : kShown); ++i) {
    if (i > 0) text += ", ";
    text += element_text(constant, i);
  }
  if (!is_short)
    text += fmt::format(", ... {} elements, fnv {:016x}", count, checksum(constant.bytes));
  if (!constant.type.is_scalar()) text += "]";
  return text + ">";
}

}  // namespace trainyard::compiler
