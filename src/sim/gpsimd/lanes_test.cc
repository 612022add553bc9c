// Every element-wise operation in every type against plain scalar code: __int128 for integers,
// long double and a table of all codes for 16-bit floats.
#include "sim/gpsimd/lanes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "isa/gpsimd/literal.h"
#include "sim/gpsimd/test_call.h"

namespace trainyard::sim::gpsimd {
namespace {

using Wide = __int128;
using Real = long double;

int width(Type t) { return t == Type::I1 ? 1 : static_cast<int>(8 * size_of(t)); }
uint64_t mask(Type t) { return width(t) == 64 ? ~uint64_t{0} : (uint64_t{1} << width(t)) - 1; }

Wide integer_of(Type t, uint64_t bits) {
  if (is_signed(t) && (bits >> (width(t) - 1) & 1) != 0) return Wide(bits) - (Wide(1) << width(t));
  return Wide(bits);
}

// The value of a 16-bit float from its fields.
Real half_value(Type t, uint64_t bits) {
  const int mantissa_bits = t == Type::F16 ? 10 : 7;
  const int exponent_bits = 15 - mantissa_bits;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const auto mantissa = static_cast<Real>(bits & ((1u << mantissa_bits) - 1));
  const int exponent = static_cast<int>(bits >> mantissa_bits & ((1u << exponent_bits) - 1));
  const Real sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == (1 << exponent_bits) - 1) {
    return mantissa != 0 ? std::numeric_limits<Real>::quiet_NaN() : sign * HUGE_VALL;
  }
  const Real one = std::ldexp(Real{1}, mantissa_bits);
  const Real whole = exponent == 0 ? mantissa : mantissa + one;
  return sign * std::ldexp(whole, std::max(exponent, 1) - bias - mantissa_bits);
}

Real real_of(Type t, uint64_t bits) {
  if (t == Type::F64) return std::bit_cast<double>(bits);
  if (t == Type::F32) return std::bit_cast<float>(static_cast<uint32_t>(bits));
  return half_value(t, bits);
}

// Nearest even among all codes of a 16-bit float.
uint64_t nearest_half(Type t, Real x) {
  const uint64_t sign = std::signbit(x) ? 0x8000 : 0;
  const uint64_t infinity = t == Type::F16 ? 0x7C00 : 0x7F80;
  x = std::fabs(x);
  uint64_t low = 0, high = infinity;
  const Real top = half_value(t, infinity - 1);
  const Real beyond = top + (top - half_value(t, infinity - 2));
  const auto value = [&](uint64_t c) { return c == infinity ? beyond : half_value(t, c); };
  if (x >= beyond) return sign | infinity;
  while (high - low > 1) {
    const uint64_t middle = (low + high) / 2;
    (value(middle) <= x ? low : high) = middle;
  }
  const Real down = x - value(low), up = value(high) - x;
  return sign | (down < up || (down == up && low % 2 == 0) ? low : high);
}

uint64_t bits_of(Type t, Real x) {
  if (std::isnan(x)) {
    return t == Type::F64   ? 0x7FF8000000000000
           : t == Type::F32 ? 0x7FC00000
           : t == Type::F16 ? 0x7E00
                            : 0x7FC0;
  }
  if (t == Type::F64) return std::bit_cast<uint64_t>(static_cast<double>(x));
  if (t == Type::F32) return std::bit_cast<uint32_t>(static_cast<float>(x));
  return nearest_half(t, x);
}

std::vector<uint64_t> samples(Type t, size_t n, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<uint64_t> out;
  for (size_t i = 0; i < n; ++i) {
    uint64_t bits = random() & mask(t);
    if (i % 5 == 1) bits = (random() % 5 - 2) & mask(t);
    if (i % 5 == 2) bits = (mask(t) >> 1) + random() % 3;
    if (i % 5 == 3 && is_float(t)) {
      const double special[] = {0.0,   -0.0, 1.0, -1.5,     2.5,       1e30,
                                1e-30, 0.5,  3.0, HUGE_VAL, -HUGE_VAL, std::nan("")};
      bits = real_bits(t, special[random() % 12]);
    }
    if (i % 5 == 4 && is_float(t)) bits = real_bits(t, std::ldexp(double(random() % 999), -4));
    out.push_back(bits & mask(t));
  }
  return out;
}

Wide integer_result(Code code, Type t, Wide a, Wide b, uint64_t count) {
  const int w = width(t);
  const Wide raw = a & Wide(mask(t));
  switch (code) {
    case Code::Add:
      return a + b;
    case Code::Sub:
      return a - b;
    case Code::Mul:
      return Wide(static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b));
    case Code::Div:
      return b == 0 ? Wide(-1) : a / b;
    case Code::Rem:
      return b == 0 ? a : a % b;
    case Code::Min:
      return std::min(a, b);
    case Code::Max:
      return std::max(a, b);
    case Code::And:
      return a & b;
    case Code::Or:
      return a | b;
    case Code::Xor:
      return a ^ b;
    case Code::Shl:
      return count >= uint64_t(w) ? 0 : Wide(static_cast<unsigned __int128>(raw) << count);
    case Code::Shr:
      return count >= uint64_t(w) ? 0 : raw >> count;
    case Code::Sar: {
      const Wide s = (raw >> (w - 1) & 1) != 0 ? raw - (Wide(1) << w) : raw;
      return s >> std::min<uint64_t>(count, 100);
    }
    case Code::Neg:
      return -a;
    case Code::Abs:
      return a < 0 ? -a : a;
    case Code::Not:
      return ~a;
    case Code::Sign:
      return a > 0 ? 1 : a < 0 ? -1 : 0;
    case Code::Popcount:
    case Code::Clz: {
      int ones = 0, zeros = 0;
      for (int i = 0; i < w; ++i) ones += static_cast<int>(raw >> i & 1);
      while (zeros < w && (raw >> (w - 1 - zeros) & 1) == 0) ++zeros;
      return code == Code::Popcount ? ones : zeros;
    }
    default:
      ADD_FAILURE();
      return 0;
  }
}

Real float_result(Code code, Type t, Real a, Real b) {
  const Real nan = std::numeric_limits<Real>::quiet_NaN();
  // long double would round twice.
  if (t == Type::F64 && code == Code::Add) return double(a) + double(b);
  if (t == Type::F64 && code == Code::Sub) return double(a) - double(b);
  if (t == Type::F64 && code == Code::Mul) return double(a) * double(b);
  if (t == Type::F64 && code == Code::Div) return double(a) / double(b);
  if (t == Type::F32 && code == Code::Add) return float(a) + float(b);
  if (t == Type::F32 && code == Code::Sub) return float(a) - float(b);
  switch (code) {
    case Code::Add:
      return a + b;
    case Code::Sub:
      return a - b;
    case Code::Mul:
      return a * b;
    case Code::Div:
      return a / b;
    case Code::Rem:
      return std::fmod(a, b);
    case Code::Min:
    case Code::Max: {
      if (std::isnan(a) || std::isnan(b)) return nan;
      if (a == 0 && b == 0) {
        const bool negative = code == Code::Min ? std::signbit(a) || std::signbit(b)
                                                : std::signbit(a) && std::signbit(b);
        return negative ? Real{-0.0} : Real{0.0};
      }
      return code == Code::Min ? std::min(a, b) : std::max(a, b);
    }
    case Code::Round:
      return std::rint(a);
    case Code::RoundAway:
      return std::round(a);
    case Code::Floor:
      return std::floor(a);
    case Code::Ceil:
      return std::ceil(a);
    case Code::Sign:
      return a > 0 ? 1 : a < 0 ? -1 : a;
    default:
      ADD_FAILURE();
      return 0;
  }
}

// The lanes as one call and as calls of one, which must agree.
std::vector<uint64_t> lanes(const LaneOp& op, const std::vector<std::vector<uint64_t>>& in,
                            const std::vector<Type>& types) {
  const size_t n = in[0].size();
  std::vector<std::vector<std::byte>> packed(3);
  for (size_t k = 0; k < in.size(); ++k) {
    packed[k].resize(n * size_of(types[k]));
    for (size_t i = 0; i < n; ++i) {
      std::memcpy(packed[k].data() + i * size_of(types[k]), &in[k][i], size_of(types[k]));
    }
  }
  const int64_t size = size_of(op.out);
  std::vector<std::byte> out(n * size), single(n * size);
  apply(op, packed[0].data(), packed[1].data(), packed[2].data(), out.data(), n);
  const auto at = [&](size_t k, size_t i) {
    return k < types.size() ? packed[k].data() + i * size_of(types[k]) : nullptr;
  };
  for (size_t i = 0; i < n; ++i) {
    apply(op, at(0, i), at(1, i), at(2, i), single.data() + i * size, 1);
  }
  EXPECT_EQ(out, single) << name(op.code) << " depends on its neighbours";
  std::vector<uint64_t> bits(n, 0);
  for (size_t i = 0; i < n; ++i) std::memcpy(&bits[i], out.data() + i * size, size);
  return bits;
}

constexpr size_t kSamples = 1000;

TEST(GpsimdLanes, IntegersAreThoseOfPlainArithmetic) {
  for (int c = 0; c < kCodeCount; ++c) {
    const auto code = static_cast<Code>(c);
    if (form(code) != Form::Binary && form(code) != Form::Unary) continue;
    const bool rounds =
        code == Code::Round || code == Code::RoundAway || code == Code::Floor || code == Code::Ceil;
    for (int t = 0; t <= static_cast<int>(Type::U64) && !rounds; ++t) {
      const auto type = static_cast<Type>(t);
      const bool logic = code == Code::And || code == Code::Or || code == Code::Xor ||
                         code == Code::Not || code == Code::Min || code == Code::Max;
      if (type == Type::I1 && !logic) continue;
      const auto a = samples(type, kSamples, c), b = samples(type, kSamples, c + 99);
      const auto y = lanes({code, type, type}, {a, b}, {type, type});
      for (size_t i = 0; i < kSamples; ++i) {
        const Wide want =
            integer_result(code, type, integer_of(type, a[i]), integer_of(type, b[i]), b[i]);
        ASSERT_EQ(y[i], uint64_t(want) & mask(type))
            << name(code) << " " << name(type) << " " << a[i] << " " << b[i];
      }
    }
  }
}

TEST(GpsimdLanes, FloatsAreRoundedOnce) {
  for (int c = 0; c < kCodeCount; ++c) {
    const auto code = static_cast<Code>(c);
    if (form(code) != Form::Binary && form(code) != Form::Unary) continue;
    const bool bitwise = (code >= Code::And && code <= Code::Sar) || code == Code::Not ||
                         code == Code::Popcount || code == Code::Clz;
    if (bitwise) continue;
    for (const Type type : {Type::F16, Type::BF16, Type::F32, Type::F64}) {
      const auto a = samples(type, kSamples, c), b = samples(type, kSamples, c + 99);
      const auto y = lanes({code, type, type}, {a, b}, {type, type});
      const uint64_t sign = uint64_t{1} << (width(type) - 1);
      for (size_t i = 0; i < kSamples; ++i) {
        const uint64_t want =
            code == Code::Neg ? a[i] ^ sign
            : code == Code::Abs
                ? a[i] & ~sign
                : bits_of(type, float_result(code, type, real_of(type, a[i]), real_of(type, b[i])));
        ASSERT_EQ(y[i], want) << name(code) << " " << name(type) << " " << a[i] << " " << b[i];
      }
    }
  }
}

TEST(GpsimdLanes, FmaRoundsOnce) {
  for (const Type type : {Type::F16, Type::BF16, Type::F32, Type::F64}) {
    const auto a = samples(type, kSamples, 1), b = samples(type, kSamples, 2);
    const auto c = samples(type, kSamples, 3);
    const auto y = lanes({Code::Fma, type, type}, {a, b, c}, {type, type, type});
    for (size_t i = 0; i < kSamples; ++i) {
      const Real p = real_of(type, a[i]), q = real_of(type, b[i]), r = real_of(type, c[i]);
      uint64_t want = 0;
      if (type == Type::F64) {
        want = bits_of(type, std::fma(double(p), double(q), double(r)));
      } else if (type == Type::F32) {
        want = bits_of(type, std::fma(float(p), float(q), float(r)));
      } else {
        // What the sum lost moves it off a tie.
        Real sum = p * q + r;
        const Real part = sum - p * q;
        const Real lost = (p * q - (sum - part)) + (r - part);
        if (std::isfinite(sum) && lost != 0)
          sum = std::nextafter(sum, lost > 0 ? HUGE_VALL : -HUGE_VALL);
        want = bits_of(type, sum);
      }
      ASSERT_EQ(y[i], want) << name(type) << " " << a[i] << " " << b[i] << " " << c[i];
    }
  }
  // 1.5 * (1 + 2^-7) - 2^-126 lies just below a tie of bf16 whose even side is above.
  const auto y = lanes({Code::Fma, Type::BF16, Type::BF16}, {{0x3F81}, {0x3FC0}, {0x8080}},
                       {Type::BF16, Type::BF16, Type::BF16});
  EXPECT_EQ(y[0], 0x3FC1u);
}

TEST(GpsimdLanes, ComparesFollowIeeeAndTheTotalOrder) {
  for (int t = 0; t < kTypeCount; ++t) {
    const auto type = static_cast<Type>(t);
    const auto a = samples(type, kSamples, 5), b = samples(type, kSamples, 6);
    for (int c = static_cast<int>(Code::Eq); c <= static_cast<int>(Code::IsFinite); ++c) {
      const auto code = static_cast<Code>(c);
      if (c > static_cast<int>(Code::Ge) && !is_float(type)) continue;
      const auto y = lanes({code, type, Type::I1}, {a, b}, {type, type});
      for (size_t i = 0; i < kSamples; ++i) {
        const auto with = [&](auto p, auto q) {
          switch (code) {
            case Code::Eq:
            case Code::EqTotal:
              return p == q;
            case Code::Ne:
            case Code::NeTotal:
              return p != q;
            case Code::Lt:
            case Code::LtTotal:
              return p < q;
            case Code::Le:
            case Code::LeTotal:
              return p <= q;
            case Code::Gt:
            case Code::GtTotal:
              return p > q;
            default:
              return p >= q;
          }
        };
        bool want = false;
        if (code == Code::IsFinite) {
          want = std::isfinite(real_of(type, a[i]));
        } else if (code >= Code::EqTotal) {
          const auto key = [&](uint64_t bits) {  // sign and magnitude as a number
            const auto magnitude = static_cast<Wide>(bits & (mask(type) >> 1));
            return bits >> (width(type) - 1) != 0 ? -magnitude - 1 : magnitude;
          };
          want = with(key(a[i]), key(b[i]));
        } else if (is_float(type)) {
          want = with(real_of(type, a[i]), real_of(type, b[i]));
        } else {
          want = with(integer_of(type, a[i]), integer_of(type, b[i]));
        }
        ASSERT_EQ(y[i], want ? 1u : 0u) << name(code) << " " << name(type);
      }
    }
  }
}

uint64_t converted(Type from, Type to, uint64_t bits) {
  if (from == to) return bits;
  if (!is_float(from) && !is_float(to)) {
    const Wide v = integer_of(from, bits);
    return to == Type::I1 ? v != 0 : uint64_t(v) & mask(to);
  }
  if (is_float(from) && is_float(to)) return bits_of(to, real_of(from, bits));
  if (is_float(to)) {
    const Wide v = integer_of(from, bits);  // a long double holds 64 bits
    if (to == Type::F64 || to == Type::F32) return bits_of(to, Real(v));
    return nearest_half(to, Real(v));
  }
  const Real x = real_of(from, bits);
  if (to == Type::I1) return !(x == 0);
  if (std::isnan(x)) return 0;
  const Wide most = is_signed(to) ? Wide(mask(to) >> 1) : Wide(mask(to));
  const Wide least = is_signed(to) ? -most - 1 : 0;
  if (x >= Real(most)) return uint64_t(most);
  if (x <= Real(least)) return uint64_t(least) & mask(to);
  return uint64_t(Wide(std::trunc(x))) & mask(to);
}

TEST(GpsimdLanes, ConversionsRoundOnceTruncateAndSaturate) {
  for (int f = 0; f < kTypeCount; ++f) {
    for (int t = 0; t < kTypeCount; ++t) {
      const auto from = static_cast<Type>(f), to = static_cast<Type>(t);
      const auto a = samples(from, kSamples, f);
      const auto y = lanes({Code::Convert, from, to}, {a}, {from});
      for (size_t i = 0; i < kSamples; ++i) {
        ASSERT_EQ(y[i], converted(from, to, a[i])) << name(from) << " " << name(to) << " " << a[i];
      }
    }
  }
}

TEST(GpsimdLanes, FunctionsAreWithinTheirBounds) {
  const std::map<Code, Real (*)(Real)> functions = {
      {Code::Sqrt, std::sqrt},
      {Code::Cbrt, std::cbrt},
      {Code::Exp, std::exp},
      {Code::Expm1, std::expm1},
      {Code::Log, std::log},
      {Code::Log1p, std::log1p},
      {Code::Sin, std::sin},
      {Code::Cos, std::cos},
      {Code::Tan, std::tan},
      {Code::Tanh, std::tanh},
      {Code::Erf, std::erf},
      {Code::Erfc, std::erfc},
      {Code::Rsqrt, [](Real x) -> Real { return 1 / std::sqrt(x); }},
      {Code::Logistic, [](Real x) -> Real { return 1 / (1 + std::exp(-x)); }}};
  const std::map<Type, Real> bounds = {
      {Type::F16, 0x1p-10L}, {Type::BF16, 0x1p-7L}, {Type::F32, 0x1p-22L}, {Type::F64, 0x1p-50L}};
  for (const auto& [type, bound] : bounds) {
    std::vector<uint64_t> x;
    for (int i = 1; i < 200; ++i) x.push_back(real_bits(type, i / 32.0));
    for (const auto& [code, f] : functions) {
      const auto y = lanes({code, type, type}, {x}, {type});
      for (size_t i = 0; i < x.size(); ++i) {
        const Real want = f(real_of(type, x[i]));
        if (type == Type::F16 && std::fabs(want) < 1e-4) continue;  // denormal there
        EXPECT_LE(std::fabs(real_of(type, y[i]) - want), bound * std::fabs(want)) << name(code);
      }
    }
    const auto two = lanes({Code::Pow, type, type}, {x, x}, {type, type});
    const auto angle = lanes({Code::Atan2, type, type}, {x, x}, {type, type});
    EXPECT_NEAR(real_of(type, two[31]), 1, 0);  // 1 to the power 1
    EXPECT_NEAR(real_of(type, two[63]), 4, 4 * bound);
    EXPECT_NEAR(real_of(type, angle[9]), std::atan(1.0L), bound);
    const auto inverse = lanes({Code::ErfInv, type, type}, {{real_bits(type, 0.5)}}, {type});
    EXPECT_NEAR(real_of(type, inverse[0]), 0.476936276204469873L, bound);
  }
}

TEST(GpsimdLanes, ConstantsSelectsAndBitcastsKeepBits) {
  for (int t = 0; t < kTypeCount; ++t) {
    const auto type = static_cast<Type>(t);
    const auto a = samples(type, 64, 1), b = samples(type, 64, 2), m = samples(Type::I1, 64, 3);
    const auto y = lanes({Code::Select, type, type}, {m, a, b}, {Type::I1, type, type});
    for (size_t i = 0; i < 64; ++i) EXPECT_EQ(y[i], m[i] != 0 ? a[i] : b[i]);
    EXPECT_EQ(lanes({Code::Bitcast, type, type}, {a}, {type}), a);
    EXPECT_EQ(lanes({Code::Constant, type, type, a[0]}, {a}, {type})[63], a[0]);
  }
}

}  // namespace
}  // namespace trainyard::sim::gpsimd
