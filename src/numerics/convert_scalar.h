#pragma once
// One element at a time, with the same bits as widen and narrow. For interpreters, constants and
// tests; a loop over many elements belongs to numerics/convert.h, which includes this file.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "numerics/convert.h"
#include "numerics/float_format.h"
#include "numerics/random_bits.h"

namespace trainyard::numerics {

// The value of a code of f16 or of an 8-bit format.
constexpr float decode(const FloatFormat& format, uint32_t code) {
  const uint32_t sign = (code & format.sign_code()) != 0 ? kF32Sign : 0;
  const uint32_t magnitude = code & (format.sign_code() - 1);
  if (magnitude >= format.overflow_code()) {
    const bool is_inf = format.has_inf && magnitude == format.overflow_code();
    return std::bit_cast<float>(sign | (is_inf ? kF32Inf : kF32QuietNan));
  }
  if (magnitude < format.min_normal_code()) {
    // A whole number of steps; the step itself is a normal fp32 number, so the product is exact.
    const uint32_t step = format.min_normal_f32_exponent() - format.mantissa_bits;
    const float value = static_cast<float>(magnitude) * std::bit_cast<float>(step << 23);
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(value));
  }
  const uint32_t rebias = static_cast<uint32_t>(127 - format.bias) << 23;
  return std::bit_cast<float>(sign | ((magnitude << format.dropped_bits()) + rebias));
}

// base / 2^shift as a whole number, rounded.
constexpr uint32_t shift_rounded(uint32_t base, int shift, const Rounding& rounding) {
  if (rounding.mode == Rounding::NearestEven) {
    shift = std::min(shift, 31);
    return (base + (1u << (shift - 1)) - 1 + ((base >> shift) & 1)) >> shift;
  }
  // Odds are kept to 30 bits; a value below 2^-30 of a step never rounds up.
  const int kept = std::min(shift, 30);
  base = shift - kept < 32 ? base >> (shift - kept) : 0;
  return (base + (random_bits(rounding.seed, rounding.counter) >> (32 - kept))) >> kept;
}

// The magnitude that a value beyond the largest finite one gets.
constexpr uint32_t overflow_result(const FloatFormat& format, const ConvertOptions& options) {
  const bool wide = format.bits() > 8;
  const bool saturate = !wide && (format.has_inf ? options.fp8_saturate : options.fp8fn_saturate);
  return saturate ? format.max_finite_code() : format.overflow_code();
}

// The code of an fp32 bit pattern in `format`.
constexpr uint32_t encode(const FloatFormat& format, uint32_t f32, const ConvertOptions& options) {
  const uint32_t sign = (f32 & kF32Sign) != 0 ? format.sign_code() : 0;
  const uint32_t magnitude = f32 & ~kF32Sign;
  if (magnitude > kF32Inf) return sign | format.nan_code();
  // Below the smallest normal value the step stays the same, so more bits drop out. With the
  // exponent clamped there, `base` counts steps of 2^-shift in both ranges, and a carry out of the
  // mantissa moves into the exponent by itself.
  const int exponent =
      std::clamp(static_cast<int>(magnitude >> 23), 1, format.min_normal_f32_exponent());
  const uint32_t base = magnitude - (static_cast<uint32_t>(exponent - 1) << 23);
  const int shift = format.dropped_bits() + format.min_normal_f32_exponent() - exponent;
  uint32_t code = shift_rounded(base, shift, options.rounding);
  if (options.ftz && code < format.min_normal_code()) code = 0;
  return sign | (code >= format.overflow_code() ? overflow_result(format, options) : code);
}

// Nearest even within [low, high]; NaN is 0.
inline int64_t to_integer(float value, int64_t low, int64_t high) {
  if (std::isnan(value)) return 0;
  if (value >= static_cast<float>(high)) return high;
  if (value <= static_cast<float>(low)) return low;
  return std::llrint(value);
}

namespace detail {

template <class T>
T load(const void* src) {
  T value;
  std::memcpy(&value, src, sizeof(T));
  return value;
}

template <class T, class V>
void store(void* dst, V value) {
  const T narrow_value = static_cast<T>(value);
  std::memcpy(dst, &narrow_value, sizeof(T));
}

template <class T>
void store_integer(void* dst, float value) {
  store<T>(dst, to_integer(value, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
}

}  // namespace detail

// The fp32 value of one element in memory.
inline float to_f32(Dtype from, const void* src) {
  using detail::load;
  switch (from) {
    case Dtype::F32:
      return load<float>(src);
    case Dtype::TF32:
      return std::bit_cast<float>(load<uint32_t>(src) & ~0x1FFFu);
    case Dtype::BF16:
      return std::bit_cast<float>(uint32_t{load<uint16_t>(src)} << 16);
    case Dtype::F16:
      return decode(kF16, load<uint16_t>(src));
    case Dtype::F8E5M2:
      return decode(kF8E5M2, load<uint8_t>(src));
    case Dtype::F8E4M3:
      return decode(kF8E4M3, load<uint8_t>(src));
    case Dtype::F8E4M3FN:
      return decode(kF8E4M3FN, load<uint8_t>(src));
    case Dtype::F8E3M4:
      return decode(kF8E3M4, load<uint8_t>(src));
    case Dtype::S8:
      return load<int8_t>(src);
    case Dtype::U8:
      return load<uint8_t>(src);
    case Dtype::S16:
      return load<int16_t>(src);
    case Dtype::U16:
      return load<uint16_t>(src);
    case Dtype::S32:
      return static_cast<float>(load<int32_t>(src));
    case Dtype::U32:
      return static_cast<float>(load<uint32_t>(src));
  }
  return 0;
}

// Writes one fp32 value as an element. Stochastic rounding takes the bits of `counter` itself.
inline void from_f32(Dtype to, float value, void* dst, const ConvertOptions& options = {}) {
  using detail::store;
  using detail::store_integer;
  const uint32_t f32 = std::bit_cast<uint32_t>(value);
  switch (to) {
    case Dtype::F32: {
      const bool flush = options.ftz && (f32 & kF32Inf) == 0;
      return store<uint32_t>(dst, flush ? f32 & kF32Sign : f32);
    }
    case Dtype::TF32:
      return store<uint32_t>(dst, encode(kTF32, f32, options) << 13);
    case Dtype::BF16:
      return store<uint16_t>(dst, encode(kBF16, f32, options));
    case Dtype::F16:
      return store<uint16_t>(dst, encode(kF16, f32, options));
    case Dtype::F8E5M2:
      return store<uint8_t>(dst, encode(kF8E5M2, f32, options));
    case Dtype::F8E4M3:
      return store<uint8_t>(dst, encode(kF8E4M3, f32, options));
    case Dtype::F8E4M3FN:
      return store<uint8_t>(dst, encode(kF8E4M3FN, f32, options));
    case Dtype::F8E3M4:
      return store<uint8_t>(dst, encode(kF8E3M4, f32, options));
    case Dtype::S8:
      return store_integer<int8_t>(dst, value);
    case Dtype::U8:
      return store_integer<uint8_t>(dst, value);
    case Dtype::S16:
      return store_integer<int16_t>(dst, value);
    case Dtype::U16:
      return store_integer<uint16_t>(dst, value);
    case Dtype::S32:
      return store_integer<int32_t>(dst, value);
    case Dtype::U32:
      return store_integer<uint32_t>(dst, value);
  }
}

}  // namespace trainyard::numerics
