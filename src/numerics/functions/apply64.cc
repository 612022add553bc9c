// apply() of functions64.h for every SIMD level. fp32 data takes the short kernels of functions.h
// where there is one, else the f64 kernel and one rounding.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numerics/functions/apply64.cc"
#include "numerics/simd_dispatch.h"
//
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "base/check.h"
#include "numerics/functions/activations-inl.h"
#include "numerics/functions/cbrt64-inl.h"
#include "numerics/functions/elementary-inl.h"
#include "numerics/functions/erf64-inl.h"
#include "numerics/functions/exp_log64-inl.h"
#include "numerics/functions/power64-inl.h"
#include "numerics/functions/trigonometric64-inl.h"
#include "numerics/functions64.h"

HWY_BEFORE_NAMESPACE();
namespace trainyard::numerics::HWY_NAMESPACE {

void apply_f64(Math f, const double* x, double* y, size_t n) {
  switch (f) {
    case Math::Sqrt:
      return map(x, y, n, Sqrt());
    case Math::Rsqrt:
      return map(x, y, n, Rsqrt());
    case Math::Cbrt:
      return map(x, y, n, Cbrt64());
    case Math::Exp:
      return map(x, y, n, Exp64());
    case Math::Expm1:
      return map(x, y, n, Expm1_64());
    case Math::Log:
      return map(x, y, n, Log64());
    case Math::Log1p:
      return map(x, y, n, Log1p64());
    case Math::Sin:
      return map(x, y, n, Sin64());
    case Math::Cos:
      return map(x, y, n, Cos64());
    case Math::Tan:
      return map(x, y, n, Tan64());
    case Math::Tanh:
      return map(x, y, n, Tanh64());
    case Math::Logistic:
      return map(x, y, n, Logistic64());
    case Math::Erf:
      return map(x, y, n, Erf64());
    case Math::Erfc:
      return map(x, y, n, Erfc64());
    case Math::ErfInv:
      return map(x, y, n, ErfInv64());
  }
  TY_CHECK(false);
}

void apply_f32(Math f, const float* x, float* y, size_t n) {
  switch (f) {
    case Math::Sqrt:
      return map(x, y, n, Sqrt());
    case Math::Rsqrt:
      return map_widened(x, y, n, Rsqrt());
    case Math::Cbrt:
      return map_widened(x, y, n, Cbrt64());
    case Math::Exp:
      return map(x, y, n, Exp32());
    case Math::Expm1:
      return map_widened(x, y, n, Expm1_64());
    case Math::Log:
      return map_widened(x, y, n, Log());
    case Math::Log1p:
      return map_widened(x, y, n, Log1p64());
    case Math::Sin:
      return map_widened(x, y, n, Sin64());
    case Math::Cos:
      return map_widened(x, y, n, Cos64());
    case Math::Tan:
      return map_widened(x, y, n, Tan64());
    case Math::Tanh:
      return map_widened(x, y, n, Tanh());
    case Math::Logistic:
      return map_widened(x, y, n, Sigmoid());
    case Math::Erf:
      return map_widened(x, y, n, Erf());
    case Math::Erfc:
      return map_widened(x, y, n, Erfc64());
    case Math::ErfInv:
      return map_widened(x, y, n, ErfInv64());
  }
  TY_CHECK(false);
}

void apply2_f64(Math2 f, const double* a, const double* b, double* y, size_t n) {
  switch (f) {
    case Math2::Atan2:
      return map2(a, b, y, n, Atan2_64());
    case Math2::Pow:
      return map2(a, b, y, n, Power64());
  }
  TY_CHECK(false);
}

void apply2_f32(Math2 f, const float* a, const float* b, float* y, size_t n) {
  switch (f) {
    case Math2::Atan2:
      return map2_widened(a, b, y, n, Atan2_64());
    case Math2::Pow:
      return map2_widened(a, b, y, n, Power64());
  }
  TY_CHECK(false);
}

}  // namespace trainyard::numerics::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trainyard::numerics {

HWY_EXPORT(apply_f64);
HWY_EXPORT(apply_f32);
HWY_EXPORT(apply2_f64);
HWY_EXPORT(apply2_f32);

void apply(Math f, const double* x, double* y, size_t n) {
  TY_SIMD_DISPATCH(apply_f64)(f, x, y, n);
}
void apply(Math f, const float* x, float* y, size_t n) { TY_SIMD_DISPATCH(apply_f32)(f, x, y, n); }
void apply(Math2 f, const double* a, const double* b, double* y, size_t n) {
  TY_SIMD_DISPATCH(apply2_f64)(f, a, b, y, n);
}
void apply(Math2 f, const float* a, const float* b, float* y, size_t n) {
  TY_SIMD_DISPATCH(apply2_f32)(f, a, b, y, n);
}

}  // namespace trainyard::numerics
#endif
