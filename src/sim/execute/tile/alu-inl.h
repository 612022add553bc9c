// The ALU operators on vectors. Included once per SIMD level, see numerics/simd_dispatch.h.
#if defined(TRAINYARD_SIM_ALU_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TRAINYARD_SIM_ALU_INL_H_
#undef TRAINYARD_SIM_ALU_INL_H_
#else
#define TRAINYARD_SIM_ALU_INL_H_
#endif

#include <hwy/highway.h>

#include "base/check.h"
#include "sim/execute/tile/alu.h"

HWY_BEFORE_NAMESPACE();
namespace trainyard::sim::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using Floats = hn::ScalableTag<float>;
using Vector = hn::Vec<Floats>;
using Lanes = hn::Mask<Floats>;

HWY_INLINE Vector one_if(Lanes m) {
  const Floats d;
  return hn::IfThenElseZero(m, hn::Set(d, 1.0f));
}
// Highway's Ne is false for NaN on vectors and true without them.
HWY_INLINE Lanes differ(Vector a, Vector b) { return hn::Not(hn::Eq(a, b)); }
HWY_INLINE Lanes is_set(Vector v) { return differ(v, hn::Zero(Floats())); }

// a > b ? a : b and a < b ? a : b: what the host's own instructions do.
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
HWY_INLINE Vector larger(Vector a, Vector b) { return hn::IfThenElse(hn::Gt(a, b), a, b); }
HWY_INLINE Vector smaller(Vector a, Vector b) { return hn::IfThenElse(hn::Lt(a, b), a, b); }
#else
HWY_INLINE Vector larger(Vector a, Vector b) { return hn::Max(a, b); }
HWY_INLINE Vector smaller(Vector a, Vector b) { return hn::Min(a, b); }
#endif

// Where one operand is NaN: that one, or the other one. `best` is b where either is NaN.
template <bool PropagateNan>
HWY_INLINE Vector settle_nan(Vector best, Vector a, Vector b) {
  if constexpr (PropagateNan) {
    return hn::IfThenElse(hn::IsNaN(a), a, best);
  } else {
    return hn::IfThenElse(hn::IsNaN(b), a, best);
  }
}

#define TY_ALU_OPERATOR(Name, expression)                                                      \
  struct Name {                                                                                \
    HWY_INLINE Vector operator()([[maybe_unused]] Vector a, [[maybe_unused]] Vector b) const { \
      return expression;                                                                       \
    }                                                                                          \
  };
TY_ALU_OPERATOR(First, a)
TY_ALU_OPERATOR(Sum, hn::Add(a, b))
TY_ALU_OPERATOR(Difference, hn::Sub(a, b))
TY_ALU_OPERATOR(Product, hn::Mul(a, b))
TY_ALU_OPERATOR(IsEqual, one_if(hn::Eq(a, b)))
TY_ALU_OPERATOR(IsNotEqual, one_if(differ(a, b)))
TY_ALU_OPERATOR(IsGreaterEqual, one_if(hn::Ge(a, b)))
TY_ALU_OPERATOR(IsGreater, one_if(hn::Gt(a, b)))
TY_ALU_OPERATOR(IsLessEqual, one_if(hn::Le(a, b)))
TY_ALU_OPERATOR(IsLess, one_if(hn::Lt(a, b)))
TY_ALU_OPERATOR(Both, one_if(hn::And(is_set(a), is_set(b))))
TY_ALU_OPERATOR(Either, one_if(hn::Or(is_set(a), is_set(b))))
TY_ALU_OPERATOR(OneOf, one_if(hn::Xor(is_set(a), is_set(b))))
TY_ALU_OPERATOR(Magnitude, hn::Abs(a))
TY_ALU_OPERATOR(SquareOf, hn::Mul(a, a))
TY_ALU_OPERATOR(Inverse, hn::Div(hn::Set(Floats(), 1.0f), a))
#undef TY_ALU_OPERATOR

#define TY_ALU_CHOICE(Name, expression)                      \
  template <bool PropagateNan>                               \
  struct Name {                                              \
    HWY_INLINE Vector operator()(Vector a, Vector b) const { \
      return settle_nan<PropagateNan>(expression, a, b);     \
    }                                                        \
  };
TY_ALU_CHOICE(Largest, larger(a, b))
TY_ALU_CHOICE(Smallest, smaller(a, b))
TY_ALU_CHOICE(LargestMagnitude, hn::IfThenElse(hn::Gt(hn::Abs(a), hn::Abs(b)), a, b))
TY_ALU_CHOICE(SmallestMagnitude, hn::IfThenElse(hn::Lt(hn::Abs(a), hn::Abs(b)), a, b))
#undef TY_ALU_CHOICE

template <bool PropagateNan>
struct Rectified {
  HWY_INLINE Vector operator()(Vector a, Vector) const {
    return Largest<PropagateNan>()(a, hn::Zero(Floats()));
  }
};

template <class Op>
struct Swapped {
  Op op;
  HWY_INLINE Vector operator()(Vector a, Vector b) const { return op(b, a); }
};

// y[i] = f(a[i], b[i * step]) with step 0 or 1. The rest that fills no vector goes through a copy,
// so that each element sees the same instructions.
template <class F>
HWY_INLINE void map_tiles(const float* a, const float* b, float* y, size_t n, F f) {
  const Floats d;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes)
    hn::StoreU(f(hn::LoadU(d, a + i), hn::LoadU(d, b + i)), d, y + i);
  if (i == n) return;
  float left[HWY_MAX_BYTES / sizeof(float)] = {}, right[HWY_MAX_BYTES / sizeof(float)] = {};
  for (size_t k = i; k < n; ++k) left[k - i] = a[k], right[k - i] = b[k];
  hn::StoreU(f(hn::LoadU(d, left), hn::LoadU(d, right)), d, left);
  for (size_t k = i; k < n; ++k) y[k] = left[k - i];
}

template <class F>
HWY_INLINE void map_one(const float* a, float* y, size_t n, F f) {
  const Floats d;
  const size_t lanes = hn::Lanes(d);
  size_t i = 0;
  for (; i + lanes <= n; i += lanes) hn::StoreU(f(hn::LoadU(d, a + i)), d, y + i);
  if (i == n) return;
  float rest[HWY_MAX_BYTES / sizeof(float)] = {};
  for (size_t k = i; k < n; ++k) rest[k - i] = a[k];
  hn::StoreU(f(hn::LoadU(d, rest)), d, rest);
  for (size_t k = i; k < n; ++k) y[k] = rest[k - i];
}

// f with a second side that is the same for every element.
template <class F>
struct WithNumber {
  F f;
  Vector b;
  HWY_INLINE Vector operator()(Vector a) const { return f(a, b); }
};
template <class F, class G>
struct WithNumbers {
  F f;
  Vector b0;
  G g;
  Vector b1;
  HWY_INLINE Vector operator()(Vector a) const { return g(f(a, b0), b1); }
};
template <class F, class G>
struct NumberThenTile {
  F f;
  Vector b0;
  G g;
  HWY_INLINE Vector operator()(Vector a, Vector b) const { return g(f(a, b0), b); }
};

template <class Op, class Use>
HWY_INLINE void swap_if(bool reverse, Op op, Use use) {
  if (reverse) {
    use(Swapped<Op>{op});
  } else {
    use(op);
  }
}

template <template <bool> class Op, class Use>
HWY_INLINE void choice(const AluStage& s, Use use) {
  if (s.propagate_nan) {
    swap_if(s.reverse, Op<true>{}, use);
  } else {
    swap_if(s.reverse, Op<false>{}, use);
  }
}

// Calls use(functor) for the operators that are worth a fused pass of two; false for the others.
template <class Use>
HWY_INLINE bool with_common(const AluStage& s, Use use) {
  switch (s.op) {
    case AluOp::Bypass:
      use(First{});
      return true;
    case AluOp::Add:
      use(Sum{});
      return true;
    case AluOp::Subtract:
      swap_if(s.reverse, Difference{}, use);
      return true;
    case AluOp::Multiply:
      use(Product{});
      return true;
    case AluOp::Max:
      if (s.reverse || !s.propagate_nan) return false;
      use(Largest<true>{});
      return true;
    case AluOp::Min:
      if (s.reverse || !s.propagate_nan) return false;
      use(Smallest<true>{});
      return true;
    default:
      return false;
  }
}

// Calls use(functor) for every operator that is computed lane by lane.
template <class Use>
HWY_INLINE void with_operator(const AluStage& s, Use use) {
  switch (s.op) {
    case AluOp::Bypass:
      return use(First{});
    case AluOp::Add:
      return use(Sum{});
    case AluOp::Subtract:
      return swap_if(s.reverse, Difference{}, use);
    case AluOp::Multiply:
      return use(Product{});
    case AluOp::Max:
      return choice<Largest>(s, use);
    case AluOp::Min:
      return choice<Smallest>(s, use);
    case AluOp::Equal:
      return use(IsEqual{});
    case AluOp::NotEqual:
      return use(IsNotEqual{});
    case AluOp::GreaterEqual:
      return swap_if(s.reverse, IsGreaterEqual{}, use);
    case AluOp::Greater:
      return swap_if(s.reverse, IsGreater{}, use);
    case AluOp::LessEqual:
      return swap_if(s.reverse, IsLessEqual{}, use);
    case AluOp::Less:
      return swap_if(s.reverse, IsLess{}, use);
    case AluOp::LogicalAnd:
      return use(Both{});
    case AluOp::LogicalOr:
      return use(Either{});
    case AluOp::LogicalXor:
      return use(OneOf{});
    case AluOp::AbsMax:
      return choice<LargestMagnitude>(s, use);
    case AluOp::AbsMin:
      return choice<SmallestMagnitude>(s, use);
    case AluOp::Abs:
      return use(Magnitude{});
    case AluOp::Square:
      return use(SquareOf{});
    case AluOp::Relu:
      return s.propagate_nan ? use(Rectified<true>{}) : use(Rectified<false>{});
    case AluOp::Reciprocal:
      return use(Inverse{});
    case AluOp::Power:
    case AluOp::Rsqrt:
    case AluOp::BitwiseNot:
    case AluOp::BitwiseAnd:
    case AluOp::BitwiseOr:
    case AluOp::BitwiseXor:
    case AluOp::ShiftLeft:
    case AluOp::ShiftRight:
      break;
  }
  TY_CHECK(false);
}

}  // namespace trainyard::sim::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // TRAINYARD_SIM_ALU_INL_H_
