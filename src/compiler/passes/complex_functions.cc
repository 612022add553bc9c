// Formulas of complex functions on real and imaginary parts.
#include <limits>

#include "compiler/passes/split_complex.h"

namespace trainyard::compiler {
namespace {

ValueId half(Emit& emit, ValueId a) { return emit.times(a, emit.like(a, 0.5)); }

ValueId cosh(Emit& emit, ValueId a) {
  return half(emit, emit.plus(emit.unary(OpKind::Exponential, a),
                              emit.unary(OpKind::Exponential, emit.negate(a))));
}
// Exact near zero.
ValueId sinh(Emit& emit, ValueId a) {
  return half(emit, emit.minus(emit.unary(OpKind::ExponentialMinusOne, a),
                               emit.unary(OpKind::ExponentialMinusOne, emit.negate(a))));
}
ValueId sine(Emit& emit, ValueId a) { return emit.unary(OpKind::Sine, a); }
ValueId cosine(Emit& emit, ValueId a) { return emit.unary(OpKind::Cosine, a); }
ValueId both(Emit& emit, ValueId a, ValueId b) { return emit.binary(OpKind::And, a, b); }

// (sinh 2a + i sin 2b) / (cosh 2a + cos 2b); beyond `kMost` tanh is its limit.
Parts tanh(Emit& emit, Parts z) {
  constexpr double kMost = 20;
  const ValueId low = emit.like(z.re, -kMost), high = emit.like(z.re, kMost);
  const ValueId a = emit.binary(OpKind::Minimum, emit.binary(OpKind::Maximum, z.re, low), high);
  const ValueId a2 = emit.plus(a, a), b2 = emit.plus(z.im, z.im);
  const ValueId below = emit.plus(cosh(emit, a2), cosine(emit, b2));
  return {emit.over(sinh(emit, a2), below), emit.over(sine(emit, b2), below)};
}

Parts expm1(Emit& emit, Parts z) {
  const ValueId grown = emit.unary(OpKind::ExponentialMinusOne, z.re);
  const ValueId s = sine(emit, half(emit, z.im));
  const ValueId lost = emit.times(emit.like(s, 2), emit.times(s, s));
  return {emit.minus(emit.times(grown, cosine(emit, z.im)), lost),
          emit.times(emit.unary(OpKind::Exponential, z.re), sine(emit, z.im))};
}

// log|1 + z| = log1p(a (2 + a) + b b) / 2
Parts log1p(Emit& emit, Parts z) {
  const ValueId two = emit.like(z.re, 2), one = emit.like(z.re, 1);
  const ValueId square = emit.plus(emit.times(z.re, emit.plus(two, z.re)), emit.times(z.im, z.im));
  return {half(emit, emit.unary(OpKind::LogPlusOne, square)),
          emit.binary(OpKind::Atan2, z.im, emit.plus(one, z.re))};
}

Parts one(Emit& emit, ValueId like) { return {emit.like(like, 1), emit.like(like, 0)}; }

Parts logistic(Emit& emit, Parts z) {
  const Parts e = complex_exponential(emit, {emit.negate(z.re), emit.negate(z.im)});
  return complex_divide(emit, one(emit, z.re), {emit.plus(e.re, emit.like(e.re, 1)), e.im});
}

// z / |z|, and 0 of 0.
Parts sign(Emit& emit, Parts z) {
  const ValueId size = complex_abs(emit, z);
  const ValueId zero = emit.like(size, 0);
  const ValueId none = emit.compare(Direction::Eq, size, zero);
  return {emit.select(none, zero, emit.over(z.re, size)),
          emit.select(none, zero, emit.over(z.im, size))};
}

}  // namespace

Parts complex_multiply(Emit& emit, Parts a, Parts b) {
  return {emit.minus(emit.times(a.re, b.re), emit.times(a.im, b.im)),
          emit.plus(emit.times(a.re, b.im), emit.times(a.im, b.re))};
}

// The divisor is scaled by its larger part, so that squares do not overflow.
Parts complex_divide(Emit& emit, Parts a, Parts b) {
  const ValueId wide = emit.compare(Direction::Ge, emit.abs(b.re), emit.abs(b.im));
  const ValueId large = emit.select(wide, b.re, b.im), small = emit.select(wide, b.im, b.re);
  const ValueId ratio = emit.over(small, large);
  const ValueId below = emit.plus(large, emit.times(small, ratio));
  // With |re| >= |im|: (a.re + a.im r, a.im - a.re r); else (a.re r + a.im, a.im r - a.re).
  const ValueId re =
      emit.plus(emit.select(wide, a.re, a.im), emit.times(emit.select(wide, a.im, a.re), ratio));
  const ValueId im = emit.select(wide, emit.minus(a.im, emit.times(a.re, ratio)),
                                 emit.minus(emit.times(a.im, ratio), a.re));
  return {emit.over(re, below), emit.over(im, below)};
}

ValueId complex_abs(Emit& emit, Parts z) {
  const ValueId a = emit.abs(z.re), b = emit.abs(z.im);
  const ValueId large = emit.binary(OpKind::Maximum, a, b);
  const ValueId small = emit.binary(OpKind::Minimum, a, b);
  const ValueId ratio = emit.over(small, large);
  const ValueId length = emit.times(
      large, emit.unary(OpKind::Sqrt, emit.plus(emit.like(a, 1), emit.times(ratio, ratio))));
  // Nothing to scale by zero or infinity.
  const ValueId plain = emit.binary(
      OpKind::Or, emit.compare(Direction::Eq, large, emit.like(a, 0)),
      emit.compare(Direction::Eq, large, emit.like(a, std::numeric_limits<double>::infinity())));
  return emit.select(plain, large, length);
}

Parts complex_exponential(Emit& emit, Parts z) {
  const ValueId size = emit.unary(OpKind::Exponential, z.re);
  // A real number stays one, also where its exponential is infinite.
  const ValueId real = emit.compare(Direction::Eq, z.im, emit.like(z.im, 0));
  return {emit.times(size, cosine(emit, z.im)),
          emit.select(real, z.im, emit.times(size, sine(emit, z.im)))};
}

Parts complex_log(Emit& emit, Parts z) {
  return {emit.unary(OpKind::Log, complex_abs(emit, z)), emit.binary(OpKind::Atan2, z.im, z.re)};
}

// With t = sqrt((|z| + |re|) / 2): (t, im / 2t) right of the axis, (|im| / 2t, +-t) left of it.
Parts complex_sqrt(Emit& emit, Parts z) {
  const ValueId zero = emit.like(z.re, 0);
  const ValueId t =
      emit.unary(OpKind::Sqrt, half(emit, emit.plus(complex_abs(emit, z), emit.abs(z.re))));
  const ValueId none = emit.compare(Direction::Eq, t, zero);
  const ValueId other = emit.select(none, zero, emit.over(z.im, emit.plus(t, t)));
  const ValueId right = emit.compare(Direction::Ge, z.re, zero);
  const ValueId below = emit.compare(Direction::Lt, z.im, zero);
  const ValueId left_im = emit.select(below, emit.negate(t), t);
  return {emit.select(right, t, emit.abs(other)), emit.select(right, other, left_im)};
}

// exp(w log z); 0^0 is 1 and 0 to anything else 0.
Parts complex_power(Emit& emit, Parts a, Parts b) {
  const Parts value = complex_exponential(emit, complex_multiply(emit, b, complex_log(emit, a)));
  const ValueId zero = emit.like(a.re, 0), unit = emit.like(a.re, 1);
  const auto is_zero = [&](Parts z) {
    return both(emit, emit.compare(Direction::Eq, z.re, zero),
                emit.compare(Direction::Eq, z.im, zero));
  };
  const ValueId base = is_zero(a), exponent = is_zero(b);
  const ValueId at_zero = emit.select(exponent, unit, zero);
  return {emit.select(base, at_zero, value.re), emit.select(base, zero, value.im)};
}

std::optional<Parts> complex_function(Emit& emit, OpKind kind, Parts z) {
  switch (kind) {
    case OpKind::Negate:
      return Parts{emit.negate(z.re), emit.negate(z.im)};
    case OpKind::Exponential:
      return complex_exponential(emit, z);
    case OpKind::ExponentialMinusOne:
      return expm1(emit, z);
    case OpKind::Log:
      return complex_log(emit, z);
    case OpKind::LogPlusOne:
      return log1p(emit, z);
    case OpKind::Logistic:
      return logistic(emit, z);
    case OpKind::Sqrt:
      return complex_sqrt(emit, z);
    case OpKind::Rsqrt:
      return complex_divide(emit, one(emit, z.re), complex_sqrt(emit, z));
    case OpKind::Cbrt:
      return complex_power(emit, z, {emit.like(z.re, 1.0 / 3), emit.like(z.re, 0)});
    case OpKind::Sign:
      return sign(emit, z);
    case OpKind::Sine:
      return Parts{emit.times(sine(emit, z.re), cosh(emit, z.im)),
                   emit.times(cosine(emit, z.re), sinh(emit, z.im))};
    case OpKind::Cosine:
      return Parts{emit.times(cosine(emit, z.re), cosh(emit, z.im)),
                   emit.negate(emit.times(sine(emit, z.re), sinh(emit, z.im)))};
    case OpKind::Tanh:
      return tanh(emit, z);
    case OpKind::Tan: {  // -i tanh(i z)
      const Parts t = tanh(emit, {emit.negate(z.im), z.re});
      return Parts{t.im, emit.negate(t.re)};
    }
    default:
      return std::nullopt;
  }
}

}  // namespace trainyard::compiler
