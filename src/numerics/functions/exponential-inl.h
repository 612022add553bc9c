// The exponential for lanes of float and double: e^x for the activation functions.
// Included once per SIMD level.
#if defined(TRAINYARD_NUMERICS_EXPONENTIAL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TRAINYARD_NUMERICS_EXPONENTIAL_INL_H_
#undef TRAINYARD_NUMERICS_EXPONENTIAL_INL_H_
#else
#define TRAINYARD_NUMERICS_EXPONENTIAL_INL_H_
#endif

#include "numerics/functions/coefficients.h"
#include "numerics/functions/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace trainyard::numerics::HWY_NAMESPACE {

// x = n ln 2 + r with |r| <= ln 2 / 2. `shifted` holds n in its lowest bits.
template <class D>
struct ExpReduced {
  hn::Vec<D> shifted;
  hn::Vec<D> r;
};

// For |x| <= 700. Adding 1.5 * 2^52 rounds to the nearest integer, in the adder.
template <class D>
HWY_INLINE ExpReduced<D> reduce_exp(D d, hn::Vec<D> x) {
  const auto shift = hn::Set(d, 0x1.8p52);
  const auto shifted = fma(x, hn::Set(d, 0x1.71547652b82fep0), shift);  // log2(e)
  const auto n = hn::Sub(shifted, shift);
  return {shifted, fnma(n, hn::Set(d, 0x1.62e42fefa39efp-1), x)};  // ln 2; |n| < 2^10
}

// v * 2^n, where the result is a normal number: n is added to the exponent.
template <class D>
HWY_INLINE hn::Vec<D> times_power(D d, hn::Vec<D> v, hn::Vec<D> shifted) {
  const hn::RebindToUnsigned<D> du;
  const auto n = hn::ShiftLeft<52>(hn::BitCast(du, shifted));
  return hn::BitCast(d, hn::Add(hn::BitCast(du, v), n));
}

// e^x within 2^-28, for |x| <= 700.
template <class D>
HWY_INLINE hn::Vec<D> exp_short(D d, hn::Vec<D> x) {
  const auto [shifted, r] = reduce_exp(d, x);
  return times_power(d, fma(polynomial(d, r, fp32::kExpQuotient), r, hn::Set(d, 1.0)), shifted);
}

// e^x and e^x - 1, each within 2^-30 of itself, for |x| <= 700.
template <class D>
struct ExpAndExpm1 {
  hn::Vec<D> exp;
  hn::Vec<D> expm1;
};
template <class D>
HWY_INLINE ExpAndExpm1<D> expm1_short(D d, hn::Vec<D> x) {
  const auto [shifted, r] = reduce_exp(d, x);
  const auto one = hn::Set(d, 1.0);
  const auto power = times_power(d, one, shifted);
  const auto p = hn::Mul(polynomial(d, r, fp32::kExpm1Quotient), r);
  return {fma(power, p, power), fma(power, p, hn::Sub(power, one))};
}

// v * 2^n for an integer n in [-252, 254], rounded once. `shifted` is n + 1.5 * 2^23.
template <class D>
HWY_INLINE hn::Vec<D> scale32(D d, hn::Vec<D> v, hn::Vec<D> shifted, hn::Vec<D> n) {
#if HWY_TARGET == HWY_AVX3
  (void)shifted;
  return hn::Vec<D>{_mm512_scalef_ps(v.raw, n.raw)};
#else
  // Two factors, as 2^n itself may be no fp32 number. Only the second product can round.
  (void)n;
  const hn::RebindToSigned<D> di;
  const auto k = hn::Sub(hn::BitCast(di, shifted), hn::Set(di, 0x4B400000));
  const auto half = hn::ShiftRight<1>(k);
  const auto one = hn::Set(di, 0x3F800000);
  const auto a = hn::BitCast(d, hn::Add(hn::ShiftLeft<23>(half), one));
  const auto b = hn::BitCast(d, hn::Add(hn::ShiftLeft<23>(hn::Sub(k, half)), one));
  return hn::Mul(hn::Mul(v, a), b);
#endif
}

// e^x in fp32 throughout, within 1 ulp: the one function whose speed decides softmax.
struct Exp32 {
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, hn::Vec<D> x) const {
    // Beyond these bounds the result is 0 or infinity for good.
    x = clamp(d, x, -104.0f, 89.0f);
    const auto shift = hn::Set(d, 0x1.8p23f);
    const auto shifted = fma(x, hn::Set(d, 0x1.715476p0f), shift);
    const auto n = hn::Sub(shifted, shift);
    // ln 2 in two parts; the first has 15 bits, so n times it is exact.
    auto r = fnma(n, hn::Set(d, 0x1.62e4p-1f), x);
    r = fnma(n, hn::Set(d, 0x1.7f7d1cp-20f), r);
    const auto p = fma(polynomial(d, r, fp32::kExpRest32), hn::Mul(r, r), r);
    return scale32(d, hn::Add(p, hn::Set(d, 1.0f)), shifted, n);
  }
};

}  // namespace trainyard::numerics::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // TRAINYARD_NUMERICS_EXPONENTIAL_INL_H_
