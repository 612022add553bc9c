// Sums and products whose rounding error is kept: a value is the sum hi + lo of two lanes.
// Included once per SIMD level.
#if defined(TRAINYARD_NUMERICS_DOUBLE_DOUBLE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TRAINYARD_NUMERICS_DOUBLE_DOUBLE_INL_H_
#undef TRAINYARD_NUMERICS_DOUBLE_DOUBLE_INL_H_
#else
#define TRAINYARD_NUMERICS_DOUBLE_DOUBLE_INL_H_
#endif

#include "numerics/functions/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace trainyard::numerics::HWY_NAMESPACE {

template <class V>
struct Pair {
  V hi;
  V lo;
};

// a + b without error.
template <class V>
HWY_INLINE Pair<V> two_sum(V a, V b) {
  const V sum = hn::Add(a, b);
  const V b_part = hn::Sub(sum, a);
  const V a_part = hn::Sub(sum, b_part);
  return {sum, hn::Add(hn::Sub(a, a_part), hn::Sub(b, b_part))};
}

// a + b without error, where |a| >= |b| or a = 0.
template <class V>
HWY_INLINE Pair<V> fast_two_sum(V a, V b) {
  const V sum = hn::Add(a, b);
  return {sum, hn::Sub(b, hn::Sub(sum, a))};
}

// a * b without error, unless it underflows.
template <class V>
HWY_INLINE Pair<V> two_product(V a, V b) {
  const V product = hn::Mul(a, b);
  return {product, fma(a, b, hn::Neg(product))};
}

}  // namespace trainyard::numerics::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // TRAINYARD_NUMERICS_DOUBLE_DOUBLE_INL_H_
