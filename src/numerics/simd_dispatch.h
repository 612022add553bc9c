#pragma once
// Vector code that is compiled once per level and picked at run time (Highway). A file f.cc with
// vector code looks like this; the order matters:
//
//   #undef HWY_TARGET_INCLUDE
//   #define HWY_TARGET_INCLUDE "numerics/f.cc"
//   #include "numerics/simd_dispatch.h"
//   #include <hwy/foreach_target.h>
//   #include <hwy/highway.h>
//
//   HWY_BEFORE_NAMESPACE();
//   namespace trainyard::numerics::HWY_NAMESPACE { void kernel(...) {...} }
//   HWY_AFTER_NAMESPACE();
//
//   #if HWY_ONCE
//   namespace trainyard::numerics {
//   HWY_EXPORT(kernel);
//   void entry(...) { TY_SIMD_DISPATCH(kernel)(...); }
//   }
//   #endif
//
// Three levels are compiled: scalar, AVX2, AVX-512. Hosts with SSE4 alone take scalar. Small
// functions on vectors want HWY_INLINE, or GCC calls them.
//
// Some scalar operations of Highway 1.0.3 give other bits than the vector ones: f16 conversions
// (they truncate and know no Inf) and NearestInt and Round (0.49999997 becomes 1). Write scalar
// code for them where HWY_TARGET is HWY_SCALAR or HWY_EMU128.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4)

#include "numerics/simd.h"

// The version of `function` for active_simd(). The first call settles the level.
#define TY_SIMD_DISPATCH(function) \
  (static_cast<void>(::trainyard::numerics::active_simd()), HWY_DYNAMIC_DISPATCH(function))
