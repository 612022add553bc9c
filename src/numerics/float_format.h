#pragma once
// The floating-point formats narrower than fp32 as numbers [neuroncore 5.1].
#include <cstdint>

#include "numerics/dtype.h"

namespace trainyard::numerics {

// Sign, exponent, mantissa, from the top bit down. The code of a format is its bit pattern, right
// aligned in 32 bits; `magnitude` codes have no sign bit.
struct FloatFormat {
  int exponent_bits;
  int mantissa_bits;
  int bias;
  bool has_inf;  // exponent all ones is Inf and NaN; without: only the largest code is NaN

  friend constexpr bool operator==(const FloatFormat&, const FloatFormat&) = default;

  constexpr int bits() const { return 1 + exponent_bits + mantissa_bits; }
  constexpr uint32_t sign_code() const { return 1u << (exponent_bits + mantissa_bits); }
  // The smallest code above all finite ones: Inf, or NaN where there is no Inf.
  constexpr uint32_t overflow_code() const {
    return has_inf ? ((1u << exponent_bits) - 1) << mantissa_bits : sign_code() - 1;
  }
  constexpr uint32_t max_finite_code() const { return overflow_code() - 1; }
  constexpr uint32_t nan_code() const {
    return has_inf ? overflow_code() | 1u << (mantissa_bits - 1) : overflow_code();
  }
  constexpr uint32_t min_normal_code() const { return 1u << mantissa_bits; }
  // Mantissa bits of fp32 that the format does not have.
  constexpr int dropped_bits() const { return 23 - mantissa_bits; }
  // The fp32 exponent field of the smallest normal value.
  constexpr int min_normal_f32_exponent() const { return 127 - bias + 1; }
};

inline constexpr FloatFormat kTF32{8, 10, 127, true};
inline constexpr FloatFormat kBF16{8, 7, 127, true};
inline constexpr FloatFormat kF16{5, 10, 15, true};
inline constexpr FloatFormat kF8E5M2{5, 2, 15, true};
inline constexpr FloatFormat kF8E4M3{4, 3, 7, true};
inline constexpr FloatFormat kF8E4M3FN{4, 3, 7, false};
// Bias and special values of e3m4 are not documented; these are those of ml_dtypes.
inline constexpr FloatFormat kF8E3M4{3, 4, 3, true};

inline constexpr uint32_t kF32Sign = 0x80000000u;
inline constexpr uint32_t kF32Inf = 0x7F800000u;
inline constexpr uint32_t kF32QuietNan = 0x7FC00000u;

}  // namespace trainyard::numerics
