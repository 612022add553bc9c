#include "sim/execute/gemm_unit.h"

#include "numerics/simd.h"

namespace trainyard::sim {

using numerics::Dtype;

std::string_view name(GemmUnit unit) {
  switch (unit) {
    case GemmUnit::Scalar:
      return "scalar";
    case GemmUnit::Avx2:
      return "avx2";
    case GemmUnit::Avx512:
      return "avx512";
    case GemmUnit::Avx512Bf16:
      return "avx512-bf16";
    case GemmUnit::AmxBf16:
      return "amx-bf16";
  }
  return "";
}

bool is_available(GemmUnit unit) {
  const numerics::HostUnits units = numerics::active_units();
  switch (unit) {
    case GemmUnit::Scalar:
      return true;
    case GemmUnit::Avx2:
      return units.avx2;
    case GemmUnit::Avx512:
      return units.avx512;
    case GemmUnit::Avx512Bf16:
      return units.avx512 && units.avx512_bf16;
    case GemmUnit::AmxBf16:
      return units.avx512 && units.amx_bf16;
  }
  return false;
}

bool takes_bf16(GemmUnit unit) { return unit == GemmUnit::Avx512Bf16 || unit == GemmUnit::AmxBf16; }

bool fits_bf16(Dtype dtype) {
  return dtype == Dtype::BF16 || (numerics::is_float(dtype) && numerics::size_of(dtype) == 1);
}

// vdpbf16ps runs at twice the FMA rate on AMD (232 against 116 GFLOP/s on one Zen 4 core) and at
// half of it on Intel (86 against 175 GFLOP/s), where fp32 FMA on widened operands wins.
static bool bf16_dot_beats_fma() {
  __builtin_cpu_init();
  return __builtin_cpu_is("amd");
}

GemmUnit choose_unit(Dtype stationary, Dtype moving, GemmOrder order) {
  if (order == GemmOrder::Default && fits_bf16(stationary) && fits_bf16(moving)) {
    if (is_available(GemmUnit::AmxBf16)) return GemmUnit::AmxBf16;
    if (is_available(GemmUnit::Avx512Bf16) && bf16_dot_beats_fma()) return GemmUnit::Avx512Bf16;
  }
  if (is_available(GemmUnit::Avx512)) return GemmUnit::Avx512;
  return is_available(GemmUnit::Avx2) ? GemmUnit::Avx2 : GemmUnit::Scalar;
}

}  // namespace trainyard::sim
