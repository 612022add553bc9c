#pragma once
// Conversions between element types [neuroncore 5.2, 5.3]. Every engine reads any type into fp32
// and writes its fp32 result in any type. The bits are the same on every host and every SIMD level.
// docs/numerics.md says which rules are documented and which are our choice.
#include <cstddef>
#include <cstdint>

#include "numerics/dtype.h"

namespace trainyard::numerics {

// How a value between two representable ones is rounded. Stochastic rounds away from zero with a
// probability equal to the fraction that is cut off. The random bits of element i depend on `seed`
// and on `counter + i` alone (numerics/random_bits.h): never on threads, vector width or call size.
// The caller moves `counter` on. Integers are always rounded to nearest even.
struct Rounding {
  enum Mode : uint8_t { NearestEven, Stochastic };
  Mode mode = NearestEven;
  uint64_t seed = 0;
  uint64_t counter = 0;
};

// Switches of fp32 -> narrow; all off is the machine's default.
struct ConvertOptions {
  Rounding rounding;
  bool fp8fn_saturate = false;  // e4m3fn: overflow and Inf become +-448 instead of NaN
  bool fp8_saturate = false;  // e5m2, e4m3, e3m4: overflow and Inf become the largest finite value
  bool ftz = false;  // a float result that is subnormal after rounding becomes a signed zero
};

// Any type to fp32, exactly, except i32 and u32 beyond 2^24: nearest even. NaN stays NaN, with its
// sign. Pointers to void need no alignment; `src` and `dst` do not overlap, here and below.
void widen(Dtype from, const void* src, float* dst, size_t n);

// fp32 to any type. Floats: rounded; overflow becomes Inf where the format has one (but see the
// switches), in e4m3fn NaN; NaN becomes the format's quiet NaN with the same sign. Integers:
// nearest even, saturated to the range, NaN becomes 0.
void narrow(Dtype to, const float* src, void* dst, size_t n, const ConvertOptions& options = {});

// Any type to any type through fp32, in blocks, without allocating. Equal types: a bit copy that no
// switch touches.
void convert(Dtype from, const void* src, Dtype to, void* dst, size_t n,
             const ConvertOptions& options = {});

}  // namespace trainyard::numerics

#include "numerics/convert_scalar.h"  // to_f32 and from_f32: the same conversions for one element
