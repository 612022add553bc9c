// erf, erfc and erf_inv on lanes of double. Included once per SIMD level.
#if defined(TRAINYARD_NUMERICS_ERF64_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TRAINYARD_NUMERICS_ERF64_INL_H_
#undef TRAINYARD_NUMERICS_ERF64_INL_H_
#else
#define TRAINYARD_NUMERICS_ERF64_INL_H_
#endif

#include "numerics/functions/exp_log64-inl.h"

HWY_BEFORE_NAMESPACE();
namespace trainyard::numerics::HWY_NAMESPACE {

// Below it erf is a series, above it 1 minus the tail.
inline constexpr double kErfCenter = 0.5;

template <class D>
HWY_INLINE hn::Vec<D> erf_center(D d, hn::Vec<D> x) {
  return fma(x, polynomial(d, hn::Mul(x, x), fp64::kErfRest), x);
}

// erfc(a) = e^(-a^2) t Q(1 - 8 t) with t = 1 / (a + 4), for a >= kErfCenter. a^2 and t are sums of
// two doubles, as their errors are errors of the result. Q comes before the power of two, as the
// result may be denormal.
template <class D>
HWY_INLINE hn::Vec<D> erfc_tail(D d, hn::Vec<D> a) {
  const auto one = hn::Set(d, 1.0);
  const auto eight = hn::Set(d, 8.0);
  a = hn::Min(a, hn::Set(d, 27.5));
  const auto [den, den_lost] = two_sum(a, hn::Set(d, 4.0));
  const auto t = hn::Div(one, den);
  const auto t_lo = hn::Mul(t, fnma(t, den_lost, fnma(t, den, one)));
  const auto u = fnma(eight, t_lo, fnma(eight, t, one));
  const auto q = polynomial(d, u, fp64::kErfcTail);
  const auto scaled = fma(q, t, hn::Mul(q, t_lo));

  const auto [square, square_lo] = two_product(a, a);
  const auto [n, r, rest] = exp_parts(d, hn::Neg(square), hn::Neg(square_lo));
  return scale64(d, fma(scaled, hn::Add(r, rest), scaled), n);
}

struct Erf64 {
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, hn::Vec<D> x) const {
    const auto a = hn::Abs(x);
    const auto outer = hn::CopySign(hn::Sub(hn::Set(d, 1.0), erfc_tail(d, a)), x);
    return hn::IfThenElse(hn::Lt(a, hn::Set(d, kErfCenter)), erf_center(d, x), outer);
  }
};

struct Erfc64 {
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, hn::Vec<D> x) const {
    const auto a = hn::Abs(x);
    const auto tail = erfc_tail(d, a);
    const auto left = hn::Sub(hn::Set(d, 2.0), tail);
    const auto outer = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), left, tail);
    const auto center = hn::Sub(hn::Set(d, 1.0), erf_center(d, x));
    return hn::IfThenElse(hn::Lt(a, hn::Set(d, kErfCenter)), center, outer);
  }
};

// x P(w) with w = -ln(1 - x^2): three polynomials, in w or in its root.
struct ErfInv64 {
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, hn::Vec<D> x) const {
    const auto one = hn::Set(d, 1.0);
    const auto a = hn::Abs(x);
    const auto inside = hn::Min(a, hn::Set(d, 0x1.fffffffffffffp-1));
    const auto product = hn::Mul(hn::Sub(one, inside), hn::Add(one, inside));
    const auto w = hn::Neg(log_positive(d, product, hn::Zero(d)));
    const auto root = hn::Sqrt(hn::Max(w, hn::Zero(d)));
    const auto center = polynomial(d, hn::Sub(w, hn::Set(d, 3.125)), fp64::kErfInvCenter);
    const auto middle = polynomial(d, hn::Sub(root, hn::Set(d, 3.25)), fp64::kErfInvMiddle);
    const auto tail = polynomial(d, hn::Sub(root, hn::Set(d, 5.0)), fp64::kErfInvTail);
    auto p = hn::IfThenElse(hn::Lt(root, hn::Set(d, 2.5)), center, middle);
    p = hn::IfThenElse(hn::Gt(root, hn::Set(d, 4.0)), tail, p);
    p = hn::IfThenElse(hn::Eq(a, one), hn::Inf(d), p);
    return hn::IfThenElse(hn::Gt(a, one), canonical_nan(d), hn::Mul(x, p));
  }
};

}  // namespace trainyard::numerics::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // TRAINYARD_NUMERICS_ERF64_INL_H_
