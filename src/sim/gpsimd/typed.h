#pragma once
// From a Type to a C++ type, and the rules that all kernels share.
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "isa/gpsimd/types.h"
#include "numerics/dtype.h"

namespace trainyard::sim::gpsimd {

using isa::gpsimd::Type;

// Calls f with an unsigned integer of the width of `type`.
template <class F>
void with_bits(Type type, F f) {
  switch (isa::gpsimd::size_of(type)) {
    case 1:
      return f(uint8_t{});
    case 2:
      return f(uint16_t{});
    case 4:
      return f(uint32_t{});
    default:
      return f(uint64_t{});
  }
}

// Calls f with a C++ integer of `type`; i1 is a byte.
template <class F>
void with_integer(Type type, F f) {
  switch (type) {
    case Type::S8:
      return f(int8_t{});
    case Type::S16:
      return f(int16_t{});
    case Type::S32:
      return f(int32_t{});
    case Type::S64:
      return f(int64_t{});
    case Type::I1:
    case Type::U8:
      return f(uint8_t{});
    case Type::U16:
      return f(uint16_t{});
    case Type::U32:
      return f(uint32_t{});
    default:
      return f(uint64_t{});
  }
}

inline bool is_half(Type type) { return type == Type::F16 || type == Type::BF16; }
inline numerics::Dtype half(Type type) {
  return type == Type::F16 ? numerics::Dtype::F16 : numerics::Dtype::BF16;
}

// Which NaN an operation gives depends on the host, unless it is always this one.
template <class T>
T canonical(T x) {
  return x == x ? x : std::numeric_limits<T>::quiet_NaN();
}

// Bits of a float as an integer whose order is the total order.
template <class U>
U total_key(U bits) {
  constexpr U kSign = U{1} << (8 * sizeof(U) - 1);
  return static_cast<U>((bits & kSign) != 0 ? ~bits : bits | kSign);
}

// The element's place in the order of its type, as an unsigned integer.
inline uint64_t order_key(Type type, const void* elements, int64_t i) {
  uint64_t key = 0;
  with_bits(type, [&]<class U>(U) {
    const U bits = static_cast<const U*>(elements)[i];
    constexpr U kSign = U{1} << (8 * sizeof(U) - 1);
    key = isa::gpsimd::is_float(type)    ? total_key(bits)
          : isa::gpsimd::is_signed(type) ? static_cast<U>(bits ^ kSign)
                                         : bits;
  });
  return key;
}

}  // namespace trainyard::sim::gpsimd
