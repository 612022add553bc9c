// e^x, ln x and what follows from them, on lanes of double, to about one ulp of a double.
// Included once per SIMD level.
#if defined(TRAINYARD_NUMERICS_EXP_LOG64_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TRAINYARD_NUMERICS_EXP_LOG64_INL_H_
#undef TRAINYARD_NUMERICS_EXP_LOG64_INL_H_
#else
#define TRAINYARD_NUMERICS_EXP_LOG64_INL_H_
#endif

#include "numerics/functions/coefficients64.h"
#include "numerics/functions/double_double-inl.h"
#include "numerics/functions/elementary-inl.h"

HWY_BEFORE_NAMESPACE();
namespace trainyard::numerics::HWY_NAMESPACE {

// Adding it rounds to the nearest integer and puts that integer into the lowest bits.
inline constexpr double kRoundShift = 0x1.8p52;

template <class D>
HWY_INLINE hn::Vec<D> nearest(D d, hn::Vec<D> x) {
  const auto shift = hn::Set(d, kRoundShift);
  return hn::Sub(hn::Add(x, shift), shift);
}

// 2^n for an integer n in [-1022, 1023].
template <class D>
HWY_INLINE hn::Vec<D> power_of_two(D d, hn::Vec<D> n) {
  const hn::RebindToUnsigned<D> du;
  const auto bits = hn::BitCast(du, hn::Add(n, hn::Set(d, kRoundShift)));
  return hn::BitCast(d, hn::Add(hn::ShiftLeft<52>(bits), hn::Set(du, 0x3FF0000000000000)));
}

// v * 2^n for |n| < 2000, rounded once.
template <class D>
HWY_INLINE hn::Vec<D> scale64(D d, hn::Vec<D> v, hn::Vec<D> n) {
  const auto half = nearest(d, hn::Mul(n, hn::Set(d, 0.5)));
  return hn::Mul(hn::Mul(v, power_of_two(d, half)), power_of_two(d, hn::Sub(n, half)));
}

// e^(x + tail) = 2^n (1 + r + rest), where |rest| < |r| / 4.
template <class D>
struct ExpParts {
  hn::Vec<D> n;
  hn::Vec<D> r;
  hn::Vec<D> rest;
};
// For |x| < 1000 and |tail| below an ulp of x.
template <class D>
HWY_INLINE ExpParts<D> exp_parts(D d, hn::Vec<D> x, hn::Vec<D> tail) {
  const auto n = nearest(d, hn::Mul(x, hn::Set(d, 0x1.71547652b82fep0)));  // log2(e)
  const auto exact = fnma(n, hn::Set(d, fp64::kLn2Hi), x);
  const auto [r, lost] = two_sum(exact, fnma(n, hn::Set(d, fp64::kLn2Lo), tail));
  return {n, r, fma(polynomial(d, r, fp64::kExpRest), hn::Mul(r, r), lost)};
}

// 2^n (1 + r + rest)
template <class D>
HWY_INLINE hn::Vec<D> exp_of(D d, const ExpParts<D>& parts) {
  const auto [sum, lost] = fast_two_sum(hn::Set(d, 1.0), parts.r);
  return scale64(d, hn::Add(sum, hn::Add(lost, parts.rest)), parts.n);
}

// The largest and the smallest argument at which e^x still changes.
inline constexpr double kExpMost = 710.0;
inline constexpr double kExpLeast = -746.0;

struct Exp64 {
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, hn::Vec<D> x) const {
    return exp_of(d, exp_parts(d, clamp(d, x, kExpLeast, kExpMost), hn::Zero(d)));
  }
};

// 2^n ((1 - 2^-n) + r + rest)
struct Expm1_64 {
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, hn::Vec<D> x) const {
    const auto [n, r, rest] = exp_parts(d, clamp(d, x, -50.0, kExpMost), hn::Zero(d));
    const auto down = power_of_two(d, hn::Neg(hn::Min(n, hn::Set(d, 1000.0))));
    const auto [sum, lost] = two_sum(hn::Sub(hn::Set(d, 1.0), down), r);
    return hn::CopySign(scale64(d, hn::Add(sum, hn::Add(lost, rest)), n), x);
  }
};

// a / (b + c), rounded about once; 0 < b + c.
template <class D>
HWY_INLINE hn::Vec<D> divide_by_sum(D d, hn::Vec<D> a, hn::Vec<D> b, hn::Vec<D> c) {
  const auto [den, lost] = two_sum(b, c);
  const auto inverse = hn::Div(hn::Set(d, 1.0), den);
  const auto quotient = hn::Mul(a, inverse);
  const auto left = fnma(quotient, lost, fnma(quotient, den, a));
  return fma(left, inverse, quotient);
}

struct Tanh64 {
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, hn::Vec<D> x) const {
    const auto a = hn::Min(hn::Abs(x), hn::Set(d, 25.0));
    const auto e = Expm1_64()(d, hn::Add(a, a));
    return hn::CopySign(divide_by_sum(d, e, e, hn::Set(d, 2.0)), x);
  }
};

struct Logistic64 {
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, hn::Vec<D> x) const {
    const auto one = hn::Set(d, 1.0);
    const auto e = Exp64()(d, hn::Neg(hn::Abs(x)));
    const auto above = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), e, one);
    return divide_by_sum(d, above, one, e);
  }
};

// split() for every x > 0, also denormal.
template <class D>
HWY_INLINE Split<D> split_any(D d, hn::Vec<D> x) {
  const auto tiny = hn::Lt(x, hn::Set(d, 0x1p-1022));
  const auto parts = split(d, hn::IfThenElse(tiny, hn::Mul(x, hn::Set(d, 0x1p54)), x));
  const auto shift = hn::IfThenElseZero(tiny, hn::Set(d, 54.0));
  return {hn::Sub(parts.exponent, shift), parts.mantissa};
}

// ln(x) + correction for x > 0. With f = m - 1 and s = f / (2 + f), ln(1 + f) is
// f - (f^2/2 - s (f^2/2 + R(s^2))): the terms behind f are small, so their errors are too.
template <class D>
HWY_INLINE hn::Vec<D> log_positive(D d, hn::Vec<D> x, hn::Vec<D> correction) {
  const auto [k, m] = split_any(d, x);
  const auto f = hn::Sub(m, hn::Set(d, 1.0));
  const auto s = hn::Div(f, hn::Add(f, hn::Set(d, 2.0)));
  const auto z = hn::Mul(s, s);
  const auto rest = hn::Mul(z, polynomial(d, z, fp64::kLogRest));
  const auto half_square = hn::Mul(hn::Mul(f, f), hn::Set(d, 0.5));
  const auto low = fma(k, hn::Set(d, fp64::kLn2Lo), correction);
  const auto small = hn::Sub(half_square, fma(s, hn::Add(half_square, rest), low));
  return hn::Sub(hn::Mul(k, hn::Set(d, fp64::kLn2Hi)), hn::Sub(small, f));
}

// The values of a logarithm of u where the formula has none.
template <class D>
HWY_INLINE hn::Vec<D> log_edges(D d, hn::Vec<D> u, hn::Vec<D> y) {
  const auto infinity = hn::Inf(d);
  y = hn::IfThenElse(hn::Eq(u, infinity), infinity, y);
  y = hn::IfThenElse(hn::Eq(u, hn::Zero(d)), hn::Neg(infinity), y);
  return hn::IfThenElse(is_negative(d, u), canonical_nan(d), y);
}

struct Log64 {
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, hn::Vec<D> x) const {
    return log_edges(d, x, log_positive(d, x, hn::Zero(d)));
  }
};

// ln(u) + e/u with 1 + x = u + e exactly.
struct Log1p64 {
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, hn::Vec<D> x) const {
    const auto [u, e] = two_sum(hn::Set(d, 1.0), x);
    const auto y = log_edges(d, u, log_positive(d, u, hn::Div(e, u)));
    return hn::IfThenElse(hn::Eq(x, hn::Zero(d)), x, y);
  }
};

}  // namespace trainyard::numerics::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // TRAINYARD_NUMERICS_EXP_LOG64_INL_H_
