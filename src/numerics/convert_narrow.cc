// fp32 to any type. Each kernel turns one vector of fp32 into one vector of 32-bit lanes that hold
// the narrow codes; packing and the ends of rows are common.
//
// All float kernels but one are integer arithmetic: a host in flush-to-zero mode and the host's own
// bf16 instructions (which flush subnormals) would give other bits. The exception is f16 to nearest
// even, for which the host instruction is exact in every mode.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numerics/convert_narrow.cc"
// clang-format off
#include "numerics/simd_dispatch.h"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// clang-format on

#include <bit>
#include <cstring>
#include <limits>

#include "numerics/convert_run.h"

HWY_BEFORE_NAMESPACE();
namespace trainyard::numerics::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128

void narrow_lanes(Dtype to, const float* src, void* dst, size_t n, const ConvertOptions& options) {
  auto* bytes = static_cast<unsigned char*>(dst);
  ConvertOptions one = options;
  for (size_t i = 0; i < n; ++i, ++one.rounding.counter) {
    from_f32(to, src[i], bytes + i * size_of(to), one);
  }
}

#else

namespace hn = hwy::HWY_NAMESPACE;
using DF = hn::ScalableTag<float>;
using DI = hn::RebindToSigned<DF>;
using DU = hn::RebindToUnsigned<DF>;
using VF = hn::Vec<DF>;
using VI = hn::Vec<DI>;
using VU = hn::Vec<DU>;
constexpr size_t kLanes = hn::MaxLanes(DF());

// Nearest even: what to add below the cut is half a step, less one unless the kept part is odd.
struct ToNearestEven {
  explicit ToNearestEven(const Rounding&) {}

  template <int kShift>
  HWY_INLINE VU add_below(VU bits, VU) const {
    const VU odd = hn::And(hn::ShiftRight<kShift>(bits), hn::Set(DU(), 1));
    return hn::Add(hn::Add(bits, hn::Set(DU(), (1u << (kShift - 1)) - 1)), odd);
  }

  // base >> (32 - up), rounded. `up` is at most 31; below 1 the result is 0 in any case.
  HWY_INLINE VI shift(VI base, VI up, VU) const {
    const DI di;
    up = hn::Max(up, hn::Set(di, 1));
    const VI down = hn::Sub(hn::Set(di, 32), up);
    const VI half_less_one = hn::Shr(hn::Set(di, 0x7FFFFFFF), up);
    const VI odd = hn::And(hn::Shr(base, down), hn::Set(di, 1));
    return hn::Shr(hn::Add(hn::Add(base, half_less_one), odd), down);
  }
};

// Stochastic: uniform bits below the cut. The same arithmetic as random_bits.
struct Stochastically {
  explicit Stochastically(const Rounding& rounding)
      : key(random_key(rounding.seed, rounding.counter)) {}

  static HWY_INLINE VU mix(VU x) {
    const DU du;
    x = hn::Mul(hn::Xor(x, hn::ShiftRight<16>(x)), hn::Set(du, kMixA));
    x = hn::Mul(hn::Xor(x, hn::ShiftRight<15>(x)), hn::Set(du, kMixB));
    return hn::Xor(x, hn::ShiftRight<16>(x));
  }
  HWY_INLINE VU bits(VU counter) const {
    const DU du;
    return mix(hn::Add(mix(hn::Xor(counter, hn::Set(du, key.first))), hn::Set(du, key.second)));
  }

  template <int kShift>
  HWY_INLINE VU add_below(VU value, VU counter) const {
    return hn::Add(value, hn::ShiftRight<32 - kShift>(bits(counter)));
  }

  // Odds are kept to 30 bits, as in shift_rounded.
  HWY_INLINE VI shift(VI base, VI up, VU counter) const {
    const DI di;
    const VI kept_up = hn::Max(up, hn::Set(di, 2));
    const VI lost = hn::Min(hn::Sub(kept_up, up), hn::Set(di, 31));
    const VU below = hn::Shr(bits(counter), hn::BitCast(DU(), kept_up));
    const VI sum = hn::Add(hn::Shr(base, lost), hn::BitCast(di, below));
    return hn::Shr(sum, hn::Sub(hn::Set(di, 32), kept_up));
  }

  RandomKey key;
};

// bf16 and tf32 have fp32's exponent: cutting off mantissa bits is all there is to do, and a carry
// out of the largest value makes Inf.
template <FloatFormat kFormat, class Rounder, bool kFtz>
struct ToUpperBits {
  using Element = std::conditional_t<kFormat.bits() == 16, uint16_t, uint32_t>;
  static constexpr int kShift = kFormat.dropped_bits();
  explicit ToUpperBits(const ConvertOptions& options) : rounder(options.rounding) {}

  HWY_INLINE VU operator()(VF v, VU counter) const {
    const DU du;
    const VU bits = hn::BitCast(du, v);
    VU upper = rounder.template add_below<kShift>(bits, counter);
    const VU sign = hn::And(bits, hn::Set(du, kF32Sign));
    if constexpr (kFtz) {
      const auto is_tiny = hn::Eq(hn::And(upper, hn::Set(du, kF32Inf)), hn::Zero(du));
      upper = hn::IfThenElse(is_tiny, sign, upper);
    }
    const VU nan = hn::Or(sign, hn::Set(du, kF32QuietNan));
    upper = hn::IfThenElse(hn::RebindMask(du, hn::IsNaN(v)), nan, upper);
    if constexpr (sizeof(Element) == 2) return hn::ShiftRight<16>(upper);
    return hn::And(upper, hn::Set(du, ~0u << kShift));
  }

  Rounder rounder;
};

// The narrow exponents: `encode` of numerics/convert_scalar.h in lanes.
template <FloatFormat kFormat, class Rounder, bool kFtz>
struct ToNarrowFloat {
  using Element = std::conditional_t<kFormat.bits() == 16, uint16_t, uint8_t>;
  explicit ToNarrowFloat(const ConvertOptions& options)
      : rounder(options.rounding), overflow(overflow_result(kFormat, options)) {}

  HWY_INLINE VU operator()(VF v, VU counter) const {
    const DI di;
    constexpr int kMinExponent = kFormat.min_normal_f32_exponent();
    const VI bits = hn::BitCast(di, v);
    const VI magnitude = hn::And(bits, hn::Set(di, 0x7FFFFFFF));
    const VI exponent = hn::Min(hn::ShiftRight<23>(magnitude), hn::Set(di, kMinExponent));
    const VI implicit_bit = hn::Set(di, 1 << 23);
    const VI base = hn::Add(hn::Sub(magnitude, hn::ShiftLeft<23>(exponent)), implicit_bit);
    constexpr int kUp = 32 - kFormat.dropped_bits() - kMinExponent;
    VI code = rounder.shift(base, hn::Add(exponent, hn::Set(di, kUp)), counter);
    if constexpr (kFtz) {
      const VI min_normal = hn::Set(di, static_cast<int32_t>(kFormat.min_normal_code()));
      code = hn::IfThenZeroElse(hn::Lt(code, min_normal), code);
    }
    code = hn::Min(code, hn::Set(di, static_cast<int32_t>(overflow)));
    const VI nan = hn::Set(di, static_cast<int32_t>(kFormat.nan_code()));
    code = hn::IfThenElse(hn::RebindMask(di, hn::IsNaN(v)), nan, code);
    const VI sign_code = hn::Set(di, static_cast<int32_t>(kFormat.sign_code()));
    const VI sign = hn::And(hn::ShiftRight<32 - kFormat.bits()>(bits), sign_code);
    return hn::BitCast(DU(), hn::Or(code, sign));
  }

  Rounder rounder;
  uint32_t overflow;
};

struct ToF32Flushed {
  using Element = uint32_t;
  explicit ToF32Flushed(const ConvertOptions&) {}
  HWY_INLINE VU operator()(VF v, VU) const {
    const DU du;
    const VU bits = hn::BitCast(du, v);
    const auto is_tiny = hn::Eq(hn::And(bits, hn::Set(du, kF32Inf)), hn::Zero(du));
    return hn::IfThenElse(is_tiny, hn::And(bits, hn::Set(du, kF32Sign)), bits);
  }
};

// Integers of 8 and 16 bits: their limits are fp32 numbers, so the clamp comes first.
template <class T>
struct ToSmallInteger {
  using Element = std::make_unsigned_t<T>;
  explicit ToSmallInteger(const ConvertOptions&) {}
  HWY_INLINE VU operator()(VF v, VU) const {
    const DF df;
    v = hn::IfThenZeroElse(hn::IsNaN(v), v);
    v = hn::Max(v, hn::Set(df, static_cast<float>(std::numeric_limits<T>::min())));
    v = hn::Min(v, hn::Set(df, static_cast<float>(std::numeric_limits<T>::max())));
    return hn::BitCast(DU(), hn::NearestInt(v));
  }
};

struct ToS32 {
  using Element = uint32_t;
  explicit ToS32(const ConvertOptions&) {}
  HWY_INLINE VU operator()(VF v, VU) const {
    // NearestInt saturates.
    return hn::BitCast(DU(), hn::NearestInt(hn::IfThenZeroElse(hn::IsNaN(v), v)));
  }
};

// fp32 numbers from 2^31 on are whole: taking 2^31 off is exact, and the top bit goes back on.
// Beyond the range NearestInt saturates to 31 ones.
struct ToU32 {
  using Element = uint32_t;
  explicit ToU32(const ConvertOptions&) {}
  HWY_INLINE VU operator()(VF v, VU) const {
    const DF df;
    const DU du;
    const VF top = hn::Set(df, 2147483648.0f);
    v = hn::IfThenZeroElse(hn::IsNaN(v), v);
    v = hn::Max(v, hn::Zero(df));
    const auto is_high = hn::Ge(v, top);
    const VU low = hn::BitCast(du, hn::NearestInt(hn::Sub(v, hn::IfThenElseZero(is_high, top))));
    const VU top_bit = hn::IfThenElseZero(hn::RebindMask(du, is_high), hn::Set(du, kF32Sign));
    return hn::Or(low, top_bit);
  }
};

// Runs `kernel` on as many vectors as fill one vector of its elements.
template <class Kernel>
struct Packed {
  using T = typename Kernel::Element;
  static constexpr size_t kVectors = sizeof(uint32_t) / sizeof(T);
  static constexpr size_t kStep = kVectors * kLanes;
  explicit Packed(const ConvertOptions& options)
      : kernel(options), first(static_cast<uint32_t>(options.rounding.counter)) {}

  HWY_INLINE VU codes(const float* src, size_t at) const {
    const VU counter = hn::Iota(DU(), first + static_cast<uint32_t>(at));
    return kernel(hn::LoadU(DF(), src), counter);
  }

  HWY_INLINE void operator()(const float* src, T* dst, size_t at) const {
    const hn::Repartition<uint16_t, DU> du16;
    const hn::Repartition<uint8_t, DU> du8;
    const VU a = codes(src, at);
    if constexpr (kVectors == 1) {
      hn::StoreU(a, DU(), dst);
      return;
    } else {
      const VU b = codes(src + kLanes, at + kLanes);
      const auto ab = hn::ConcatEven(du16, hn::BitCast(du16, b), hn::BitCast(du16, a));
      if constexpr (kVectors == 2) {
        hn::StoreU(ab, du16, dst);
      } else {
        const VU c = codes(src + 2 * kLanes, at + 2 * kLanes);
        const VU d = codes(src + 3 * kLanes, at + 3 * kLanes);
        const auto cd = hn::ConcatEven(du16, hn::BitCast(du16, d), hn::BitCast(du16, c));
        hn::StoreU(hn::ConcatEven(du8, hn::BitCast(du8, cd), hn::BitCast(du8, ab)), du8, dst);
      }
    }
  }

  Kernel kernel;
  uint32_t first;
};

// f16 to nearest even, by the host's instruction.
struct HostF16 {
  using T = uint16_t;
  static constexpr size_t kStep = kLanes;
  explicit HostF16(const ConvertOptions&) {}

  HWY_INLINE void operator()(const float* src, T* dst, size_t) const {
    const DF df;
    const hn::Rebind<hwy::float16_t, DF> d16;
    const hn::Rebind<uint16_t, DF> du16;
    const VF v = hn::LoadU(df, src);
    // The instruction keeps the payload of a NaN; ours is the plain quiet NaN.
    const VF nan =
        hn::Or(hn::And(v, hn::Set(df, -0.0f)), hn::Set(df, std::bit_cast<float>(kF32QuietNan)));
    const VF clean = hn::IfThenElse(hn::IsNaN(v), nan, v);
    hn::StoreU(hn::BitCast(du16, hn::DemoteTo(d16, clean)), du16, dst);
  }
};

template <class Block>
void narrow_all(const float* src, void* dst, size_t n, const ConvertOptions& options) {
  using T = typename Block::T;
  const Block block(options);
  T* out = static_cast<T*>(dst);
  size_t i = 0;
  for (; i + Block::kStep <= n; i += Block::kStep) block(src + i, out + i, i);
  if (i == n) return;
  float last[Block::kStep] = {};
  T codes[Block::kStep];
  std::memcpy(last, src + i, (n - i) * sizeof(float));
  block(last, codes, i);
  std::memcpy(out + i, codes, (n - i) * sizeof(T));
}

template <template <FloatFormat, class, bool> class Kernel, FloatFormat kFormat>
void narrow_float(const float* src, void* dst, size_t n, const ConvertOptions& options) {
  const bool stochastic = options.rounding.mode == Rounding::Stochastic;
  if (stochastic && options.ftz) {
    narrow_all<Packed<Kernel<kFormat, Stochastically, true> > >(src, dst, n, options);
  } else if (stochastic) {
    narrow_all<Packed<Kernel<kFormat, Stochastically, false> > >(src, dst, n, options);
  } else if (options.ftz) {
    narrow_all<Packed<Kernel<kFormat, ToNearestEven, true> > >(src, dst, n, options);
  } else if (kFormat == kF16) {
    narrow_all<HostF16>(src, dst, n, options);
  } else {
    narrow_all<Packed<Kernel<kFormat, ToNearestEven, false> > >(src, dst, n, options);
  }
}

template <class Kernel>
void narrow_plain(const float* src, void* dst, size_t n, const ConvertOptions& options) {
  narrow_all<Packed<Kernel> >(src, dst, n, options);
}

void narrow_lanes(Dtype to, const float* src, void* dst, size_t n, const ConvertOptions& options) {
  switch (to) {
    case Dtype::F32:
      return narrow_plain<ToF32Flushed>(src, dst, n, options);
    case Dtype::TF32:
      return narrow_float<ToUpperBits, kTF32>(src, dst, n, options);
    case Dtype::BF16:
      return narrow_float<ToUpperBits, kBF16>(src, dst, n, options);
    case Dtype::F16:
      return narrow_float<ToNarrowFloat, kF16>(src, dst, n, options);
    case Dtype::F8E5M2:
      return narrow_float<ToNarrowFloat, kF8E5M2>(src, dst, n, options);
    case Dtype::F8E4M3:
      return narrow_float<ToNarrowFloat, kF8E4M3>(src, dst, n, options);
    case Dtype::F8E4M3FN:
      return narrow_float<ToNarrowFloat, kF8E4M3FN>(src, dst, n, options);
    case Dtype::F8E3M4:
      return narrow_float<ToNarrowFloat, kF8E3M4>(src, dst, n, options);
    case Dtype::S8:
      return narrow_plain<ToSmallInteger<int8_t> >(src, dst, n, options);
    case Dtype::U8:
      return narrow_plain<ToSmallInteger<uint8_t> >(src, dst, n, options);
    case Dtype::S16:
      return narrow_plain<ToSmallInteger<int16_t> >(src, dst, n, options);
    case Dtype::U16:
      return narrow_plain<ToSmallInteger<uint16_t> >(src, dst, n, options);
    case Dtype::S32:
      return narrow_plain<ToS32>(src, dst, n, options);
    case Dtype::U32:
      return narrow_plain<ToU32>(src, dst, n, options);
  }
}

#endif

}  // namespace trainyard::numerics::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trainyard::numerics {

HWY_EXPORT(narrow_lanes);

void narrow_run(Dtype to, const float* src, void* dst, size_t n, const ConvertOptions& options) {
  TY_SIMD_DISPATCH(narrow_lanes)(to, src, dst, n, options);
}

}  // namespace trainyard::numerics
#endif
