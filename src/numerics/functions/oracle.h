#pragma once
// What the activation functions should give, from the C library: for tests and reports only.
//
// The textbook formula, for R = double or long double. In long double (64-bit significand) it keeps
// 2^-36 of relative accuracy even next to a zero of a derivative; in double it is a quick first
// look.
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "base/check.h"
#include "numerics/functions.h"
#include "numerics/functions/ulp.h"

namespace trainyard::numerics::oracle {

template <class R>
inline constexpr R kPi = 3.141592653589793238462643383279502884L;

template <class R>
R sigmoid(R x) {
  return 1 / (1 + std::exp(-x));
}

// 0 where the second factor vanishes faster than x grows.
template <class R>
R times(R x, R vanishing) {
  return vanishing == 0 ? x < 0 ? R(-0.0) : R(0) : x * vanishing;
}

template <class R>
R silu_dx(R x) {
  const R e = std::exp(-x);
  if (std::isinf(e)) return R(-0.0);
  return (1 + e + times(x, e)) / ((1 + e) * (1 + e));
}

template <class R>
R normal_cdf(R x) {
  return std::erfc(-x / std::sqrt(R(2))) / 2;
}

template <class R>
R normal_density(R x) {
  return std::exp(-x * x / 2) / std::sqrt(2 * kPi<R>);
}

template <class R>
R sin_with_cubic(R x) {
  if (std::fabs(x) <= kPi<R>) return std::sin(x);
  const R d = std::fabs(x) - kPi<R>;
  return std::copysign(R(1), x) * (d * d / 6 - 1) * d;
}

template <class R>
R gelu_apprx_tanh(R x) {
  const R u = std::sqrt(2 / kPi<R>) * (x + R(0.044715L) * x * x * x);
  return times(x, sigmoid(2 * u));
}

template <class R>
R mish(R x) {
  const R u = std::exp(x);
  if (u > R(1e20)) return x;
  return times(x, u * (u + 2) / (u * (u + 2) + 2));
}

template <class R>
R reference(Function f, R x, R param) {
  switch (f) {
    case Function::Copy:
      return x;
    case Function::Square:
      return x * x;
    case Function::Sigmoid:
      return sigmoid(x);
    case Function::Relu:
      return x < 0 ? 0 : x;
    case Function::Prelu:
      return x < 0 ? x * param : x;
    case Function::Gelu:
      return times(x, normal_cdf(x));
    case Function::GeluDx:
      return normal_cdf(x) + times(x, normal_density(x));
    case Function::GeluApprxTanh:
      return gelu_apprx_tanh(x);
    case Function::GeluApprxSigmoid:
      return times(x, sigmoid(R(1.702L) * x));
    case Function::GeluApprxSigmoidDx:
      return silu_dx(R(1.702L) * x);
    case Function::Silu:
      return times(x, sigmoid(x));
    case Function::SiluDx:
      return silu_dx(x);
    case Function::Tanh:
      return std::tanh(x);
    case Function::Softplus:
      return x > 50 ? x : std::log1p(std::exp(x));
    case Function::Mish:
      return mish(x);
    case Function::Erf:
      return std::erf(x);
    case Function::ErfDx:
      return 2 / std::sqrt(kPi<R>) * std::exp(-x * x);
    case Function::Exp:
      return std::exp(x);
    case Function::Log:
      return std::log(x);
    case Function::Sin:
      return sin_with_cubic(x);
    case Function::Arctan:
      return std::atan(x);
    case Function::Sqrt:
      return std::sqrt(x);
    case Function::Rsqrt:
      return 1 / std::sqrt(x);
    case Function::Reciprocal:
      return 1 / x;
    case Function::Sign:
      return x == 0 || std::isnan(x) ? x : std::copysign(R(1), x);
    case Function::Abs:
      return std::fabs(x);
  }
  TY_CHECK(false);
}

// The largest error found, and where.
struct Worst {
  double ulp = 0;
  float x = 0;

  void merge(const Worst& other) {
    if (other.ulp > ulp) *this = other;
  }
};

inline constexpr float kSlope = 0.25f;  // of prelu, in every measurement

// Measures f on the given inputs. Double decides at once unless the error looks large; then long
// double does.
inline Worst measure(Function f, std::span<const float> x) {
  constexpr double kLooksLarge = 0.55;
  std::vector<float> y(x.size());
  apply(f, x.data(), y.data(), x.size(), kSlope);
  Worst worst;
  for (size_t i = 0; i < x.size(); ++i) {
    double ulp = ulp_error_of(y[i], reference<double>(f, x[i], kSlope));
    if (ulp > kLooksLarge) ulp = ulp_error_of(y[i], reference<long double>(f, x[i], kSlope));
    worst.merge({ulp, x[i]});
  }
  return worst;
}

// Measures f on the bit patterns first, first + stride, ... below last.
inline Worst measure_patterns(Function f, uint64_t first, uint64_t last, uint64_t stride) {
  constexpr size_t kBatch = 4096;
  Worst worst;
  std::vector<float> x;
  for (uint64_t bits = first; bits < last;) {
    x.clear();
    for (; x.size() < kBatch && bits < last; bits += stride) {
      x.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
    }
    worst.merge(measure(f, x));
  }
  return worst;
}

}  // namespace trainyard::numerics::oracle
