#include "numerics/functions64.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "numerics/functions/oracle64.h"
#include "numerics/functions/range_reduction.h"
#include "numerics/simd.h"

namespace trainyard::numerics {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kDenormal = 0x1p-1074;

uint64_t bits(double v) { return std::bit_cast<uint64_t>(v); }
uint32_t bits(float v) { return std::bit_cast<uint32_t>(v); }

template <class T>
T value(Math f, T x) {
  T y;
  apply(f, &x, &y, 1);
  return y;
}

template <class T>
T value(Math2 f, T a, T b) {
  T y;
  apply(f, &a, &b, &y, 1);
  return y;
}

std::vector<Simd> host_levels() {
  std::vector<Simd> levels;
  for (const Simd level : {Simd::Scalar, Simd::Avx2, Simd::Avx512}) {
    if (level <= host_simd()) levels.push_back(level);
  }
  return levels;
}

// What functions64.h reports as measured, a little rounded up. It promises more room: 4 and 2 ulp.
template <class T>
double allowed_ulp(Math f) {
  if (sizeof(T) == sizeof(double)) return 3.0;
  return f == Math::Exp ? 1.1 : 0.6;
}

template <class T>
void expect_accurate(size_t n) {
  const std::vector<T> x = oracle::sample<T>(n, 11);
  for (const Math f : all_math()) {
    const oracle::WorstOf<T> worst = oracle::measure<T>(f, x);
    EXPECT_LE(worst.ulp, allowed_ulp<T>(f)) << name(f) << " at " << worst.a;
  }
  const std::vector<T> other = oracle::sample<T>(n + 1, 12);
  for (const Math2 f : all_math2()) {
    // Shifted by one, so that each kind of sample meets another kind.
    oracle::WorstOf<T> worst = oracle::measure<T>(f, x, std::span(other).first(n));
    worst.merge(oracle::measure<T>(f, x, std::span(other).subspan(1)));
    EXPECT_LE(worst.ulp, sizeof(T) == 8 ? 2.0 : 0.6) << name(f) << worst.a << ", " << worst.b;
  }
}

TEST(Functions64, EveryF64FunctionStaysWithinItsError) { expect_accurate<double>(200'000); }

TEST(Functions64, EveryFp32FunctionStaysWithinItsError) { expect_accurate<float>(200'000); }

// Multiples of pi/2 are the zeros and poles; a double next to one is as close as 2^-61.
TEST(Functions64, SinCosAndTanAreAccurateNextToMultiplesOfHalfPi) {
  std::vector<double> x = {0x1.6ac5b262ca1ffp+849,  // the double that is closest to one of them
                           0x1p30, 0x1p1023, 0x1.fffffffffffffp1023};
  for (int exponent = 0; exponent < 1020; ++exponent) {
    const long double multiple = std::ldexp(1.0L, exponent) * std::acos(0.0L);
    double at = static_cast<double>(multiple);
    for (int i = 0; i < 3; ++i) at = std::nextafter(at, 0.0);
    for (int i = 0; i < 6; ++i, at = std::nextafter(at, kInfinity)) x.push_back(at);
  }
  for (size_t i = 0, n = x.size(); i < n; ++i) x.push_back(-x[i]);
  for (const Math f : {Math::Sin, Math::Cos, Math::Tan}) {
    const oracle::WorstOf<double> worst = oracle::measure<double>(f, x);
    EXPECT_LE(worst.ulp, 3.0) << name(f) << " at " << worst.a;
  }
}

TEST(Functions64, ALargeAngleIsReducedToItsQuadrant) {
  // 2^30 = 683565276 pi/2 - 0.665..., and 4 divides that number.
  const double rest = static_cast<double>(0x1p30L - 683565276 * std::acos(0.0L));
  const ReducedAngle angle = reduce_large_angle(0x1p30);
  EXPECT_EQ(angle.quadrant, 0);
  EXPECT_NEAR(angle.hi, rest, 1e-9);
  // Three times as far: -1.996... is -pi/2 - 0.425..., one quadrant back.
  const ReducedAngle third = reduce_large_angle(3 * 0x1p30);
  EXPECT_EQ(third.quadrant, 3);
  EXPECT_NEAR(third.hi, 3 * rest + std::acos(0.0), 1e-9);
  const ReducedAngle mirrored = reduce_large_angle(-3 * 0x1p30);
  EXPECT_EQ(mirrored.quadrant, 1);
  EXPECT_EQ(mirrored.hi, -third.hi);
  EXPECT_EQ(mirrored.lo, -third.lo);
}

TEST(Functions64, LogAndPowAreAccurateNextToOne) {
  std::vector<double> x, exponent;
  for (int i = 1; i < 20'000; ++i) {
    x.push_back(1 + i * 0x1p-52);
    x.push_back(1 - i * 0x1p-53);
    exponent.push_back(0x1p52 / i);
    exponent.push_back(0x1p50 / i);
  }
  EXPECT_LE(oracle::measure<double>(Math::Log, x).ulp, 1.0);
  EXPECT_LE(oracle::measure<double>(Math2::Pow, x, exponent).ulp, 1.0);
}

template <class T>
void expect_same_bits_at_every_level() {
  const std::vector<T> a = oracle::sample<T>(200'000, 21);
  const std::vector<T> b = oracle::sample<T>(200'000, 23);
  std::vector<T> expected(a.size()), y(a.size());
  const auto compare = [&](auto f, auto run) {
    ASSERT_TRUE(force_simd(Simd::Scalar).ok());
    run(expected.data());
    for (const Simd level : host_levels()) {
      ASSERT_TRUE(force_simd(level).ok());
      run(y.data());
      for (size_t i = 0; i < a.size(); ++i) {
        ASSERT_EQ(bits(y[i]), bits(expected[i])) << name(f) << " " << a[i] << " " << name(level);
      }
    }
  };
  for (const Math f : all_math()) compare(f, [&](T* to) { apply(f, a.data(), to, a.size()); });
  for (const Math2 f : all_math2()) {
    compare(f, [&](T* to) { apply(f, a.data(), b.data(), to, a.size()); });
  }
  unforce_simd();
}

TEST(Functions64, EverySimdLevelGivesTheSameBits) {
  expect_same_bits_at_every_level<double>();
  expect_same_bits_at_every_level<float>();
}

template <class T>
uint64_t hash_of_results() {
  const std::vector<T> a = oracle::sample<T>(50'000, 41), b = oracle::sample<T>(50'000, 43);
  std::vector<T> y(a.size());
  uint64_t hash = 0;
  const auto add = [&] {
    for (const T v : y) hash = (hash ^ bits(v)) * 0x9E3779B97F4A7C15;
  };
  for (const Math f : all_math()) {
    apply(f, a.data(), y.data(), a.size());
    add();
  }
  for (const Math2 f : all_math2()) {
    apply(f, a.data(), b.data(), y.data(), a.size());
    add();
  }
  return hash;
}

// Programs compare simulated values bit by bit across hosts and compilers. Whoever changes a kernel
// changes these numbers on purpose.
TEST(Functions64, TheBitsAreTheRecordedOnes) {
  EXPECT_EQ(hash_of_results<double>(), 9567491024666471975u);
  EXPECT_EQ(hash_of_results<float>(), 4785113973110959496u);
}

TEST(Functions64, TheResultOfAnElementDoesNotDependOnItsPlace) {
  const std::vector<double> a = oracle::sample<double>(61, 31), b = oracle::sample<double>(61, 32);
  for (const Math f : all_math()) {
    for (size_t n = 0; n <= a.size(); n += 6) {
      std::vector<double> y(a.size(), -7.0);
      apply(f, a.data() + 1, y.data(), n - (n == a.size()));
      for (size_t i = 0; i + 1 < n; ++i) ASSERT_EQ(bits(y[i]), bits(value(f, a[i + 1]))) << name(f);
      ASSERT_EQ(y.back(), -7.0);
    }
  }
  for (const Math2 f : all_math2()) {
    std::vector<double> y(a.size()), over_a = a, over_b = b;
    apply(f, a.data(), b.data(), y.data(), a.size());
    apply(f, over_a.data(), b.data(), over_a.data(), a.size());
    apply(f, a.data(), over_b.data(), over_b.data(), a.size());
    for (size_t i = 0; i < a.size(); ++i) {
      ASSERT_EQ(bits(y[i]), bits(value(f, a[i], b[i]))) << name(f);
      ASSERT_EQ(bits(over_a[i]), bits(y[i])) << name(f);
      ASSERT_EQ(bits(over_b[i]), bits(y[i])) << name(f);
    }
  }
}

// The C library is right about these without rounding, or rounds them correctly.
template <class T>
void expect_edges_like_c() {
  constexpr T kInf = std::numeric_limits<T>::infinity();
  const T edges[] = {0,
                     1,
                     2,
                     3,
                     T(0.5),
                     T(1.5),
                     1e10,
                     T(9007199254740991.0),
                     kInf,
                     std::numeric_limits<T>::denorm_min(),
                     std::numeric_limits<T>::max(),
                     std::numeric_limits<T>::quiet_NaN()};
  for (const T p : edges) {
    for (const T q : edges) {
      for (const T a : {p, -p}) {
        for (const T b : {q, -q}) {
          const T pow = value(Math2::Pow, a, b), angle = value(Math2::Atan2, a, b);
          const long double c_pow = std::pow(a, b), c_angle = std::atan2(a, b);
          EXPECT_LE(oracle::ulp_error_of(pow, c_pow), 2.0) << a << "^" << b;
          EXPECT_LE(oracle::ulp_error_of(angle, c_angle), 2.0) << a << ", " << b;
          if (std::isnan(pow)) continue;
          EXPECT_EQ(std::signbit(pow), std::signbit(std::pow(a, b))) << a << "^" << b;
          if (std::isnan(angle)) continue;
          EXPECT_EQ(std::signbit(angle), std::signbit(std::atan2(a, b))) << a << ", " << b;
        }
      }
    }
  }
}

TEST(Functions64, PowAndAtan2HaveTheEdgesOfC) {
  expect_edges_like_c<double>();
  expect_edges_like_c<float>();
}

TEST(Functions64, InfinitiesGiveTheLimits) {
  struct Limits {
    Math f;
    double at_minus, at_plus;
  };
  const Limits table[] = {
      {Math::Sqrt, kNan, kInfinity},
      {Math::Rsqrt, kNan, 0.0},
      {Math::Cbrt, -kInfinity, kInfinity},
      {Math::Exp, 0.0, kInfinity},
      {Math::Expm1, -1.0, kInfinity},
      {Math::Log, kNan, kInfinity},
      {Math::Log1p, kNan, kInfinity},
      {Math::Sin, kNan, kNan},
      {Math::Cos, kNan, kNan},
      {Math::Tan, kNan, kNan},
      {Math::Tanh, -1.0, 1.0},
      {Math::Logistic, 0.0, 1.0},
      {Math::Erf, -1.0, 1.0},
      {Math::Erfc, 2.0, 0.0},
      {Math::ErfInv, kNan, kNan},
  };
  ASSERT_EQ(std::size(table), all_math().size());
  for (const Limits& row : table) {
    EXPECT_EQ(bits(value(row.f, -kInfinity)), bits(row.at_minus)) << name(row.f);
    EXPECT_EQ(bits(value(row.f, kInfinity)), bits(row.at_plus)) << name(row.f);
    const float minus = static_cast<float>(row.at_minus), plus = static_cast<float>(row.at_plus);
    EXPECT_EQ(bits(value(row.f, -HUGE_VALF)), bits(minus)) << name(row.f);
    EXPECT_EQ(bits(value(row.f, HUGE_VALF)), bits(plus)) << name(row.f);
  }
}

TEST(Functions64, OddFunctionsKeepTheSignOfZero) {
  for (const Math f : {Math::Sqrt, Math::Cbrt, Math::Expm1, Math::Log1p, Math::Sin, Math::Tan,
                       Math::Tanh, Math::Erf, Math::ErfInv}) {
    EXPECT_EQ(bits(value(f, 0.0)), bits(0.0)) << name(f);
    EXPECT_EQ(bits(value(f, -0.0)), bits(-0.0)) << name(f);
    EXPECT_EQ(bits(value(f, -0.0f)), bits(-0.0f)) << name(f);
  }
  for (const Math f : {Math::Exp, Math::Cos, Math::Erfc}) {
    EXPECT_EQ(value(f, 0.0), 1.0) << name(f);
    EXPECT_EQ(value(f, -0.0), 1.0) << name(f);
  }
}

TEST(Functions64, PolesAndEndsOfTheDomain) {
  EXPECT_EQ(value(Math::Log, 0.0), -kInfinity);
  EXPECT_EQ(value(Math::Log1p, -1.0), -kInfinity);
  EXPECT_TRUE(std::isnan(value(Math::Log1p, std::nextafter(-1.0, -2.0))));
  EXPECT_EQ(value(Math::ErfInv, 1.0), kInfinity);
  EXPECT_EQ(value(Math::ErfInv, -1.0), -kInfinity);
  EXPECT_TRUE(std::isnan(value(Math::ErfInv, std::nextafter(1.0, 2.0))));
  EXPECT_EQ(value(Math::Rsqrt, -0.0), -kInfinity);
}

TEST(Functions64, DenormalsAreKeptOnBothSides) {
  EXPECT_EQ(value(Math::Sin, kDenormal), kDenormal);
  EXPECT_EQ(value(Math::Expm1, -kDenormal), -kDenormal);
  EXPECT_EQ(value(Math::Log1p, kDenormal), kDenormal);
  EXPECT_EQ(value(Math::Exp, -744.5), kDenormal);
  EXPECT_EQ(value(Math::Cbrt, 27 * 0x1p-1074), 3 * 0x1p-358);
  EXPECT_EQ(value(Math2::Pow, 2.0, -1074.0), kDenormal);
  EXPECT_EQ(value(Math2::Pow, kDenormal, 0.5), 0x1p-537);
  EXPECT_EQ(value(Math2::Atan2, kDenormal, 1.0), kDenormal);
}

TEST(Functions64, ANanGivesTheOneNan) {
  for (const uint64_t pattern : {0x7FF8000000000000u, 0xFFF8000000000001u, 0x7FF0000000000001u}) {
    const double x = std::bit_cast<double>(pattern);
    for (const Math f : all_math()) EXPECT_EQ(bits(value(f, x)), bits(kNan)) << name(f);
    for (const Math2 f : all_math2()) {
      EXPECT_EQ(bits(value(f, x, 2.0)), bits(kNan)) << name(f);
      EXPECT_EQ(bits(value(f, 2.0, x)), bits(kNan)) << name(f);
    }
  }
}

TEST(Functions64, WholePowersAreExact) {
  EXPECT_EQ(value(Math2::Pow, 3.0, 33.0), 5559060566555523.0);
  EXPECT_EQ(value(Math2::Pow, -3.0, 33.0), -5559060566555523.0);
  EXPECT_EQ(value(Math2::Pow, 10.0, 22.0), 1e22);
  EXPECT_EQ(value(Math2::Pow, 2.0f, 0.5f), 0x1.6a09e6p0f);
}

TEST(Functions64, NamesParseBack) {
  for (const Math f : all_math()) EXPECT_EQ(parse_math(name(f)), f);
  for (const Math2 f : all_math2()) EXPECT_EQ(parse_math2(name(f)), f);
  EXPECT_EQ(name(Math::ErfInv), "erf_inv");
  EXPECT_EQ(parse_math("pow"), std::nullopt);
  EXPECT_EQ(parse_math2("power"), std::nullopt);
}

}  // namespace
}  // namespace trainyard::numerics
