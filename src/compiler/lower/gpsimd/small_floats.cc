// 8-bit floats as bytes: to f32 and back by integer arithmetic, exactly.
#include <cmath>
#include <limits>
#include <optional>

#include "compiler/lower/gpsimd/emitter.h"

namespace trainyard::compiler {

using gp::Code;

namespace {

struct SmallFloat {
  int mantissa;  // bits
  int bias;
  int64_t infinity;   // the first magnitude that is no finite number
  bool has_infinity;  // else that magnitude is NaN
  int64_t nan;        // the magnitude of NaN
};

std::optional<SmallFloat> small_float(ElementType type) {
  switch (type) {
    case ElementType::F8E3M4:
      return SmallFloat{4, 3, 0x70, true, 0x78};
    case ElementType::F8E4M3:
      return SmallFloat{3, 7, 0x78, true, 0x7C};
    case ElementType::F8E4M3FN:
      return SmallFloat{3, 7, 0x7F, false, 0x7F};
    case ElementType::F8E5M2:
      return SmallFloat{2, 15, 0x7C, true, 0x7E};
    default:
      return std::nullopt;
  }
}

constexpr int kMantissa = 23;  // of f32
constexpr int kBias = 127;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double power_of_two(int n) { return std::ldexp(1.0, n); }

}  // namespace

gp::ValueId Emitter::widened(ElementType type, gp::ValueId x) {
  const std::optional<SmallFloat> format = small_float(type);
  if (!format) return x;
  const auto u32 = [&](int64_t v) { return integer(gp::Type::U32, v); };
  const auto both = [&](Code code, gp::ValueId a, gp::ValueId b) {
    return body_.binary(code, a, b);
  };
  const gp::ValueId bits = body_.convert(x, gp::Type::U32);
  const gp::ValueId magnitude = both(Code::And, bits, u32(0x7F));
  // Denormals are counted in units of the least one: as fields of f32 they would be denormal, too,
  // and a core that takes denormals for zero would lose them.
  const gp::ValueId fields = both(Code::Shl, magnitude, u32(kMantissa - format->mantissa));
  const int64_t rebias = int64_t{kBias - format->bias} << kMantissa;
  const gp::ValueId normal = body_.bitcast(both(Code::Add, fields, u32(rebias)), gp::Type::F32);
  const gp::ValueId denormal =
      both(Code::Mul, body_.convert(magnitude, gp::Type::F32),
           real(gp::Type::F32, power_of_two(1 - format->bias - format->mantissa)));
  const gp::ValueId is_normal = both(Code::Ge, magnitude, u32(int64_t{1} << format->mantissa));
  gp::ValueId y = body_.select(is_normal, normal, denormal);
  if (format->has_infinity) {
    const gp::ValueId infinite = both(Code::Eq, magnitude, u32(format->infinity));
    y = body_.select(infinite, real(gp::Type::F32, kInfinity), y);
  }
  const Code above = format->has_infinity ? Code::Gt : Code::Ge;
  y = body_.select(both(above, magnitude, u32(format->infinity)), real(gp::Type::F32, kNan), y);
  const gp::ValueId sign = both(Code::Shl, both(Code::And, bits, u32(0x80)), u32(24));
  const gp::ValueId signed_bits = both(Code::Or, body_.bitcast(y, gp::Type::U32), sign);
  return body_.bitcast(signed_bits, gp::Type::F32);
}

gp::ValueId Emitter::narrowed(ElementType type, gp::ValueId x) {
  const std::optional<SmallFloat> format = small_float(type);
  if (!format) return x;
  const auto u32 = [&](int64_t v) { return integer(gp::Type::U32, v); };
  const auto both = [&](Code code, gp::ValueId a, gp::ValueId b) {
    return body_.binary(code, a, b);
  };
  const int drop = kMantissa - format->mantissa;
  const gp::ValueId bits = body_.bitcast(x, gp::Type::U32);
  const gp::ValueId size = body_.unary(Code::Abs, x);
  const gp::ValueId magnitude = body_.bitcast(size, gp::Type::U32);
  // Normal numbers: half of the last place and the last bit kept make ties go to even.
  const gp::ValueId last = both(Code::And, both(Code::Shr, magnitude, u32(drop)), u32(1));
  const gp::ValueId half = both(Code::Add, last, u32((int64_t{1} << (drop - 1)) - 1));
  const gp::ValueId rounded = both(Code::Shr, both(Code::Add, magnitude, half), u32(drop));
  const int64_t rebias = int64_t{kBias - format->bias} << format->mantissa;
  const gp::ValueId normal = both(Code::Sub, rounded, u32(rebias));
  // Denormals: an addition whose last place is theirs rounds them.
  const double magic = power_of_two(1 - format->bias + drop);
  const gp::ValueId shifted = both(Code::Add, size, real(gp::Type::F32, magic));
  const gp::ValueId denormal = both(Code::Sub, body_.bitcast(shifted, gp::Type::U32),
                                    body_.bitcast(real(gp::Type::F32, magic), gp::Type::U32));
  const gp::ValueId smallest = real(gp::Type::F32, power_of_two(1 - format->bias));
  gp::ValueId y = body_.select(both(Code::Lt, size, smallest), denormal, normal);
  const gp::ValueId too_large =
      both(Code::Ge, size, real(gp::Type::F32, power_of_two(format->bias + 2)));
  const gp::ValueId over = both(Code::Or, both(Code::Ge, y, u32(format->infinity)), too_large);
  y = body_.select(over, u32(format->infinity), y);
  y = body_.select(both(Code::Ne, x, x), u32(format->nan), y);
  const gp::ValueId sign = both(Code::And, both(Code::Shr, bits, u32(24)), u32(0x80));
  return body_.convert(both(Code::Or, y, sign), gp::Type::U8);
}

}  // namespace trainyard::compiler
