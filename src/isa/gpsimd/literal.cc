#include "isa/gpsimd/literal.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include "numerics/convert.h"

namespace trainyard::isa::gpsimd {
namespace {

uint64_t narrow_bits(Type type, float value) {
  uint16_t bits = 0;
  numerics::from_f32(type == Type::F16 ? numerics::Dtype::F16 : numerics::Dtype::BF16, value,
                     &bits);
  return bits;
}

}  // namespace

uint64_t integer_bits(Type type, int64_t value) {
  if (type == Type::I1) return value != 0;
  const int64_t width = 8 * size_of(type);
  const auto bits = static_cast<uint64_t>(value);
  return width == 64 ? bits : bits & ((uint64_t{1} << width) - 1);
}

float round_to_odd(double value) {
  const auto nearest = static_cast<float>(value);
  // An overflow to infinity must stay below it, or it would not round like a large finite number;
  // 16-bit formats overflow from there all the same.
  if (std::isnan(value) || static_cast<double>(nearest) == value) return nearest;
  auto bits = std::bit_cast<uint32_t>(nearest);
  if ((bits & 1) != 0) return nearest;
  const bool too_far = std::fabs(static_cast<double>(nearest)) > std::fabs(value);
  return std::bit_cast<float>(too_far ? bits - 1 : bits + 1);
}

uint64_t real_bits(Type type, double value) {
  if (type == Type::F64) return std::bit_cast<uint64_t>(value);
  if (type == Type::F32) return std::bit_cast<uint32_t>(static_cast<float>(value));
  return narrow_bits(type, round_to_odd(value));
}

std::string print_literal(Type type, uint64_t bits) {
  if (type == Type::I1 || is_unsigned(type)) return fmt::format("{}", bits);
  if (is_signed(type)) {
    const auto shift = static_cast<int>(64 - 8 * size_of(type));
    return fmt::format("{}", static_cast<int64_t>(bits << shift) >> shift);
  }
  std::string text;
  if (type == Type::F64) {
    const double v = std::bit_cast<double>(bits);
    if (!std::isfinite(v)) return fmt::format("bits {:#x}", bits);
    text = fmt::format("{}", v);
  } else {
    const auto narrow = static_cast<uint16_t>(bits);
    const float v = type == Type::F32   ? std::bit_cast<float>(static_cast<uint32_t>(bits))
                    : type == Type::F16 ? numerics::to_f32(numerics::Dtype::F16, &narrow)
                                        : numerics::to_f32(numerics::Dtype::BF16, &narrow);
    if (!std::isfinite(v)) return fmt::format("bits {:#x}", bits);
    text = fmt::format("{}", v);
  }
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

std::optional<uint64_t> parse_real(Type type, std::string_view text) {
  const char* const end = text.data() + text.size();
  if (type == Type::F64) {
    double v = 0;
    const auto [at, ec] = std::from_chars(text.data(), end, v);
    if (ec != std::errc() || at != end) return std::nullopt;
    return std::bit_cast<uint64_t>(v);
  }
  if (type == Type::F32) {
    float v = 0;
    const auto [at, ec] = std::from_chars(text.data(), end, v);
    if (ec != std::errc() || at != end) return std::nullopt;
    return std::bit_cast<uint32_t>(v);
  }
  double v = 0;
  const auto [at, ec] = std::from_chars(text.data(), end, v);
  if (ec != std::errc() || at != end) return std::nullopt;
  return narrow_bits(type, round_to_odd(v));
}

}  // namespace trainyard::isa::gpsimd
