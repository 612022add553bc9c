// Vector operations that give the same bits at every SIMD level, and the loops that apply a kernel
// to arrays. Included once per level, after hwy/highway.h; see numerics/simd_dispatch.h.
//
// Only operations that IEEE 754 rounds correctly are used (add, multiply, divide, square root,
// fused multiply-add, conversions), so a kernel is the same function at every level. Without vector
// units Highway has no fused multiply-add and saturates where a double is too large for a float;
// both are replaced here.
#if defined(TRAINYARD_NUMERICS_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TRAINYARD_NUMERICS_LANES_INL_H_
#undef TRAINYARD_NUMERICS_LANES_INL_H_
#else
#define TRAINYARD_NUMERICS_LANES_INL_H_
#endif

#include <hwy/highway.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

HWY_BEFORE_NAMESPACE();
namespace trainyard::numerics::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Highway's levels without vector units: one lane, or 128 bits in plain loops.
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
#define TY_LANES_EMULATED 1
#else
#define TY_LANES_EMULATED 0
#endif

// Applies `scalar` to each lane: for what the emulated levels lack.
template <class D, class Scalar>
HWY_INLINE hn::Vec<D> lane_by_lane(D d, Scalar scalar) {
  HWY_ALIGN hn::TFromD<D> lanes[HWY_MAX_BYTES / sizeof(hn::TFromD<D>)];
  for (size_t i = 0; i < hn::Lanes(d); ++i) lanes[i] = scalar(i);
  return hn::Load(d, lanes);
}

// a * b + c, rounded once.
template <class V>
HWY_INLINE V fma(V a, V b, V c) {
#if TY_LANES_EMULATED
  return lane_by_lane(hn::DFromV<V>(), [&](size_t i) {
    return std::fma(hn::ExtractLane(a, i), hn::ExtractLane(b, i), hn::ExtractLane(c, i));
  });
#else
  return hn::MulAdd(a, b, c);
#endif
}

// c - a * b, rounded once.
template <class V>
HWY_INLINE V fnma(V a, V b, V c) {
#if TY_LANES_EMULATED
  return fma(hn::Neg(a), b, c);
#else
  return hn::NegMulAdd(a, b, c);
#endif
}

// Doubles to floats, to nearest even, to infinity where too large.
template <class D32, class V64>
HWY_INLINE hn::Vec<D32> demote(D32 d32, V64 v) {
#if TY_LANES_EMULATED
  return lane_by_lane(d32, [&](size_t i) { return static_cast<float>(hn::ExtractLane(v, i)); });
#else
  return hn::DemoteTo(d32, v);
#endif
}

// c[0] + c[1] x + c[2] x^2 + ..., by Horner's rule.
template <size_t I = 0, class D, size_t N>
HWY_INLINE hn::Vec<D> polynomial(D d, hn::Vec<D> x, const hn::TFromD<D> (&c)[N]) {
  if constexpr (I == N - 1) {
    return hn::Set(d, c[I]);
  } else {
    return fma(polynomial<I + 1>(d, x, c), x, hn::Set(d, c[I]));
  }
}

// x limited to [lo, hi]. A NaN gives anything; the loops below put it right.
template <class D>
HWY_INLINE hn::Vec<D> clamp(D d, hn::Vec<D> x, hn::TFromD<D> lo, hn::TFromD<D> hi) {
  return hn::Min(hn::Max(x, hn::Set(d, lo)), hn::Set(d, hi));
}

// The one NaN that leaves this module.
template <class D>
HWY_INLINE hn::Vec<D> canonical_nan(D d) {
  return hn::Set(d, std::numeric_limits<hn::TFromD<D>>::quiet_NaN());
}

// Where x < 0, found on the bits: a compiler that sees "x < 0 ? NaN : sqrt(x)" may take sqrt's own
// NaN instead, whose sign is the host's.
template <class D>
HWY_INLINE hn::Mask<D> is_negative(D d, hn::Vec<D> x) {
  const hn::RebindToSigned<D> di;
  return hn::RebindMask(d, hn::Gt(hn::BitCast(di, hn::Neg(x)), hn::Zero(di)));
}

// y[i] = kernel(x[i]) with lanes of type T. The kernel may return anything for NaN. The rest that
// does not fill a vector goes through a padded copy, so each element sees the same instructions.
template <class T, class Step>
HWY_INLINE void for_each_vector(const T* x, T* y, size_t n, size_t lanes, Step step) {
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) step(x + i, y + i);
  if (i == n) return;
  T in[HWY_MAX_BYTES / sizeof(T)] = {};
  T out[HWY_MAX_BYTES / sizeof(T)];
  for (size_t k = i; k < n; ++k) in[k - i] = x[k];
  step(in, out);
  for (size_t k = i; k < n; ++k) y[k] = out[k - i];
}

template <class T, class Step>
HWY_INLINE void for_each_vector2(const T* a, const T* b, T* y, size_t n, size_t lanes, Step step) {
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) step(a + i, b + i, y + i);
  if (i == n) return;
  T left[HWY_MAX_BYTES / sizeof(T)] = {};
  T right[HWY_MAX_BYTES / sizeof(T)] = {};
  T out[HWY_MAX_BYTES / sizeof(T)];
  for (size_t k = i; k < n; ++k) left[k - i] = a[k], right[k - i] = b[k];
  step(left, right, out);
  for (size_t k = i; k < n; ++k) y[k] = out[k - i];
}

// A kernel on lanes of T: one pass in the type of the data.
template <class Kernel, class T>
HWY_INLINE void map(const T* x, T* y, size_t n, Kernel kernel) {
  const hn::ScalableTag<T> d;
  for_each_vector(x, y, n, hn::Lanes(d), [&](const T* from, T* to) HWY_ATTR {
    const auto v = hn::LoadU(d, from);
    hn::StoreU(hn::IfThenElse(hn::IsNaN(v), canonical_nan(d), kernel(d, v)), d, to);
  });
}

// A kernel on doubles over float data: the result is rounded to float once, at the end.
template <class Kernel>
HWY_INLINE void map_widened(const float* x, float* y, size_t n, Kernel kernel) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, hn::ScalableTag<double>> d32;
  for_each_vector(x, y, n, hn::Lanes(d), [&](const float* from, float* to) HWY_ATTR {
    const auto v = hn::LoadU(d32, from);
    const auto r = demote(d32, kernel(d, hn::PromoteTo(d, v)));
    hn::StoreU(hn::IfThenElse(hn::IsNaN(v), canonical_nan(d32), r), d32, to);
  });
}

// The same for two arguments. Their NaNs are the kernel's business: pow(1, NaN) is 1.
template <class Kernel, class T>
HWY_INLINE void map2(const T* a, const T* b, T* y, size_t n, Kernel kernel) {
  const hn::ScalableTag<T> d;
  for_each_vector2(a, b, y, n, hn::Lanes(d), [&](const T* from, const T* with, T* to) HWY_ATTR {
    hn::StoreU(kernel(d, hn::LoadU(d, from), hn::LoadU(d, with)), d, to);
  });
}

template <class Kernel>
HWY_INLINE void map2_widened(const float* a, const float* b, float* y, size_t n, Kernel kernel) {
  const hn::ScalableTag<double> d;
  const hn::Rebind<float, hn::ScalableTag<double>> d32;
  const auto step = [&](const float* from, const float* with, float* to) HWY_ATTR {
    const auto left = hn::PromoteTo(d, hn::LoadU(d32, from));
    const auto right = hn::PromoteTo(d, hn::LoadU(d32, with));
    hn::StoreU(demote(d32, kernel(d, left, right)), d32, to);
  };
  for_each_vector2(a, b, y, n, hn::Lanes(d), step);
}

#undef TY_LANES_EMULATED

}  // namespace trainyard::numerics::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // TRAINYARD_NUMERICS_LANES_INL_H_
