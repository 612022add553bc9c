#include <array>
#include <cstring>
#include <type_traits>

#include "isa/gpsimd/literal.h"
#include "numerics/convert.h"
#include "sim/gpsimd/lanes.h"
#include "sim/gpsimd/typed.h"

namespace trainyard::sim::gpsimd {
namespace {

using isa::gpsimd::is_float;
using isa::gpsimd::round_to_odd;

using Floats = std::array<float, kMostLanes>;

template <class T>
void compare(Code code, const T* a, const T* b, uint8_t* y, int64_t n) {
  const auto each = [&](auto f) {
    for (int64_t i = 0; i < n; ++i) y[i] = f(a[i], b[i]) ? 1 : 0;
  };
  switch (code) {
    case Code::Eq:
      return each([](T p, T q) { return p == q; });
    case Code::Ne:
      return each([](T p, T q) { return p != q; });
    case Code::Lt:
      return each([](T p, T q) { return p < q; });
    case Code::Le:
      return each([](T p, T q) { return p <= q; });
    case Code::Gt:
      return each([](T p, T q) { return p > q; });
    case Code::Ge:
      return each([](T p, T q) { return p >= q; });
    default:  // is_finite
      return each([](T p, T) { return p - p == 0; });
  }
}

Code plain(Code total) {
  return static_cast<Code>(static_cast<int>(total) - static_cast<int>(Code::EqTotal) +
                           static_cast<int>(Code::Eq));
}

template <class U>
void compare_total(Code code, const U* a, const U* b, uint8_t* y, int64_t n) {
  std::array<U, kMostLanes> p, q;
  for (int64_t i = 0; i < n; ++i) {
    p[i] = total_key(a[i]);
    q[i] = total_key(b[i]);
  }
  compare(plain(code), p.data(), q.data(), y, n);
}

// Truncated, kept in the range of the type; NaN is 0.
template <class T, class F>
T truncated(F x) {
  constexpr F kTop = static_cast<F>(uint64_t{1} << (8 * sizeof(T) - 1)) *
                     (std::is_signed_v<T> ? F{1} : F{2});  // one beyond the largest
  if (x != x) return 0;
  if (x >= kTop) return std::numeric_limits<T>::max();
  if constexpr (std::is_signed_v<T>) {
    if (x < -kTop) return std::numeric_limits<T>::min();
  } else {
    if (x <= 0) return 0;
  }
  return static_cast<T>(x);
}

// Keeps what fp64 can hold and one odd bit for the rest, so that a later rounding is right.
template <class T>
double integer_to_odd(T x) {
  if constexpr (sizeof(T) < 8) {
    return static_cast<double>(x);
  } else {
    const bool negative = x < 0;
    uint64_t magnitude = negative ? uint64_t{0} - static_cast<uint64_t>(x) : x;
    constexpr uint64_t kLow = 4095;
    if (magnitude >> 52 != 0 && (magnitude & kLow) != 0) {
      magnitude = (magnitude & ~kLow) | (kLow + 1);
    }
    const auto value = static_cast<double>(magnitude);
    return negative ? -value : value;
  }
}

template <class F>
void from_float(Type to, const F* a, void* out, int64_t n) {
  if (to == Type::F64 || to == Type::F32) {
    const auto cast = [&]<class T>(T* y) {
      for (int64_t i = 0; i < n; ++i) y[i] = canonical(static_cast<T>(a[i]));
    };
    return to == Type::F64 ? cast(static_cast<double*>(out)) : cast(static_cast<float*>(out));
  }
  if (is_half(to)) {
    Floats odd;
    for (int64_t i = 0; i < n; ++i) odd[i] = canonical(round_to_odd(static_cast<double>(a[i])));
    return numerics::narrow(half(to), odd.data(), out, static_cast<size_t>(n));
  }
  if (to == Type::I1) {
    for (int64_t i = 0; i < n; ++i) static_cast<uint8_t*>(out)[i] = a[i] != 0 ? 1 : 0;
    return;
  }
  with_integer(to, [&]<class T>(T) {
    for (int64_t i = 0; i < n; ++i) static_cast<T*>(out)[i] = truncated<T>(a[i]);
  });
}

template <class S>
void from_integer(Type to, const S* a, void* out, int64_t n) {
  const auto cast = [&]<class T>(T* y) {
    for (int64_t i = 0; i < n; ++i) y[i] = static_cast<T>(a[i]);
  };
  if (to == Type::F64) return cast(static_cast<double*>(out));
  if (to == Type::F32) return cast(static_cast<float*>(out));
  if (is_half(to)) {
    Floats odd;
    for (int64_t i = 0; i < n; ++i) odd[i] = round_to_odd(integer_to_odd(a[i]));
    return numerics::narrow(half(to), odd.data(), out, static_cast<size_t>(n));
  }
  if (to == Type::I1) {
    for (int64_t i = 0; i < n; ++i) static_cast<uint8_t*>(out)[i] = a[i] != 0 ? 1 : 0;
    return;
  }
  with_bits(to, [&]<class T>(T) { cast(static_cast<T*>(out)); });
}

}  // namespace

void apply_compare(Code code, Type type, const void* a, const void* b, uint8_t* out, int64_t n) {
  if (code == Code::IsFinite) b = a;
  if (code >= Code::EqTotal && code <= Code::GeTotal) {
    return with_bits(type, [&]<class U>(U) {
      compare_total(code, static_cast<const U*>(a), static_cast<const U*>(b), out, n);
    });
  }
  if (!is_float(type)) {
    return with_integer(type, [&]<class T>(T) {
      compare(code, static_cast<const T*>(a), static_cast<const T*>(b), out, n);
    });
  }
  if (type == Type::F64) {
    return compare(code, static_cast<const double*>(a), static_cast<const double*>(b), out, n);
  }
  if (type == Type::F32) {
    return compare(code, static_cast<const float*>(a), static_cast<const float*>(b), out, n);
  }
  Floats p, q;
  numerics::widen(half(type), a, p.data(), static_cast<size_t>(n));
  numerics::widen(half(type), b, q.data(), static_cast<size_t>(n));
  compare(code, p.data(), q.data(), out, n);
}

void apply_convert(Type from, Type to, const void* a, void* out, int64_t n) {
  if (from == to) {
    if (a != out) std::memcpy(out, a, n * isa::gpsimd::size_of(to));
    return;
  }
  if (from == Type::F64) return from_float(to, static_cast<const double*>(a), out, n);
  if (from == Type::F32) return from_float(to, static_cast<const float*>(a), out, n);
  if (is_half(from)) {
    Floats wide;
    numerics::widen(half(from), a, wide.data(), static_cast<size_t>(n));
    return from_float(to, wide.data(), out, n);
  }
  with_integer(from, [&]<class S>(S) { from_integer(to, static_cast<const S*>(a), out, n); });
}

}  // namespace trainyard::sim::gpsimd
