// apply() for every SIMD level. bench/functions_report measures it: docs/reports/functions.md.
//
// The transcendental functions run on lanes of double, where one straight formula is right to 0.6
// ulp over the whole line. exp alone stays in fp32: in doubles it ran at 2.2 Gelem/s instead
// of 5.1.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "numerics/functions/apply.cc"
#include "numerics/simd_dispatch.h"
//
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cstring>

#include "base/check.h"
#include "numerics/functions.h"
#include "numerics/functions/activations-inl.h"
#include "numerics/functions/elementary-inl.h"

HWY_BEFORE_NAMESPACE();
namespace trainyard::numerics::HWY_NAMESPACE {

void apply_level(Function f, const float* x, float* y, size_t n, float param) {
  switch (f) {
    case Function::Copy:
      std::memmove(y, x, n * sizeof(float));
      return;
    case Function::Square:
      return map(x, y, n, Square());
    case Function::Sigmoid:
      return map_widened(x, y, n, Sigmoid());
    case Function::Relu:
      return map(x, y, n, Relu());
    case Function::Prelu:
      return map(x, y, n, Prelu{param});
    case Function::Gelu:
      return map_widened(x, y, n, Gelu());
    case Function::GeluDx:
      return map_widened(x, y, n, GeluDx());
    case Function::GeluApprxTanh:
      return map_widened(x, y, n, GeluApprxTanh());
    case Function::GeluApprxSigmoid:
      return map_widened(x, y, n, GeluApprxSigmoid());
    case Function::GeluApprxSigmoidDx:
      return map_widened(x, y, n, GeluApprxSigmoidDx());
    case Function::Silu:
      return map_widened(x, y, n, Silu());
    case Function::SiluDx:
      return map_widened(x, y, n, SiluDx());
    case Function::Tanh:
      return map_widened(x, y, n, Tanh());
    case Function::Softplus:
      return map_widened(x, y, n, Softplus());
    case Function::Mish:
      return map_widened(x, y, n, Mish());
    case Function::Erf:
      return map_widened(x, y, n, Erf());
    case Function::ErfDx:
      return map_widened(x, y, n, ErfDx());
    case Function::Exp:
      return map(x, y, n, Exp32());
    case Function::Log:
      return map_widened(x, y, n, Log());
    case Function::Sin:
      return map_widened(x, y, n, Sin());
    case Function::Arctan:
      return map_widened(x, y, n, Arctan());
    case Function::Sqrt:
      return map(x, y, n, Sqrt());
    case Function::Rsqrt:
      return map_widened(x, y, n, Rsqrt());
    case Function::Reciprocal:
      return map(x, y, n, Reciprocal());
    case Function::Sign:
      return map(x, y, n, Sign());
    case Function::Abs:
      return map(x, y, n, Abs());
  }
  TY_CHECK(false);
}

}  // namespace trainyard::numerics::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trainyard::numerics {

HWY_EXPORT(apply_level);

void apply(Function f, const float* x, float* y, size_t n, float param) {
  TY_SIMD_DISPATCH(apply_level)(f, x, y, n, param);
}

}  // namespace trainyard::numerics
#endif
