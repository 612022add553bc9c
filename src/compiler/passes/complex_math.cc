#include "compiler/passes/complex_math.h"

#include <limits>

namespace trainyard::compiler {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

ComplexPair plus(Emit& e, ComplexPair a, ComplexPair b) {
  return {e.plus(a.re, b.re), e.plus(a.im, b.im)};
}
ComplexPair minus(Emit& e, ComplexPair a, ComplexPair b) {
  return {e.minus(a.re, b.re), e.minus(a.im, b.im)};
}
ComplexPair negate(Emit& e, ComplexPair a) { return {e.negate(a.re), e.negate(a.im)}; }
ComplexPair scaled(Emit& e, ComplexPair a, ValueId by) {
  return {e.times(a.re, by), e.times(a.im, by)};
}
ComplexPair one(Emit& e, ComplexPair like) { return {e.like(like.re, 1), e.like(like.re, 0)}; }
ValueId half(Emit& e, ValueId a) { return e.times(a, e.like(a, 0.5)); }
ValueId is_zero(Emit& e, ValueId a) { return e.compare(Direction::Eq, a, e.like(a, 0)); }

ValueId exponential(Emit& e, ValueId a) { return e.unary(OpKind::Exponential, a); }
ValueId cosine(Emit& e, ValueId a) { return e.unary(OpKind::Cosine, a); }
ValueId sine(Emit& e, ValueId a) { return e.unary(OpKind::Sine, a); }

// (e^x + e^-x) / 2
ValueId cosh(Emit& e, ValueId x) {
  return half(e, e.plus(exponential(e, x), exponential(e, e.negate(x))));
}
// (e^x - e^-x) / 2, by expm1: near 0 the difference of exponentials has no digits.
ValueId sinh(Emit& e, ValueId x) {
  const ValueId up = e.unary(OpKind::ExponentialMinusOne, x);
  const ValueId down = e.unary(OpKind::ExponentialMinusOne, e.negate(x));
  return half(e, e.minus(up, down));
}

ComplexPair exp(Emit& e, ComplexPair a) {
  const ValueId size = exponential(e, a.re);
  // e^inf * sin(0) is 0, not NaN.
  const ValueId im = e.times(size, sine(e, a.im));
  return {e.times(size, cosine(e, a.im)), e.select(is_zero(e, a.im), a.im, im)};
}

// e^a cos b - 1 = expm1(a) cos b - 2 sin^2(b / 2)
ComplexPair exp_minus_one(Emit& e, ComplexPair a) {
  const ValueId less = e.unary(OpKind::ExponentialMinusOne, a.re);
  const ValueId wave = sine(e, half(e, a.im));
  const ValueId dip = e.times(e.like(wave, 2), e.times(wave, wave));
  const ValueId im = e.times(exponential(e, a.re), sine(e, a.im));
  return {e.minus(e.times(less, cosine(e, a.im)), dip), e.select(is_zero(e, a.im), a.im, im)};
}

ComplexPair log(Emit& e, ComplexPair a) {
  return {e.unary(OpKind::Log, complex_abs(e, a)), e.binary(OpKind::Atan2, a.im, a.re)};
}

// |1 + z|^2 - 1 = re (2 + re) + im^2 keeps its digits near 0; far from it the plain logarithm does.
ComplexPair log_plus_one(Emit& e, ComplexPair a) {
  const ValueId above = e.plus(a.re, e.like(a.re, 1));
  const ValueId gain = e.plus(e.times(a.re, e.plus(a.re, e.like(a.re, 2))), e.times(a.im, a.im));
  const ValueId near = half(e, e.unary(OpKind::LogPlusOne, gain));
  const ValueId far = e.unary(OpKind::Log, complex_abs(e, {above, a.im}));
  const ValueId small = e.compare(Direction::Lt, e.abs(gain), e.like(gain, 0.5));
  return {e.select(small, near, far), e.binary(OpKind::Atan2, a.im, above)};
}

// With t = sqrt((|re| + |z|) / 2): re > 0: (t, im / 2t), else (|im| / 2t, sign(im) t).
ComplexPair sqrt(Emit& e, ComplexPair a) {
  const ValueId size = complex_abs(e, a);
  const ValueId t = e.unary(OpKind::Sqrt, e.plus(half(e, e.abs(a.re)), half(e, size)));
  const ValueId zero = is_zero(e, size);
  const ValueId safe = e.select(zero, e.like(t, 1), e.plus(t, t));
  const ValueId other = e.over(e.abs(a.im), safe);
  const ValueId right = e.compare(Direction::Ge, a.re, e.like(a.re, 0));
  const ValueId re = e.select(right, t, other);
  const ValueId size_im = e.select(right, other, t);
  const ValueId below = e.compare(Direction::Lt, a.im, e.like(a.im, 0));
  const ValueId im = e.select(below, e.negate(size_im), size_im);
  return {e.select(zero, size, re), e.select(zero, a.im, im)};
}

// tanh(x + iy) = (sinh x cosh x + i sin y cos y) / (sinh^2 x + cos^2 y). For large |x| it is the
// sign of x, and the exponentials would overflow.
ComplexPair tanh(Emit& e, ComplexPair a) {
  constexpr double kLarge = 20;
  const ValueId large = e.compare(Direction::Gt, e.abs(a.re), e.like(a.re, kLarge));
  const ValueId x = e.select(large, e.like(a.re, kLarge), a.re);
  const ValueId sh = sinh(e, x);
  const ValueId ch = cosh(e, x);
  const ValueId c = cosine(e, a.im);
  const ValueId below = e.plus(e.times(sh, sh), e.times(c, c));
  const ValueId re = e.over(e.times(sh, ch), below);
  const ValueId im = e.over(e.times(sine(e, a.im), c), below);
  return {e.select(large, e.unary(OpKind::Sign, a.re), re),
          e.select(large, e.times(im, e.like(im, 0)), im)};
}

// Functions of iz by functions of z: sin z = -i sinh(iz), tan z = -i tanh(iz).
ComplexPair tan(Emit& e, ComplexPair a) {
  const ComplexPair turned = tanh(e, {e.negate(a.im), a.re});
  return {turned.im, e.negate(turned.re)};
}

ComplexPair sign(Emit& e, ComplexPair a) {
  const ValueId size = complex_abs(e, a);
  const ValueId zero = is_zero(e, size);
  const ValueId safe = e.select(zero, e.like(size, 1), size);
  return {e.over(a.re, safe), e.over(a.im, safe)};
}

// exp(b log a); 0^b is 0, and 1 for b = 0.
ComplexPair power(Emit& e, ComplexPair a, ComplexPair b) {
  const ComplexPair general = exp(e, complex_multiply(e, b, log(e, a)));
  const ValueId zero = is_zero(e, complex_abs(e, a));
  const ValueId none = is_zero(e, complex_abs(e, b));
  const ComplexPair unit = one(e, a);
  const ComplexPair known = {e.select(none, unit.re, unit.im), unit.im};
  const ValueId special = e.binary(OpKind::Or, zero, none);
  return {e.select(special, known.re, general.re), e.select(special, known.im, general.im)};
}

// atan2(y, x) = -i log((x + iy) / sqrt(x^2 + y^2))
ComplexPair atan2(Emit& e, ComplexPair y, ComplexPair x) {
  const ComplexPair turned = {e.minus(x.re, y.im), e.plus(x.im, y.re)};
  const ComplexPair length = sqrt(e, plus(e, complex_multiply(e, x, x), complex_multiply(e, y, y)));
  const ComplexPair angle = log(e, complex_divide(e, turned, length));
  return {angle.im, e.negate(angle.re)};
}

}  // namespace

ComplexPair complex_multiply(Emit& e, ComplexPair a, ComplexPair b) {
  return {e.minus(e.times(a.re, b.re), e.times(a.im, b.im)),
          e.plus(e.times(a.re, b.im), e.times(a.im, b.re))};
}

ComplexPair complex_divide(Emit& e, ComplexPair a, ComplexPair b) {
  const ValueId wide = e.compare(Direction::Ge, e.abs(b.re), e.abs(b.im));
  const ValueId large = e.select(wide, b.re, b.im);
  const ValueId small = e.select(wide, b.im, b.re);
  const ValueId zero = is_zero(e, large);
  const ValueId ratio = e.select(zero, e.like(large, 0), e.over(small, large));
  const ValueId below = e.plus(large, e.times(small, ratio));
  // wide: (re + im r, im - re r) / below, else (re r + im, im r - re) / below
  const ValueId first = e.select(wide, a.re, a.im);
  const ValueId second = e.select(wide, a.im, a.re);
  const ValueId re = e.plus(first, e.times(second, ratio));
  const ValueId im_wide = e.minus(a.im, e.times(a.re, ratio));
  const ValueId im_tall = e.minus(e.times(a.im, ratio), a.re);
  return {e.over(re, below), e.over(e.select(wide, im_wide, im_tall), below)};
}

ValueId complex_abs(Emit& e, ComplexPair a) {
  const ValueId x = e.abs(a.re);
  const ValueId y = e.abs(a.im);
  const ValueId large = e.binary(OpKind::Maximum, x, y);
  const ValueId small = e.binary(OpKind::Minimum, x, y);
  const ValueId zero = is_zero(e, large);
  const ValueId ratio = e.over(small, e.select(zero, e.like(large, 1), large));
  const ValueId root = e.unary(OpKind::Sqrt, e.plus(e.like(x, 1), e.times(ratio, ratio)));
  const ValueId infinity = e.like(x, kInfinity);
  const ValueId endless = e.binary(OpKind::Or, e.compare(Direction::Eq, x, infinity),
                                   e.compare(Direction::Eq, y, infinity));
  return e.select(endless, infinity, e.times(large, root));
}

std::optional<ComplexPair> complex_unary(Emit& e, OpKind kind, ComplexPair a) {
  switch (kind) {
    case OpKind::Negate:
      return negate(e, a);
    case OpKind::Exponential:
      return exp(e, a);
    case OpKind::ExponentialMinusOne:
      return exp_minus_one(e, a);
    case OpKind::Log:
      return log(e, a);
    case OpKind::LogPlusOne:
      return log_plus_one(e, a);
    case OpKind::Sqrt:
      return sqrt(e, a);
    case OpKind::Rsqrt:
      return complex_divide(e, one(e, a), sqrt(e, a));
    case OpKind::Tanh:
      return tanh(e, a);
    case OpKind::Tan:
      return tan(e, a);
    case OpKind::Sine:
      return ComplexPair{e.times(sine(e, a.re), cosh(e, a.im)),
                         e.times(cosine(e, a.re), sinh(e, a.im))};
    case OpKind::Cosine:
      return ComplexPair{e.times(cosine(e, a.re), cosh(e, a.im)),
                         e.negate(e.times(sine(e, a.re), sinh(e, a.im)))};
    case OpKind::Sign:
      return sign(e, a);
    case OpKind::Logistic:
      return complex_divide(e, one(e, a), plus(e, one(e, a), exp(e, negate(e, a))));
    case OpKind::Cbrt: {
      const ComplexPair l = log(e, a);
      const ComplexPair root = exp(e, scaled(e, l, e.like(l.re, 1.0 / 3.0)));
      const ValueId zero = is_zero(e, complex_abs(e, a));
      return ComplexPair{e.select(zero, a.re, root.re), e.select(zero, a.im, root.im)};
    }
    default:
      return std::nullopt;
  }
}

std::optional<ComplexPair> complex_binary(Emit& e, OpKind kind, ComplexPair a, ComplexPair b) {
  switch (kind) {
    case OpKind::Add:
      return plus(e, a, b);
    case OpKind::Subtract:
      return minus(e, a, b);
    case OpKind::Multiply:
      return complex_multiply(e, a, b);
    case OpKind::Divide:
      return complex_divide(e, a, b);
    case OpKind::Power:
      return power(e, a, b);
    case OpKind::Atan2:
      return atan2(e, a, b);
    default:
      return std::nullopt;
  }
}

}  // namespace trainyard::compiler
