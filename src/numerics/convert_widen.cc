// Any type to fp32, one vector of fp32 lanes at a time.
//
// f16 has a host instruction, exact, which heeds no flush-to-zero mode. The 8-bit floats go through
// it: moved into f16's exponent field they are f16 numbers off by a power of two, subnormals
// included, and the factor is multiplied back exactly. Kernels are forced inline: GCC leaves them
// as calls at -O2, which cost a factor of up to four.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numerics/convert_widen.cc"
// clang-format off
#include "numerics/simd_dispatch.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

#include <bit>
#include <cstring>

#include "numerics/convert_run.h"

HWY_BEFORE_NAMESPACE();
namespace trainyard::numerics::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128

void widen_lanes(Dtype from, const void* src, float* dst, size_t n) {
  const auto* bytes = static_cast<const unsigned char*>(src);
  for (size_t i = 0; i < n; ++i) dst[i] = to_f32(from, bytes + i * size_of(from));
}

#else

namespace hn = hwy::HWY_NAMESPACE;
using DF = hn::ScalableTag<float>;
using DI = hn::RebindToSigned<DF>;
using DU = hn::RebindToUnsigned<DF>;
using VF = hn::Vec<DF>;
constexpr size_t kLanes = hn::MaxLanes(DF());

template <class T>
using Part = hn::Rebind<T, DF>;  // as many lanes as DF, of another type

// NaN lanes become the one quiet NaN, with their sign.
HWY_INLINE VF with_quiet_nan(VF v) {
  const DF df;
  const VF nan =
      hn::Or(hn::And(v, hn::Set(df, -0.0f)), hn::Set(df, std::bit_cast<float>(kF32QuietNan)));
  return hn::IfThenElse(hn::IsNaN(v), nan, v);
}

struct FromTf32 {
  using Element = uint32_t;
  HWY_INLINE VF operator()(const Element* src) const {
    const hn::Vec<DU> word = hn::LoadU(DU(), src);
    return hn::BitCast(DF(), hn::And(word, hn::Set(DU(), ~0x1FFFu)));
  }
};

struct FromBf16 {
  using Element = uint16_t;
  HWY_INLINE VF operator()(const Element* src) const {
    const hn::Vec<DU> word = hn::PromoteTo(DU(), hn::LoadU(Part<uint16_t>(), src));
    return hn::BitCast(DF(), hn::ShiftLeft<16>(word));
  }
};

struct FromF16 {
  using Element = uint16_t;
  HWY_INLINE VF operator()(const Element* src) const {
    const auto half = hn::BitCast(Part<hwy::float16_t>(), hn::LoadU(Part<uint16_t>(), src));
    return with_quiet_nan(hn::PromoteTo(DF(), half));
  }
};

template <FloatFormat kFormat>
struct FromF8 {
  using Element = uint8_t;
  HWY_INLINE VF operator()(const Element* src) const {
    const DF df;
    const Part<int16_t> d16;
    // Sign to the top bit; exponent and mantissa below it, the mantissa aligned with f16's.
    constexpr int kSpare = 5 - kFormat.exponent_bits;
    constexpr uint16_t kKept = 0xFF00u >> kSpare & 0x7FFFu >> kSpare | 0x8000u;
    const auto top = hn::ShiftLeft<8>(
        hn::BitCast(d16, hn::PromoteTo(Part<uint16_t>(), hn::LoadU(Part<uint8_t>(), src))));
    const auto code =
        hn::And(hn::ShiftRight<kSpare>(top), hn::Set(d16, static_cast<int16_t>(kKept)));
    const VF small = hn::PromoteTo(df, hn::BitCast(Part<hwy::float16_t>(), code));
    if constexpr (kSpare == 0) return with_quiet_nan(small);
    const VF value = hn::Mul(small, hn::Set(df, static_cast<float>(1 << (15 - kFormat.bias))));
    // Beyond the largest finite value the product is what the code would mean without Inf and NaN.
    constexpr float kOverflow = first_overflow_value();
    const VF sign = hn::And(value, hn::Set(df, -0.0f));
    const VF magnitude = hn::Abs(value);
    const VF nan = hn::Or(sign, hn::Set(df, std::bit_cast<float>(kF32QuietNan)));
    if constexpr (!kFormat.has_inf) {
      return hn::IfThenElse(hn::Ge(magnitude, hn::Set(df, kOverflow)), nan, value);
    } else {
      const VF inf = hn::Or(sign, hn::Set(df, std::bit_cast<float>(kF32Inf)));
      const VF special = hn::IfThenElse(hn::Gt(magnitude, hn::Set(df, kOverflow)), nan, inf);
      return hn::IfThenElse(hn::Ge(magnitude, hn::Set(df, kOverflow)), special, value);
    }
  }

  // The value of the overflow code if it were an ordinary number.
  static constexpr float first_overflow_value() {
    constexpr uint32_t kRebias = static_cast<uint32_t>(127 - kFormat.bias) << 23;
    return std::bit_cast<float>((kFormat.overflow_code() << kFormat.dropped_bits()) + kRebias);
  }
};

template <class T>
struct FromSmallInteger {
  using Element = T;
  HWY_INLINE VF operator()(const Element* src) const {
    return hn::ConvertTo(DF(), hn::PromoteTo(DI(), hn::LoadU(Part<T>(), src)));
  }
};

struct FromS32 {
  using Element = int32_t;
  HWY_INLINE VF operator()(const Element* src) const {
    return hn::ConvertTo(DF(), hn::LoadU(DI(), src));
  }
};

// AVX2 has no unsigned conversion. Both halves and the product are exact; the sum rounds once.
struct FromU32 {
  using Element = uint32_t;
  HWY_INLINE VF operator()(const Element* src) const {
    const DF df;
    const hn::Vec<DU> word = hn::LoadU(DU(), src);
    const VF high = hn::ConvertTo(df, hn::BitCast(DI(), hn::ShiftRight<16>(word)));
    const VF low = hn::ConvertTo(df, hn::BitCast(DI(), hn::And(word, hn::Set(DU(), 0xFFFFu))));
    return hn::Add(hn::Mul(high, hn::Set(df, 65536.0f)), low);
  }
};

template <class Kernel>
void widen_all(const void* src, float* dst, size_t n) {
  using T = typename Kernel::Element;
  const DF df;
  const T* in = static_cast<const T*>(src);
  const Kernel kernel;
  size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) hn::StoreU(kernel(in + i), df, dst + i);
  if (i == n) return;
  T last[kLanes] = {};
  alignas(64) float wide[kLanes];
  std::memcpy(last, in + i, (n - i) * sizeof(T));
  hn::Store(kernel(last), df, wide);
  std::memcpy(dst + i, wide, (n - i) * sizeof(float));
}

void widen_lanes(Dtype from, const void* src, float* dst, size_t n) {
  switch (from) {
    case Dtype::F32:
      return;  // widen copies
    case Dtype::TF32:
      return widen_all<FromTf32>(src, dst, n);
    case Dtype::BF16:
      return widen_all<FromBf16>(src, dst, n);
    case Dtype::F16:
      return widen_all<FromF16>(src, dst, n);
    case Dtype::F8E5M2:
      return widen_all<FromF8<kF8E5M2> >(src, dst, n);
    case Dtype::F8E4M3:
      return widen_all<FromF8<kF8E4M3> >(src, dst, n);
    case Dtype::F8E4M3FN:
      return widen_all<FromF8<kF8E4M3FN> >(src, dst, n);
    case Dtype::F8E3M4:
      return widen_all<FromF8<kF8E3M4> >(src, dst, n);
    case Dtype::S8:
      return widen_all<FromSmallInteger<int8_t> >(src, dst, n);
    case Dtype::U8:
      return widen_all<FromSmallInteger<uint8_t> >(src, dst, n);
    case Dtype::S16:
      return widen_all<FromSmallInteger<int16_t> >(src, dst, n);
    case Dtype::U16:
      return widen_all<FromSmallInteger<uint16_t> >(src, dst, n);
    case Dtype::S32:
      return widen_all<FromS32>(src, dst, n);
    case Dtype::U32:
      return widen_all<FromU32>(src, dst, n);
  }
}

#endif

}  // namespace trainyard::numerics::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trainyard::numerics {

HWY_EXPORT(widen_lanes);

void widen_run(Dtype from, const void* src, float* dst, size_t n) {
  TY_SIMD_DISPATCH(widen_lanes)(from, src, dst, n);
}

}  // namespace trainyard::numerics
#endif
