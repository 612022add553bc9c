#include "numerics/simd_dispatch.h"

#include <hwy/highway.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>

#if HWY_ARCH_X86
#include <cpuid.h>
#endif
#if HWY_ARCH_X86 && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace trainyard::numerics {
namespace {

constexpr const char* kVariable = "TRAINYARD_SIMD";
constexpr std::array<std::string_view, 4> kLevelNames = {"scalar", "avx2", "avx512", "amx"};

// Linux hands out the 8 KiB of tile state on request only, once per process.
bool request_amx_tiles() {
#if HWY_ARCH_X86 && defined(__linux__)
  constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long kTileData = 18;               // state component XTILEDATA
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
#else
  return false;
#endif
}

HostUnits detect_units() {
  HostUnits units;
#if HWY_ARCH_X86
  // Highway has checked the operating system's share (XCR0) for these two.
  const int64_t targets = hwy::SupportedTargets();
  units.avx2 = (targets & HWY_AVX2) != 0;
  units.avx512 = (targets & HWY_AVX3) != 0;

  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (!__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx)) return units;
  const bool has_tiles = (edx >> 24 & 1) != 0;
  const bool has_amx_bf16 = (edx >> 22 & 1) != 0;
  const bool has_amx_int8 = (edx >> 25 & 1) != 0;
  units.avx512_fp16 = units.avx512 && (edx >> 23 & 1) != 0;
  const unsigned last_subleaf = eax;
  if (last_subleaf >= 1 && __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx)) {
    units.avx512_bf16 = units.avx512 && (eax >> 5 & 1) != 0;
  }
  if (has_tiles && request_amx_tiles()) {
    units.amx_bf16 = has_amx_bf16;
    units.amx_int8 = has_amx_int8;
  }
#endif
  return units;
}

Status check_level(Simd level) {
  if (level <= host_simd()) return {};
  return error("TY-NUM-001", "SIMD level {} is not on this host, whose best is {}; use {} or lower",
               name(level), name(host_simd()), name(host_simd()));
}

// What the environment asks for, or the host's best where it asks for nothing.
Result<Simd> level_from_environment() {
  const char* text = std::getenv(kVariable);
  if (text == nullptr || *text == '\0') return host_simd();
  const std::optional<Simd> level = parse_simd(text);
  if (!level) {
    return error("TY-NUM-002", "{}={} is not a SIMD level; use scalar, avx2, avx512 or amx",
                 kVariable, text);
  }
  TY_TRY(check_level(*level));
  return *level;
}

constexpr int kUnsettled = -1;
std::atomic<int> g_active{kUnsettled};

// Points Highway's dispatch at `level`. A mask without a vector bit means its scalar code.
void settle(Simd level) {
  int64_t targets = 0;
  if (level >= Simd::Avx2) targets |= HWY_AVX2;
  if (level >= Simd::Avx512) targets |= HWY_AVX3;
  hwy::GetChosenTarget().Update(targets);
  g_active.store(static_cast<int>(level), std::memory_order_release);
}

Simd settle_from_environment() {
  const Result<Simd> level = level_from_environment();
  if (!level.ok()) {
    std::fprintf(stderr, "trainyard: %s; using %s\n", level.status().str().c_str(),
                 std::string(name(host_simd())).c_str());
  }
  const Simd chosen = level.ok() ? *level : host_simd();
  settle(chosen);
  return chosen;
}

}  // namespace

std::string_view name(Simd level) { return kLevelNames[static_cast<size_t>(level)]; }

std::optional<Simd> parse_simd(std::string_view text) {
  for (size_t i = 0; i < kLevelNames.size(); ++i) {
    if (text == kLevelNames[i]) return static_cast<Simd>(i);
  }
  return std::nullopt;
}

const HostUnits& host_units() {
  static const HostUnits units = detect_units();
  return units;
}

Simd host_simd() {
  const HostUnits& units = host_units();
  if (units.avx512 && units.amx_bf16) return Simd::Amx;
  if (units.avx512) return Simd::Avx512;
  return units.avx2 ? Simd::Avx2 : Simd::Scalar;
}

std::vector<Simd> usable_simd() {
  std::vector<Simd> levels;
  for (const Simd level : {Simd::Scalar, Simd::Avx2, Simd::Avx512, Simd::Amx}) {
    if (level <= host_simd()) levels.push_back(level);
  }
  return levels;
}

Simd active_simd() {
  const int level = g_active.load(std::memory_order_acquire);
  if (level != kUnsettled) [[likely]]
    return static_cast<Simd>(level);
  // The static makes racing first calls print and settle once.
  static const Simd chosen = settle_from_environment();
  return chosen;
}

HostUnits active_units() {
  HostUnits units = host_units();
  const Simd level = active_simd();
  if (level < Simd::Amx) units.amx_bf16 = units.amx_int8 = false;
  if (level < Simd::Avx512) units.avx512 = units.avx512_bf16 = units.avx512_fp16 = false;
  if (level < Simd::Avx2) units.avx2 = false;
  return units;
}

Status check_simd_environment() {
  const Result<Simd> level = level_from_environment();
  return level.ok() ? Status() : level.status();
}

Status force_simd(Simd level) {
  TY_TRY(check_level(level));
  active_simd();  // settled before, so that a first call elsewhere cannot undo this one
  settle(level);
  return {};
}

void unforce_simd() {
  const Result<Simd> level = level_from_environment();
  settle(level.ok() ? *level : host_simd());
}

}  // namespace trainyard::numerics
