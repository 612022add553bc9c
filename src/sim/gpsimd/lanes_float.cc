#include <array>

#include "isa/gpsimd/literal.h"
#include "numerics/convert.h"
#include "numerics/functions64.h"
#include "sim/gpsimd/lanes.h"
#include "sim/gpsimd/typed.h"

namespace trainyard::sim::gpsimd {
namespace {

using isa::gpsimd::Form;
using isa::gpsimd::form;
using numerics::Math;
using numerics::Math2;

static_assert(static_cast<int>(Code::ErfInv) - static_cast<int>(Code::Sqrt) ==
              static_cast<int>(Math::ErfInv));
static_assert(static_cast<int>(Code::Tanh) - static_cast<int>(Code::Sqrt) ==
              static_cast<int>(Math::Tanh));

Math math(Code code) {
  return static_cast<Math>(static_cast<int>(code) - static_cast<int>(Code::Sqrt));
}

template <class T>
T lesser(T a, T b) {
  if (a != a || b != b) return std::numeric_limits<T>::quiet_NaN();
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
template <class T>
T greater(T a, T b) {
  if (a != a || b != b) return std::numeric_limits<T>::quiet_NaN();
  if (a == b) return std::signbit(a) ? b : a;
  return a < b ? b : a;
}

template <class T, class F>
void each(const T* a, const T* b, T* y, int64_t n, F f) {
  for (int64_t i = 0; i < n; ++i) y[i] = canonical<T>(f(a[i], b[i]));
}
template <class T, class F>
void each(const T* a, T* y, int64_t n, F f) {
  for (int64_t i = 0; i < n; ++i) y[i] = canonical<T>(f(a[i]));
}

template <class T>
void binary(Code code, const T* a, const T* b, T* y, int64_t n) {
  switch (code) {
    case Code::Add:
      return each(a, b, y, n, [](T p, T q) { return p + q; });
    case Code::Sub:
      return each(a, b, y, n, [](T p, T q) { return p - q; });
    case Code::Mul:
      return each(a, b, y, n, [](T p, T q) { return p * q; });
    case Code::Div:
      return each(a, b, y, n, [](T p, T q) { return p / q; });
    case Code::Rem:  // exact, with the sign of the dividend
      return each(a, b, y, n, [](T p, T q) { return std::fmod(p, q); });
    case Code::Min:
      return each(a, b, y, n, lesser<T>);
    case Code::Max:
      return each(a, b, y, n, greater<T>);
    default:
      return numerics::apply(code == Code::Pow ? Math2::Pow : Math2::Atan2, a, b, y,
                             static_cast<size_t>(n));
  }
}

template <class T>
void unary(Code code, const T* a, T* y, int64_t n) {
  if (form(code) == Form::Math) return numerics::apply(math(code), a, y, static_cast<size_t>(n));
  switch (code) {
    case Code::Round:  // halves to even: the host's default rounding
      return each(a, y, n, [](T p) { return std::nearbyint(p); });
    case Code::RoundAway:
      return each(a, y, n, [](T p) { return std::round(p); });
    case Code::Floor:
      return each(a, y, n, [](T p) { return std::floor(p); });
    case Code::Ceil:
      return each(a, y, n, [](T p) { return std::ceil(p); });
    default:  // sign
      return each(a, y, n, [](T p) { return p > 0 ? T{1} : p < 0 ? T{-1} : p; });
  }
}

template <class T>
void either(Code code, const T* a, const T* b, T* y, int64_t n) {
  const bool two = form(code) == Form::Binary || form(code) == Form::Math2;
  return two ? binary(code, a, b, y, n) : unary(code, a, y, n);
}

// Signs change bit by bit, in NaNs too.
template <class U>
void change_sign(Code code, const U* a, U* y, int64_t n) {
  constexpr U kSign = U{1} << (8 * sizeof(U) - 1);
  for (int64_t i = 0; i < n; ++i) {
    y[i] = static_cast<U>(code == Code::Neg ? a[i] ^ kSign : a[i] & static_cast<U>(~kSign));
  }
}

using Floats = std::array<float, kMostLanes>;

// a * b is exact in fp64; the sum is rounded to odd there and in fp32, so that the last rounding is
// the only one that counts.
float fused(float a, float b, float c) {
  const double product = static_cast<double>(a) * b;
  const double addend = c;
  const double sum = product + addend;
  const double part = sum - product;
  const double lost = (product - (sum - part)) + (addend - part);
  if (lost == 0 || !std::isfinite(sum)) return isa::gpsimd::round_to_odd(sum);
  auto bits = std::bit_cast<uint64_t>(sum);
  if ((bits & 1) == 0) {
    const bool away = (lost > 0) == (sum > 0);  // the exact value has the larger magnitude
    bits = away ? bits + 1 : bits - 1;
  }
  return isa::gpsimd::round_to_odd(std::bit_cast<double>(bits));
}

}  // namespace

void apply_float(Code code, Type type, const void* a, const void* b, void* out, int64_t n) {
  if (code == Code::Neg || code == Code::Abs) {
    return with_bits(type, [&]<class U>(U) {
      change_sign(code, static_cast<const U*>(a), static_cast<U*>(out), n);
    });
  }
  if (type == Type::F64) {
    return either(code, static_cast<const double*>(a), static_cast<const double*>(b),
                  static_cast<double*>(out), n);
  }
  if (type == Type::F32) {
    return either(code, static_cast<const float*>(a), static_cast<const float*>(b),
                  static_cast<float*>(out), n);
  }
  // 24 bits are enough for one right rounding of + - * / of 11 or 8 bits.
  Floats p;
  Floats q;
  numerics::widen(half(type), a, p.data(), static_cast<size_t>(n));
  const bool two = form(code) == Form::Binary || form(code) == Form::Math2;
  if (two) numerics::widen(half(type), b, q.data(), static_cast<size_t>(n));
  either(code, p.data(), q.data(), p.data(), n);
  numerics::narrow(half(type), p.data(), out, static_cast<size_t>(n));
}

void apply_fma(Type type, const void* a, const void* b, const void* c, void* out, int64_t n) {
  const auto fuse = [&]<class T>(T) {
    const auto *p = static_cast<const T*>(a), *q = static_cast<const T*>(b);
    const auto* r = static_cast<const T*>(c);
    for (int64_t i = 0; i < n; ++i) {
      static_cast<T*>(out)[i] = canonical<T>(std::fma(p[i], q[i], r[i]));
    }
  };
  if (type == Type::F64) return fuse(double{});
  if (type == Type::F32) return fuse(float{});
  Floats p, q, r;
  numerics::widen(half(type), a, p.data(), static_cast<size_t>(n));
  numerics::widen(half(type), b, q.data(), static_cast<size_t>(n));
  numerics::widen(half(type), c, r.data(), static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) p[i] = canonical(fused(p[i], q[i], r[i]));
  numerics::narrow(half(type), p.data(), out, static_cast<size_t>(n));
}

}  // namespace trainyard::sim::gpsimd
