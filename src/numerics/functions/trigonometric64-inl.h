// sin, cos, tan with full range reduction, and atan2, on lanes of double.
// Included once per SIMD level.
#if defined(TRAINYARD_NUMERICS_TRIGONOMETRIC64_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TRAINYARD_NUMERICS_TRIGONOMETRIC64_INL_H_
#undef TRAINYARD_NUMERICS_TRIGONOMETRIC64_INL_H_
#else
#define TRAINYARD_NUMERICS_TRIGONOMETRIC64_INL_H_
#endif

#include "numerics/functions/exp_log64-inl.h"
#include "numerics/functions/range_reduction.h"

HWY_BEFORE_NAMESPACE();
namespace trainyard::numerics::HWY_NAMESPACE {

// x = quadrant pi/2 + hi + lo; the lowest bits of `turns` are the quadrant.
template <class D>
struct Angle {
  hn::Vec<D> hi;
  hn::Vec<D> lo;
  hn::Vec<hn::RebindToUnsigned<D>> turns;
};

inline constexpr double kLargeAngle = 0x1p30;

// For |x| < kLargeAngle. pi/2 in three parts; each product is exact, and x - n pi/2 loses its
// leading bits without error.
template <class D>
HWY_INLINE Angle<D> reduce_angle(D d, hn::Vec<D> x) {
  const hn::RebindToUnsigned<D> du;
  const auto n = nearest(d, hn::Mul(x, hn::Set(d, 0x1.45f306dc9c883p-1)));  // 2 / pi
  const auto [p1, p1_lo] = two_product(n, hn::Set(d, fp64::kHalfPi1));
  const auto [p2, p2_lo] = two_product(n, hn::Set(d, fp64::kHalfPi2));
  const auto [a, a_lost] = two_sum(hn::Sub(x, p1), hn::Neg(p1_lo));
  const auto [b, b_lost] = two_sum(a, hn::Neg(p2));
  const auto low =
      hn::Sub(hn::Sub(hn::Add(a_lost, b_lost), p2_lo), hn::Mul(n, hn::Set(d, fp64::kHalfPi3)));
  const auto [hi, lo] = fast_two_sum(b, low);
  return {hi, lo, hn::BitCast(du, hn::Add(n, hn::Set(d, kRoundShift)))};
}

// Replaces the lanes of `angle` whose x is too large for reduce_angle. Rare, so one by one.
template <class D>
HWY_INLINE Angle<D> reduce_large_lanes(D d, hn::Vec<D> x, Angle<D> angle) {
  const hn::RebindToUnsigned<D> du;
  HWY_ALIGN double xs[HWY_MAX_BYTES / sizeof(double)];
  HWY_ALIGN double his[HWY_MAX_BYTES / sizeof(double)];
  HWY_ALIGN double los[HWY_MAX_BYTES / sizeof(double)];
  HWY_ALIGN uint64_t turns[HWY_MAX_BYTES / sizeof(double)];
  hn::Store(x, d, xs);
  hn::Store(angle.hi, d, his);
  hn::Store(angle.lo, d, los);
  hn::Store(angle.turns, du, turns);
  for (size_t i = 0; i < hn::Lanes(d); ++i) {
    if (!(std::fabs(xs[i]) >= kLargeAngle) || std::isinf(xs[i])) continue;
    const ReducedAngle large = reduce_large_angle(xs[i]);
    his[i] = large.hi;
    los[i] = large.lo;
    turns[i] = static_cast<uint64_t>(large.quadrant);
  }
  return {hn::Load(d, his), hn::Load(d, los), hn::Load(du, turns)};
}

// sin and cos of x, before the zero and the infinities.
template <class D>
struct SinCos {
  hn::Vec<D> sin;
  hn::Vec<D> cos;
};
template <class D>
HWY_INLINE SinCos<D> sin_cos(D d, hn::Vec<D> x) {
  const hn::RebindToUnsigned<D> du;
  const auto one = hn::Set(d, 1.0);
  Angle<D> angle = reduce_angle(d, x);
  if (!hn::AllFalse(d, hn::Ge(hn::Abs(x), hn::Set(d, kLargeAngle)))) [[unlikely]] {
    angle = reduce_large_lanes(d, x, angle);
  }
  const auto [r, lo, turns] = angle;
  const auto z = hn::Mul(r, r);
  const auto half = hn::Mul(z, hn::Set(d, 0.5));

  const auto cube = hn::Mul(hn::Mul(r, z), polynomial(d, z, fp64::kSinRest));
  const auto s = hn::Add(r, fma(lo, hn::Sub(one, half), cube));
  const auto w = hn::Sub(one, half);
  const auto fourth = fnma(r, lo, hn::Mul(hn::Mul(z, z), polynomial(d, z, fp64::kCosRest)));
  const auto c = hn::Add(w, hn::Add(hn::Sub(hn::Sub(one, w), half), fourth));

  // Quadrant q turns (sin, cos) into (cos, -sin) q times.
  const auto bit0 = hn::Set(du, 1);
  const auto odd = hn::RebindMask(d, hn::Eq(hn::And(turns, bit0), bit0));
  const auto sin_sign = hn::BitCast(d, hn::ShiftLeft<62>(hn::And(turns, hn::Set(du, 2))));
  const auto cos_turns = hn::And(hn::Add(turns, bit0), hn::Set(du, 2));
  const auto cos_sign = hn::BitCast(d, hn::ShiftLeft<62>(cos_turns));
  return {hn::Xor(hn::IfThenElse(odd, c, s), sin_sign),
          hn::Xor(hn::IfThenElse(odd, s, c), cos_sign)};
}

template <class D>
HWY_INLINE hn::Vec<D> nan_at_infinity(D d, hn::Vec<D> x, hn::Vec<D> y) {
  return hn::IfThenElse(hn::Eq(hn::Abs(x), hn::Inf(d)), canonical_nan(d), y);
}

template <class D>
HWY_INLINE hn::Vec<D> keep_zero(D d, hn::Vec<D> x, hn::Vec<D> y) {
  return hn::IfThenElse(hn::Eq(x, hn::Zero(d)), x, y);
}

struct Sin64 {
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, hn::Vec<D> x) const {
    return keep_zero(d, x, nan_at_infinity(d, x, sin_cos(d, x).sin));
  }
};

struct Cos64 {
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, hn::Vec<D> x) const {
    return nan_at_infinity(d, x, sin_cos(d, x).cos);
  }
};

struct Tan64 {
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, hn::Vec<D> x) const {
    const auto [s, c] = sin_cos(d, x);
    return keep_zero(d, x, nan_at_infinity(d, x, hn::Div(s, c)));
  }
};

// The angle of the point (big, small) with 0 <= small <= big: below 22.5 degrees the series of
// small / big, above it that of the angle to the diagonal.
template <class D>
HWY_INLINE hn::Vec<D> octant_angle(D d, hn::Vec<D> small, hn::Vec<D> big) {
  const auto steep = hn::Gt(small, hn::Mul(big, hn::Set(d, 0x1.a827999fcef32p-2)));  // tan 22.5
  const auto above = hn::IfThenElse(steep, hn::Sub(small, big), small);
  const auto below = hn::IfThenElse(steep, hn::Add(small, big), big);
  const auto t = hn::Div(above, below);
  const auto z = hn::Mul(t, t);
  const auto rest = hn::Mul(hn::Mul(t, z), polynomial(d, z, fp64::kAtanRest));
  const auto quarter = hn::IfThenElseZero(steep, hn::Set(d, fp64::kPiHi / 4));
  const auto quarter_lo = hn::IfThenElseZero(steep, hn::Set(d, fp64::kPiLo / 4));
  return hn::Add(quarter, hn::Add(t, hn::Add(rest, quarter_lo)));
}

// IEEE 754 atan2: also for two zeros and two infinities, where only the signs count.
struct Atan2_64 {
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, hn::Vec<D> y, hn::Vec<D> x) const {
    const auto infinity = hn::Inf(d);
    auto ax = hn::Abs(x);
    auto ay = hn::Abs(y);
    const auto nan = hn::Or(hn::IsNaN(x), hn::IsNaN(y));
    const auto both = hn::And(hn::Eq(ax, infinity), hn::Eq(ay, infinity));
    const auto down = hn::Set(d, 0x1p-2);  // the sum of two large numbers stays finite
    const auto huge = hn::Gt(hn::Max(ax, ay), hn::Set(d, 0x1p1000));
    ax = hn::IfThenElse(both, hn::Set(d, 1.0), hn::IfThenElse(huge, hn::Mul(ax, down), ax));
    ay = hn::IfThenElse(both, hn::Set(d, 1.0), hn::IfThenElse(huge, hn::Mul(ay, down), ay));
    const auto big = hn::Max(ax, ay);
    const auto origin = hn::Eq(big, hn::Zero(d));
    auto angle = octant_angle(d, hn::Min(ax, ay), hn::IfThenElse(origin, hn::Set(d, 1.0), big));

    const auto half_pi = hn::Set(d, fp64::kPiHi / 2);
    const auto half_pi_lo = hn::Set(d, fp64::kPiLo / 2);
    const auto beyond = hn::Gt(ay, ax);
    angle = hn::IfThenElse(beyond, hn::Add(hn::Sub(half_pi, angle), half_pi_lo), angle);
    const hn::RebindToSigned<D> di;
    const auto left = hn::RebindMask(d, hn::Lt(hn::BitCast(di, x), hn::Zero(di)));
    const auto mirrored = hn::Add(hn::Sub(hn::Set(d, fp64::kPiHi), angle), hn::Set(d, fp64::kPiLo));
    angle = hn::CopySign(hn::IfThenElse(left, mirrored, angle), y);
    return hn::IfThenElse(nan, canonical_nan(d), angle);
  }
};

}  // namespace trainyard::numerics::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // TRAINYARD_NUMERICS_TRIGONOMETRIC64_INL_H_
