// log, sin, arctan and rsqrt on lanes of double for float data, and the functions that fp32 lanes
// give exactly. Included once per SIMD level.
#if defined(TRAINYARD_NUMERICS_ELEMENTARY_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TRAINYARD_NUMERICS_ELEMENTARY_INL_H_
#undef TRAINYARD_NUMERICS_ELEMENTARY_INL_H_
#else
#define TRAINYARD_NUMERICS_ELEMENTARY_INL_H_
#endif

#include "numerics/functions/coefficients.h"
#include "numerics/functions/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace trainyard::numerics::HWY_NAMESPACE {

// x = 2^exponent * mantissa with mantissa in [sqrt(1/2), sqrt(2)), for normal x > 0.
template <class D>
struct Split {
  hn::Vec<D> exponent;
  hn::Vec<D> mantissa;
};
template <class D>
HWY_INLINE Split<D> split(D d, hn::Vec<D> x) {
  const hn::RebindToUnsigned<D> du;
  const auto root_half = hn::Set(du, 0x3FE6A09E667F3BCD);
  const auto one = hn::Set(du, 0x3FF0000000000000);
  const auto two_52 = hn::Set(du, 0x4330000000000000);
  const auto bits = hn::Add(hn::BitCast(du, x), hn::Sub(one, root_half));
  // An integer below 2^52 becomes a double by its bits alone.
  const auto biased = hn::BitCast(d, hn::Or(hn::ShiftRight<52>(bits), two_52));
  const auto fraction = hn::And(bits, hn::Set(du, 0x000FFFFFFFFFFFFF));
  return {hn::Sub(biased, hn::Set(d, 0x1p52 + 1023)), hn::BitCast(d, hn::Add(fraction, root_half))};
}

// exponent ln 2 + 2 atanh((m - 1) / (m + 1)). Denormal floats are normal doubles.
struct Log {
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, hn::Vec<D> x) const {
    const auto one = hn::Set(d, 1.0);
    const auto infinity = hn::Inf(d);
    const auto [exponent, m] = split(d, x);
    const auto s = hn::Div(hn::Sub(m, one), hn::Add(m, one));
    const auto p = hn::Mul(hn::Add(s, s), polynomial(d, hn::Mul(s, s), fp32::kAtanhLog));
    auto y = fma(exponent, hn::Set(d, 0x1.62e42fefa39efp-1), p);
    y = hn::IfThenElse(hn::Eq(x, infinity), infinity, y);
    y = hn::IfThenElse(hn::Eq(x, hn::Zero(d)), hn::Neg(infinity), y);
    return hn::IfThenElse(is_negative(d, x), canonical_nan(d), y);
  }
};

// Inside [-pi, pi] the zeros at 0 and +-pi are factors. Outside, the cubic of functions.h.
struct Sin {
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, hn::Vec<D> x) const {
    const auto a = hn::Abs(x);
    const auto pi = hn::Set(d, fp32::kPiHi);
    const auto to_pi = hn::Add(hn::Sub(pi, a), hn::Set(d, fp32::kPiLo));
    const auto roots = hn::Mul(hn::Mul(a, to_pi), hn::Add(pi, a));
    const auto inside = hn::Mul(roots, polynomial(d, hn::Mul(a, a), fp32::kSinOverRoots));
    const auto past = hn::Neg(to_pi);
    const auto sixth = hn::Set(d, 1.0 / 6);
    const auto outside = hn::Mul(past, fma(hn::Mul(past, past), sixth, hn::Set(d, -1.0)));
    const auto y = hn::IfThenElse(hn::Lt(to_pi, hn::Zero(d)), outside, inside);
    return hn::Xor(y, hn::And(x, hn::SignBit(d)));
  }
};

// atan(a) = pi/2 - atan(1/a) from 1 on.
struct Arctan {
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, hn::Vec<D> x) const {
    const auto one = hn::Set(d, 1.0);
    const auto a = hn::Abs(x);
    const auto z = hn::Div(hn::Min(a, one), hn::Max(a, one));
    const auto r = hn::Mul(z, polynomial(d, hn::Mul(z, z), fp32::kAtan));
    const auto y = hn::IfThenElse(hn::Gt(a, one), hn::Sub(hn::Set(d, fp32::kPiHi / 2), r), r);
    return hn::CopySign(y, x);
  }
};

struct Rsqrt {
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, hn::Vec<D> x) const {
    const auto y = hn::Div(hn::Set(d, 1.0), hn::Sqrt(x));
    return hn::IfThenElse(is_negative(d, x), canonical_nan(d), y);
  }
};

struct Sqrt {
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, hn::Vec<D> x) const {
    return hn::IfThenElse(is_negative(d, x), canonical_nan(d), hn::Sqrt(x));
  }
};

struct Reciprocal {
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, hn::Vec<D> x) const {
    return hn::Div(hn::Set(d, 1.0f), x);
  }
};

struct Square {
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D, hn::Vec<D> x) const {
    return hn::Mul(x, x);
  }
};

struct Relu {
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, hn::Vec<D> x) const {
    return hn::IfThenElseZero(hn::Gt(x, hn::Zero(d)), x);
  }
};

struct Prelu {
  float slope;
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, hn::Vec<D> x) const {
    const auto scaled = hn::Mul(x, hn::Set(d, slope));
    // A slope of NaN or infinity may make a NaN of its own.
    const auto left = hn::IfThenElse(hn::IsNaN(scaled), canonical_nan(d), scaled);
    return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), left, x);
  }
};

struct Sign {
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, hn::Vec<D> x) const {
    return hn::IfThenElse(hn::Eq(x, hn::Zero(d)), x, hn::CopySign(hn::Set(d, 1.0f), x));
  }
};

struct Abs {
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D, hn::Vec<D> x) const {
    return hn::Abs(x);
  }
};

}  // namespace trainyard::numerics::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // TRAINYARD_NUMERICS_ELEMENTARY_INL_H_
