#pragma once
// What the functions of functions64.h should give, from the C library: for tests and reports only.
// R = long double has 11 bits more than a double, so an error of f64 is known to 0.01 ulp. R =
// double is a quick first look at fp32.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/check.h"
#include "numerics/functions/ulp.h"
#include "numerics/functions64.h"

namespace trainyard::numerics::oracle {

// The C library has no inverse of erf: one step of Newton's method from the value under test, which
// squares its error. On the side of erfc where that keeps the accuracy.
template <class R>
R erf_inv(R x, R y) {
  if (!(std::fabs(x) < 1) || x == 0) return std::fabs(x) > 1 ? R(NAN) : x / (1 - x * x);
  if (!std::isfinite(y) || std::signbit(x) != std::signbit(y)) return x;
  const R slope = 2 / std::sqrt(std::acos(R(-1))) * std::exp(-y * y);
  const R a = std::fabs(y);
  const R miss = a < R(0.5) ? std::erf(a) - std::fabs(x) : (1 - std::fabs(x)) - std::erfc(a);
  return std::copysign(a - miss / slope, x);
}

// `y` is the value under test; only erf_inv looks at it.
template <class R>
R reference(Math f, R x, R y) {
  switch (f) {
    case Math::Sqrt:
      return std::sqrt(x);
    case Math::Rsqrt:
      return 1 / std::sqrt(x);
    case Math::Cbrt:
      return std::cbrt(x);
    case Math::Exp:
      return std::exp(x);
    case Math::Expm1:
      return std::expm1(x);
    case Math::Log:
      return std::log(x);
    case Math::Log1p:
      return std::log1p(x);
    case Math::Sin:
      return std::sin(x);
    case Math::Cos:
      return std::cos(x);
    case Math::Tan:
      return std::tan(x);
    case Math::Tanh:
      return std::tanh(x);
    case Math::Logistic:
      return 1 / (1 + std::exp(-x));
    case Math::Erf:
      return std::erf(x);
    case Math::Erfc:
      return std::erfc(x);
    case Math::ErfInv:
      return erf_inv(x, y);
  }
  TY_CHECK(false);
}

template <class R>
R reference(Math2 f, R a, R b) {
  switch (f) {
    case Math2::Atan2:
      return std::atan2(a, b);
    case Math2::Pow:
      return std::pow(a, b);
  }
  TY_CHECK(false);
}

// The largest error found, and where; b is the second argument where there is one.
template <class T>
struct WorstOf {
  double ulp = 0;
  T a = 0;
  T b = 0;

  void merge(const WorstOf& other) {
    if (other.ulp > ulp) *this = other;
  }
};

// The error of y against exact<R>(), R = double where that decides.
template <class T, class Exact>
double error_of(T y, Exact exact) {
  constexpr double kLooksLarge = 0.55;
  if (sizeof(T) < sizeof(double)) {
    const double ulp = ulp_error_of(y, exact(double()));
    if (ulp <= kLooksLarge) return ulp;
  }
  return ulp_error_of(y, exact(0.0L));
}

template <class T>
WorstOf<T> measure(Math f, std::span<const T> x) {
  std::vector<T> y(x.size());
  apply(f, x.data(), y.data(), x.size());
  WorstOf<T> worst;
  for (size_t i = 0; i < x.size(); ++i) {
    const auto exact = [&](auto r) { return reference<decltype(r)>(f, x[i], y[i]); };
    worst.merge({error_of(y[i], exact), x[i], T(0)});
  }
  return worst;
}

template <class T>
WorstOf<T> measure(Math2 f, std::span<const T> a, std::span<const T> b) {
  std::vector<T> y(a.size());
  apply(f, a.data(), b.data(), y.data(), a.size());
  WorstOf<T> worst;
  for (size_t i = 0; i < a.size(); ++i) {
    const auto exact = [&](auto r) { return reference<decltype(r)>(f, a[i], b[i]); };
    worst.merge({error_of(y[i], exact), a[i], b[i]});
  }
  return worst;
}

// Inputs for measurements: a third are random bit patterns, a third lie in [-4, 4], a third in
// [-800, 800]. The same for the same seed.
template <class T>
std::vector<T> sample(size_t n, uint64_t seed) {
  using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;
  std::vector<T> x(n);
  for (size_t i = 0; i < n; ++i) {
    seed += 0x9E3779B97F4A7C15;
    uint64_t z = (seed ^ seed >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    z ^= z >> 31;
    const double unit = static_cast<double>(static_cast<int64_t>(z)) * 0x1p-63;
    if (i % 3 == 0) x[i] = std::bit_cast<T>(static_cast<Bits>(z));
    if (i % 3 == 1) x[i] = static_cast<T>(unit * 4);
    if (i % 3 == 2) x[i] = static_cast<T>(unit * 800);
  }
  return x;
}

}  // namespace trainyard::numerics::oracle
