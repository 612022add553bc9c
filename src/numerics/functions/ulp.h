#pragma once
// The measure of accuracy, for tests and reports only.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace trainyard::numerics::oracle {

// How far y is from `exact`, in units of the last place of a T of that size; R is wider than T.
// Beyond the largest T both count as the power of two behind it; a NaN against a number is
// infinitely far.
template <class T, class R>
double ulp_error_of(T y, R exact) {
  using Limits = std::numeric_limits<T>;
  if (std::isnan(y) || std::isnan(exact)) {
    return std::isnan(y) && std::isnan(exact) ? 0 : HUGE_VAL;
  }
  const R beyond = std::ldexp(R(1), Limits::max_exponent);
  const R got = std::clamp<R>(y, -beyond, beyond);
  exact = std::clamp(exact, -beyond, beyond);
  const int least = Limits::min_exponent - 1;
  const int exponent = exact == 0 ? least : std::max(std::ilogb(exact), least);
  const int ulp = std::min(exponent, Limits::max_exponent - 1) - (Limits::digits - 1);
  return static_cast<double>(std::fabs(got - exact) / std::ldexp(R(1), ulp));
}

// The same for fp32 from the bits of a double, as measurements spend most of their time here.
template <class R>
double ulp_error_of(float y, R exact) {
  if (std::isnan(y) || std::isnan(exact)) {
    return std::isnan(y) && std::isnan(exact) ? 0 : HUGE_VAL;
  }
  const R beyond = 0x1p128;
  const R distance = std::clamp<R>(y, -beyond, beyond) - std::clamp(exact, -beyond, beyond);
  const uint64_t biased = std::bit_cast<uint64_t>(static_cast<double>(exact)) >> 52 & 0x7FF;
  const uint64_t exponent = std::clamp<uint64_t>(biased, 1023 - 126, 1023 + 127);
  return std::fabs(static_cast<double>(distance)) / std::bit_cast<double>((exponent - 23) << 52);
}

}  // namespace trainyard::numerics::oracle
