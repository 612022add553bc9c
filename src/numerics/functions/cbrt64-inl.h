// The cube root on lanes of double. Included once per SIMD level.
#if defined(TRAINYARD_NUMERICS_CBRT64_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TRAINYARD_NUMERICS_CBRT64_INL_H_
#undef TRAINYARD_NUMERICS_CBRT64_INL_H_
#else
#define TRAINYARD_NUMERICS_CBRT64_INL_H_
#endif

#include "numerics/functions/exp_log64-inl.h"

HWY_BEFORE_NAMESPACE();
namespace trainyard::numerics::HWY_NAMESPACE {

// m^(1/3) for m in [1, 8): two steps of Halley's method towards m^(-1/3), which need no division
// and leave 2^-60, then one correction by the exact remainder.
template <class D>
HWY_INLINE hn::Vec<D> cube_root_of_mantissa(D d, hn::Vec<D> m) {
  const auto one = hn::Set(d, 1.0);
  const auto third = hn::Set(d, fp64::kThirdHi);
  const auto two_ninths = hn::Set(d, 2.0 / 9);
  auto z = polynomial(d, m, fp64::kInverseCubeRoot);
  for (int step = 0; step < 2; ++step) {
    const auto e = fnma(hn::Mul(m, z), hn::Mul(z, z), one);
    z = fma(hn::Mul(z, e), fma(e, two_ninths, third), z);
  }
  const auto z2 = hn::Mul(z, z);
  const auto y = hn::Mul(m, z2);
  const auto [square, square_lo] = two_product(y, y);
  const auto [cube, cube_lo] = two_product(square, y);
  const auto remainder = hn::Sub(hn::Sub(m, cube), fma(square_lo, y, cube_lo));
  return fma(hn::Mul(remainder, third), z2, y);
}

struct Cbrt64 {
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, hn::Vec<D> x) const {
    const hn::RebindToUnsigned<D> du;
    const auto a = hn::Abs(x);
    const auto tiny = hn::Lt(a, hn::Set(d, 0x1p-1022));
    const auto bits = hn::BitCast(du, hn::IfThenElse(tiny, hn::Mul(a, hn::Set(d, 0x1p54)), a));
    const auto two_52 = hn::Set(du, 0x4330000000000000);
    const auto biased = hn::BitCast(d, hn::Or(hn::ShiftRight<52>(bits), two_52));
    const auto e = hn::Sub(biased, hn::Set(d, 0x1p52 + 1023));
    // e = 3 k + j with j in 0, 1, 2.
    const auto k = nearest(d, hn::Mul(hn::Sub(e, hn::Set(d, 1.0)), hn::Set(d, fp64::kThirdHi)));
    const auto j = fnma(k, hn::Set(d, 3.0), e);
    const auto fraction = hn::And(bits, hn::Set(du, 0x000FFFFFFFFFFFFF));
    const auto one = hn::Set(du, 0x3FF0000000000000);
    const auto m = hn::Mul(hn::BitCast(d, hn::Or(fraction, one)), power_of_two(d, j));
    const auto shift = hn::IfThenElseZero(tiny, hn::Set(d, 18.0));
    const auto y = hn::Mul(cube_root_of_mantissa(d, m), power_of_two(d, hn::Sub(k, shift)));
    const auto kept = hn::Or(hn::Eq(a, hn::Zero(d)), hn::Eq(a, hn::Inf(d)));
    return hn::IfThenElse(kept, x, hn::CopySign(y, x));
  }
};

}  // namespace trainyard::numerics::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // TRAINYARD_NUMERICS_CBRT64_INL_H_
