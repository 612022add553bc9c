#pragma once
// Which unit of the host multiplies tiles, and in which order it adds. A unit is a family of
// kernels (gemm_kernel.h) plus the packed layout that they read (gemm_pack.h).
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "numerics/dtype.h"

namespace trainyard::sim {

// Strict: k ascending from 0, each partial sum rounded to fp32, then one add to the PSUM value;
// the same bits on every host. Default: what the fastest unit does, the same bits for any thread
// count and any blocking on one host.
enum class GemmOrder : uint8_t { Default, Strict };

// Slowest first. The first three multiply fp32 and always add in strict order; the last two
// multiply bf16, start from the PSUM value and flush denormals.
enum class GemmUnit : uint8_t { Scalar, Avx2, Avx512, Avx512Bf16, AmxBf16 };

inline constexpr GemmUnit kGemmUnits[] = {GemmUnit::Scalar, GemmUnit::Avx2, GemmUnit::Avx512,
                                          GemmUnit::Avx512Bf16, GemmUnit::AmxBf16};

std::string_view name(GemmUnit unit);

// The host has the unit, the operating system lets us use it, and no limit on the host's
// instruction set (numerics/simd.h) forbids it.
bool is_available(GemmUnit unit);

// The unit multiplies bf16; otherwise fp32.
bool takes_bf16(GemmUnit unit);

// bf16 and the 8-bit floats: all their values are bf16 values.
bool fits_bf16(numerics::Dtype dtype);

// The best available unit for a pair of operand types. Strict order, and any operand that bf16
// cannot hold, take the fp32 units.
GemmUnit choose_unit(numerics::Dtype stationary, numerics::Dtype moving, GemmOrder order);

}  // namespace trainyard::sim
