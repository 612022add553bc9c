#include <type_traits>

#include "sim/gpsimd/lanes.h"
#include "sim/gpsimd/typed.h"

namespace trainyard::sim::gpsimd {
namespace {

// Unsigned and at least as wide as int, so that nothing overflows by promotion.
template <class T>
using Wide = std::conditional_t<(sizeof(T) < 4), uint32_t, std::make_unsigned_t<T>>;

template <class T>
T divide(T a, T b) {
  if (b == 0) return static_cast<T>(-1);
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return static_cast<T>(Wide<T>{0} - static_cast<Wide<T>>(a));
  }
  return static_cast<T>(a / b);
}

template <class T>
T remainder_of(T a, T b) {
  if (b == 0) return a;
  if constexpr (std::is_signed_v<T>) {
    if (b == -1) return 0;
  }
  return static_cast<T>(a % b);
}

// Shifts by the width or more leave nothing but the sign. Counts are unsigned.
template <class T>
T shift(Code code, T a, T b) {
  using U = std::make_unsigned_t<T>;
  constexpr int kBits = 8 * sizeof(T);
  const auto count = static_cast<U>(b);
  if (code == Code::Sar) {
    using S = std::make_signed_t<T>;
    return static_cast<T>(static_cast<S>(a) >> (count < kBits ? count : kBits - 1));
  }
  if (count >= kBits) return 0;
  if (code == Code::Shl) return static_cast<T>(static_cast<Wide<T>>(a) << count);
  return static_cast<T>(static_cast<U>(a) >> count);
}

template <class T>
T unary(Code code, T a) {
  using U = std::make_unsigned_t<T>;
  const T negative = static_cast<T>(Wide<T>{0} - static_cast<Wide<T>>(a));
  switch (code) {
    case Code::Neg:
      return negative;
    case Code::Abs:
      return std::is_signed_v<T> && a < 0 ? negative : a;
    case Code::Not:
      return static_cast<T>(~a);
    case Code::Popcount:
      return static_cast<T>(std::popcount(static_cast<U>(a)));
    case Code::Clz:
      return static_cast<T>(std::countl_zero(static_cast<U>(a)));
    default:  // sign
      return static_cast<T>(a > 0 ? 1 : a == 0 ? 0 : -1);
  }
}

template <class T, class F>
void each(const T* a, const T* b, T* y, int64_t n, F f) {
  for (int64_t i = 0; i < n; ++i) y[i] = static_cast<T>(f(a[i], b[i]));
}

// Programs mostly shift all lanes by one literal, which vector units do at once.
template <class T>
void shift_lanes(Code code, const T* a, const T* b, T* y, int64_t n) {
  using U = std::make_unsigned_t<T>;
  constexpr U kBits = 8 * sizeof(T);
  U differs = 0;
  const auto count = static_cast<U>(b[0]);
  for (int64_t i = 0; i < n; ++i) differs |= static_cast<U>(static_cast<U>(b[i]) ^ count);
  if (differs != 0 || count >= kBits || code == Code::Sar) {
    return each(a, b, y, n, [code](T p, T q) { return shift(code, p, q); });
  }
  const auto* const x = reinterpret_cast<const U*>(a);
  auto* const z = reinterpret_cast<U*>(y);
  const auto by = static_cast<int>(count);
  if (code == Code::Shl) {
    for (int64_t i = 0; i < n; ++i) z[i] = static_cast<U>(static_cast<Wide<T>>(x[i]) << by);
  } else {
    for (int64_t i = 0; i < n; ++i) z[i] = static_cast<U>(x[i] >> by);
  }
}

template <class T>
void binary(Code code, const T* a, const T* b, T* y, int64_t n) {
  using W = Wide<T>;
  switch (code) {
    case Code::Add:
      return each(a, b, y, n, [](T p, T q) { return static_cast<W>(p) + static_cast<W>(q); });
    case Code::Sub:
      return each(a, b, y, n, [](T p, T q) { return static_cast<W>(p) - static_cast<W>(q); });
    case Code::Mul:
      return each(a, b, y, n, [](T p, T q) { return static_cast<W>(p) * static_cast<W>(q); });
    case Code::Div:
      return each(a, b, y, n, divide<T>);
    case Code::Rem:
      return each(a, b, y, n, remainder_of<T>);
    case Code::Min:
      return each(a, b, y, n, [](T p, T q) { return q < p ? q : p; });
    case Code::Max:
      return each(a, b, y, n, [](T p, T q) { return p < q ? q : p; });
    case Code::And:
      return each(a, b, y, n, [](T p, T q) { return p & q; });
    case Code::Or:
      return each(a, b, y, n, [](T p, T q) { return p | q; });
    case Code::Xor:
      return each(a, b, y, n, [](T p, T q) { return p ^ q; });
    default:
      return shift_lanes(code, a, b, y, n);
  }
}

}  // namespace

void apply_integer(Code code, Type type, const void* a, const void* b, void* out, int64_t n) {
  if (type == Type::I1 && code == Code::Not) {
    for (int64_t i = 0; i < n; ++i) {
      static_cast<uint8_t*>(out)[i] = static_cast<const uint8_t*>(a)[i] ^ 1;
    }
    return;
  }
  with_integer(type, [&]<class T>(T) {
    const auto* p = static_cast<const T*>(a);
    auto* y = static_cast<T*>(out);
    if (isa::gpsimd::form(code) == isa::gpsimd::Form::Binary) {
      return binary(code, p, static_cast<const T*>(b), y, n);
    }
    for (int64_t i = 0; i < n; ++i) y[i] = unary(code, p[i]);
  });
}

}  // namespace trainyard::sim::gpsimd
