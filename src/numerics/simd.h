#pragma once
// Which vector units of the host this process uses. One answer for conversions, functions and the
// simulator's loops, found once, from the host and from the environment variable TRAINYARD_SIMD
// (scalar, avx2, avx512, amx). Vector code asks through numerics/simd_dispatch.h.
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace trainyard::numerics {

// Levels of host instructions; a higher one includes the lower ones.
enum class Simd : uint8_t {
  Scalar,
  Avx2,    // with FMA, F16C and BMI2
  Avx512,  // F, BW, DQ, VL
  Amx,     // Avx512, and AMX-BF16 that the kernel grants to this process
};

// "scalar", "avx2", "avx512", "amx".
std::string_view name(Simd level);
std::optional<Simd> parse_simd(std::string_view text);

// Single units of the host. A unit that the operating system does not hand out counts as absent.
struct HostUnits {
  bool avx2 = false;
  bool avx512 = false;
  bool avx512_bf16 = false;  // vdpbf16ps; its conversions flush denormals, so convert.h avoids them
  bool avx512_fp16 = false;
  bool amx_bf16 = false;
  bool amx_int8 = false;

  friend bool operator==(const HostUnits&, const HostUnits&) = default;
};

// What the host has. The first call asks Linux for permission to use AMX tiles.
const HostUnits& host_units();

// The best level that the host has.
Simd host_simd();

// Every level of the host, from Scalar up: what a test of vector code runs through.
std::vector<Simd> usable_simd();

// The level in use: host_simd(), unless TRAINYARD_SIMD or force_simd says otherwise.
Simd active_simd();

// host_units() without those above active_simd().
HostUnits active_units();

// Ok, or why TRAINYARD_SIMD cannot be obeyed (TY-NUM-001, TY-NUM-002). Tools ask at their start and
// refuse. A process that never asks gets one line on stderr and runs with host_simd().
Status check_simd_environment();

// Uses `level` from now on, in every thread. For tests and benchmarks: the caller makes sure that
// no vector code runs meanwhile. TY-NUM-001 where the host lacks the level; then nothing changes.
Status force_simd(Simd level);

// Goes back to what the environment says.
void unforce_simd();

}  // namespace trainyard::numerics
