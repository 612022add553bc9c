#pragma once
// The loops behind numerics/convert.h, one version per SIMD level. Not for other folders.
#include <cstddef>

#include "numerics/convert.h"

namespace trainyard::numerics {

// widen for every type but F32; n > 0.
void widen_run(Dtype from, const void* src, float* dst, size_t n);

// narrow for n > 0 elements whose random counters share their upper 32 bits.
void narrow_run(Dtype to, const float* src, void* dst, size_t n, const ConvertOptions& options);

// Whether the level in use has an instruction for fp32 to bf16, and the loop that uses it: nearest
// even, no switches, n > 0.
bool host_narrows_bf16();
void narrow_bf16_on_host(const float* src, void* dst, size_t n);

}  // namespace trainyard::numerics
