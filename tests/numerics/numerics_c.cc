// The conversions of src/numerics as C functions, for tests that compare them with NumPy.
#include "numerics/convert.h"
#include "numerics/simd.h"

namespace num = trainyard::numerics;

namespace {

struct Switches {
  uint64_t seed;
  uint64_t counter;
  uint8_t stochastic;
  uint8_t fp8fn_saturate;
  uint8_t fp8_saturate;
  uint8_t ftz;
};

num::ConvertOptions options_of(const Switches& s) {
  return {.rounding = {s.stochastic ? num::Rounding::Stochastic : num::Rounding::NearestEven,
                       s.seed, s.counter},
          .fp8fn_saturate = s.fp8fn_saturate != 0,
          .fp8_saturate = s.fp8_saturate != 0,
          .ftz = s.ftz != 0};
}

}  // namespace

extern "C" {

// 1 when the level is in use from now on, 0 when the host lacks it or it has no such name.
int ty_force_simd(const char* level_name) {
  const auto level = num::parse_simd(level_name);
  return level && num::force_simd(*level).ok();
}

// 1 when `type` names an element type.
int ty_widen(const char* type, const void* src, float* dst, size_t n) {
  const auto dtype = num::parse_dtype(type);
  if (dtype) num::widen(*dtype, src, dst, n);
  return dtype.has_value();
}

int ty_narrow(const char* type, const float* src, void* dst, size_t n, const Switches* switches) {
  const auto dtype = num::parse_dtype(type);
  if (dtype) num::narrow(*dtype, src, dst, n, options_of(*switches));
  return dtype.has_value();
}
}
