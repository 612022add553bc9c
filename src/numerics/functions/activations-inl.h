// The activation functions on lanes of double, for float data: see functions.h for what they mean.
// Included once per SIMD level.
//
// A kernel needs about 2^-28 relative accuracy, everywhere: after the rounding to float that is 0.6
// ulp. Doubles make that easy but for two things, which shape the formulas below. A zero of the
// result must be a factor of the formula, else the difference of two terms loses every bit next to
// it. And a tail that falls to the smallest denormal must keep its relative accuracy, so it is a
// product with e^-x, never 1 minus something. Each kernel limits its input first where e^x would
// leave the range of a double; beyond the limit the float result no longer changes.
#if defined(TRAINYARD_NUMERICS_ACTIVATIONS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TRAINYARD_NUMERICS_ACTIVATIONS_INL_H_
#undef TRAINYARD_NUMERICS_ACTIVATIONS_INL_H_
#else
#define TRAINYARD_NUMERICS_ACTIVATIONS_INL_H_
#endif

#include "numerics/functions/exponential-inl.h"

HWY_BEFORE_NAMESPACE();
namespace trainyard::numerics::HWY_NAMESPACE {

// e^-|x| is 0 in fp32 for a factor of any size that occurs here.
inline constexpr double kFar = 200.0;
// The slope of gelu_apprx_sigmoid.
inline constexpr double kApprxSigmoidSlope = 1.702;

// x / (1 + e^-z), where z has the sign of x and grows with it.
template <class D>
HWY_INLINE hn::Vec<D> gate(D d, hn::Vec<D> x, hn::Vec<D> z) {
  const auto e = exp_short(d, clamp(d, hn::Neg(z), -kFar, kFar));
  return hn::Div(x, hn::Add(hn::Set(d, 1.0), e));
}

// Keeps -Inf times 0 out of the gates.
template <class D>
HWY_INLINE hn::Vec<D> above_minus_far(D d, hn::Vec<D> x) {
  return hn::Max(x, hn::Set(d, -kFar));
}

struct Sigmoid {
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, hn::Vec<D> x) const {
    return gate(d, hn::Set(d, 1.0), x);
  }
};

struct Silu {
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, hn::Vec<D> x) const {
    x = above_minus_far(d, x);
    return gate(d, x, x);
  }
};

struct GeluApprxSigmoid {
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, hn::Vec<D> x) const {
    x = above_minus_far(d, x);
    return gate(d, x, hn::Mul(x, hn::Set(d, kApprxSigmoidSlope)));
  }
};

// (1 + tanh u) / 2 is the sigmoid of 2u.
struct GeluApprxTanh {
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, hn::Vec<D> x) const {
    const auto two_root = hn::Set(d, 0x1.9884533d43651p0);  // 2 sqrt(2 / pi)
    x = above_minus_far(d, x);
    const auto cubic = fma(hn::Mul(x, x), hn::Set(d, 0.044715), hn::Set(d, 1.0));
    return gate(d, x, hn::Mul(hn::Mul(x, two_root), cubic));
  }
};

// silu'(z) = (1 + (1 + z) e^-z) / (1 + e^-z)^2 has a zero r near -1.28. With t = z - r and
// k = e^-r = -1 / (1 + r) the numerator is k t e^-t - (e^-t - 1): two terms of one sign.
template <class D>
HWY_INLINE hn::Vec<D> gate_slope(D d, hn::Vec<D> t) {
  const auto k = hn::Set(d, fp32::kSiluDxPowerAtRoot);
  const auto [power, power_m1] = expm1_short(d, hn::Neg(t));
  const auto e = hn::Mul(k, power);
  const auto one_plus = hn::Add(hn::Set(d, 1.0), e);
  return hn::Div(hn::Sub(hn::Mul(t, e), power_m1), hn::Mul(one_plus, one_plus));
}

struct SiluDx {
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, hn::Vec<D> x) const {
    const auto near = hn::Sub(clamp(d, x, -kFar, kFar), hn::Set(d, fp32::kSiluDxRootHi));
    return gate_slope(d, hn::Sub(near, hn::Set(d, fp32::kSiluDxRootLo)));
  }
};

struct GeluApprxSigmoidDx {
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, hn::Vec<D> x) const {
    const auto near = fma(clamp(d, x, -kFar / 2, kFar / 2), hn::Set(d, kApprxSigmoidSlope),
                          hn::Set(d, -fp32::kSiluDxRootHi));
    return gate_slope(d, hn::Sub(near, hn::Set(d, fp32::kSiluDxRootLo)));
  }
};

// (e^2x - 1) / (e^2x + 1)
struct Tanh {
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, hn::Vec<D> x) const {
    const auto limited = clamp(d, x, -20.0, 20.0);
    const auto e = expm1_short(d, hn::Add(limited, limited)).expm1;
    return hn::CopySign(hn::Div(e, hn::Add(e, hn::Set(d, 2.0))), x);
  }
};

// max(x, 0) + log1p(e^-|x|), with log1p(y) = 2 atanh(y / (2 + y)).
struct Softplus {
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, hn::Vec<D> x) const {
    const auto y = exp_short(d, hn::Max(hn::Neg(hn::Abs(x)), hn::Set(d, -kFar)));
    const auto s = hn::Div(y, hn::Add(y, hn::Set(d, 2.0)));
    const auto p = polynomial(d, hn::Mul(s, s), fp32::kAtanhSoftplus);
    return fma(hn::Add(s, s), p, hn::Max(x, hn::Zero(d)));
  }
};

// tanh(ln(1 + u)) = n / (n + 2) with n = u (u + 2), u = e^x: no cancellation.
struct Mish {
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, hn::Vec<D> x) const {
    const auto two = hn::Set(d, 2.0);
    x = above_minus_far(d, x);
    const auto u = exp_short(d, hn::Min(x, hn::Set(d, 40.0)));
    const auto n = hn::Mul(u, hn::Add(u, two));
    return hn::Mul(x, hn::Div(n, hn::Add(n, two)));
  }
};

// e^(-a^2 / 2) for 0 <= a <= 20; a comes from a float, so its square is exact.
template <class D>
HWY_INLINE hn::Vec<D> gaussian(D d, hn::Vec<D> a) {
  return exp_short(d, hn::Mul(hn::Mul(a, a), hn::Set(d, -0.5)));
}

// The variable in which the Gaussian tails are polynomials.
template <class D>
HWY_INLINE hn::Vec<D> tail_variable(D d, hn::Vec<D> a) {
  return hn::Div(hn::Set(d, 1.0), hn::Add(a, hn::Set(d, 4.0)));
}

// x Phi(x), with Phi(-a) = e^(-a^2/2) t P(t).
struct Gelu {
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, hn::Vec<D> x) const {
    x = hn::Max(x, hn::Set(d, -15.0));
    const auto a = hn::Min(hn::Abs(x), hn::Set(d, 15.0));
    const auto t = tail_variable(d, a);
    const auto tail = hn::Mul(gaussian(d, a), hn::Mul(t, polynomial(d, t, fp32::kNormalTail)));
    const auto phi = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), tail, hn::Sub(hn::Set(d, 1.0), tail));
    return hn::Mul(x, phi);
  }
};

// Phi(x) + x phi(x) is 1 minus its mirror image, and has a zero near -0.75.
struct GeluDx {
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, hn::Vec<D> x) const {
    const auto a = hn::Min(hn::Abs(x), hn::Set(d, 16.0));
    const auto t = tail_variable(d, a);
    const auto from_root =
        hn::Add(hn::Sub(hn::Set(d, fp32::kGeluDxRootHi), a), hn::Set(d, fp32::kGeluDxRootLo));
    const auto left =
        hn::Mul(hn::Mul(gaussian(d, a), from_root), polynomial(d, t, fp32::kGeluDxOverRoot));
    return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), left, hn::Sub(hn::Set(d, 1.0), left));
  }
};

// fp32 erf is 1 from 3.92 on.
struct Erf {
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, hn::Vec<D> x) const {
    x = clamp(d, x, -3.95, 3.95);
    return hn::Mul(x, polynomial(d, hn::Mul(x, x), fp32::kErf));
  }
};

struct ErfDx {
  template <class D>
  HWY_INLINE hn::Vec<D> operator()(D d, hn::Vec<D> x) const {
    x = clamp(d, x, -14.0, 14.0);
    const auto two_over_root_pi = hn::Set(d, 0x1.20dd750429b6dp0);
    return hn::Mul(exp_short(d, hn::Neg(hn::Mul(x, x))), two_over_root_pi);
  }
};

}  // namespace trainyard::numerics::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // TRAINYARD_NUMERICS_ACTIVATIONS_INL_H_
