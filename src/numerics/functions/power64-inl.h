// x^y on lanes of double. Included once per SIMD level.
//
// y ln x reaches 709, so ln x must be known to 2^-64 of itself for the result to keep its last bit:
// the logarithm is a sum of two doubles up to the term s^5.
#if defined(TRAINYARD_NUMERICS_POWER64_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TRAINYARD_NUMERICS_POWER64_INL_H_
#undef TRAINYARD_NUMERICS_POWER64_INL_H_
#else
#define TRAINYARD_NUMERICS_POWER64_INL_H_
#endif

#include "numerics/functions/exp_log64-inl.h"

HWY_BEFORE_NAMESPACE();
namespace trainyard::numerics::HWY_NAMESPACE {

// (m - 1) / (m + 1)
template <class D>
HWY_INLINE Pair<hn::Vec<D>> atanh_argument(D d, hn::Vec<D> m) {
  const auto one = hn::Set(d, 1.0);
  const auto f = hn::Sub(m, one);
  const auto [den, den_lost] = two_sum(m, one);
  const auto inverse = hn::Div(one, den);
  const auto s = hn::Mul(f, inverse);
  const auto left = fnma(s, den_lost, fnma(s, den, f));
  return {s, hn::Mul(left, inverse)};
}

// ln m for m in [sqrt(1/2), sqrt(2)): 2 s (1 + s^2/3 + s^4 P(s^2)).
template <class D>
HWY_INLINE Pair<hn::Vec<D>> log_mantissa(D d, hn::Vec<D> m) {
  const auto [s, s_lo] = atanh_argument(d, m);
  auto [z, z_lo] = two_product(s, s);
  z_lo = fma(hn::Add(s, s), s_lo, z_lo);

  const auto third = hn::Set(d, fp64::kThirdHi);
  auto [c, c_lo] = two_product(z, third);
  c_lo = hn::Add(c_lo, fma(z, hn::Set(d, fp64::kThirdLo), hn::Mul(z_lo, third)));
  c_lo = fma(hn::Mul(z, z), polynomial(d, z, fp64::kLogRest5), c_lo);

  auto [w, w_lo] = two_product(s, c);
  w_lo = hn::Add(w_lo, fma(s, c_lo, hn::Mul(s_lo, c)));
  const auto [sum, lost] = fast_two_sum(s, w);
  const auto low = hn::Add(lost, hn::Add(s_lo, w_lo));
  return {hn::Add(sum, sum), hn::Add(low, low)};
}

// ln x for x > 0.
template <class D>
HWY_INLINE Pair<hn::Vec<D>> log_pair(D d, hn::Vec<D> x) {
  const auto [k, m] = split_any(d, x);
  const auto [a, a_lo] = log_mantissa(d, m);
  const auto [sum, lost] = two_sum(hn::Mul(k, hn::Set(d, fp64::kLn2Hi)), a);
  return fast_two_sum(sum, hn::Add(lost, fma(k, hn::Set(d, fp64::kLn2Lo), a_lo)));
}

// x^y for x > 0 and finite, y finite.
template <class D>
HWY_INLINE hn::Vec<D> power_positive(D d, hn::Vec<D> x, hn::Vec<D> y) {
  const auto [l, l_lo] = log_pair(d, x);
  const auto product = hn::Mul(y, l);
  const auto limited = clamp(d, product, kExpLeast - 4, kExpMost + 4);
  const auto tail = fma(y, l_lo, fma(y, l, hn::Neg(product)));
  const auto inside = hn::Eq(product, limited);
  return exp_of(d, exp_parts(d, limited, hn::IfThenElseZero(inside, tail)));
}

// IEEE 754 pow: 1 for y = 0 and for x = 1 whatever the other is, NaN for a negative x with a y that
// is no integer.
struct Power64 {
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, hn::Vec<D> x, hn::Vec<D> y) const {
    const auto zero = hn::Zero(d);
    const auto one = hn::Set(d, 1.0);
    const auto infinity = hn::Inf(d);
    const auto a = hn::Abs(x);
    auto r = power_positive(d, a, y);

    // Where ln x or y is infinite, only the sign of y ln x counts.
    const auto grows = hn::Xor(hn::Lt(a, one), hn::Lt(zero, y));
    const auto edge =
        hn::Or(hn::Or(hn::Eq(a, zero), hn::Eq(a, infinity)), hn::Eq(hn::Abs(y), infinity));
    r = hn::IfThenElse(edge, hn::IfThenElseZero(grows, infinity), r);
    r = hn::IfThenElse(hn::Eq(a, one), one, r);

    const auto half = hn::Mul(y, hn::Set(d, 0.5));
    const auto whole = hn::Eq(hn::Trunc(y), y);
    const auto odd = hn::AndNot(hn::Eq(hn::Trunc(half), half), whole);
    const auto signed_x = hn::And(x, hn::SignBit(d));
    r = hn::IfThenElse(odd, hn::Or(r, signed_x), r);
    const auto negative = hn::And(hn::Lt(x, zero), hn::Lt(a, infinity));
    r = hn::IfThenElse(hn::AndNot(whole, negative), canonical_nan(d), r);

    r = hn::IfThenElse(hn::Or(hn::IsNaN(x), hn::IsNaN(y)), canonical_nan(d), r);
    return hn::IfThenElse(hn::Or(hn::Eq(x, one), hn::Eq(y, zero)), one, r);
  }
};

}  // namespace trainyard::numerics::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // TRAINYARD_NUMERICS_POWER64_INL_H_
