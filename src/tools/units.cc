#include "tools/units.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "numerics/simd.h"

namespace trainyard::tools {
namespace {

#if defined(__x86_64__)

// What the processor claims, whatever the operating system allows.
void ask_processor(Units& units) {
  const auto bit = [](unsigned word, int index) { return ((word >> index) & 1) != 0; };
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) == 0) return;
  units.avx2.present = bit(ebx, 5);
  units.avx512.present = bit(ebx, 16) && bit(ebx, 17) && bit(ebx, 30) && bit(ebx, 31);
  units.amx.present = bit(edx, 22) && bit(edx, 24);
  const unsigned last_subleaf = eax;
  if (last_subleaf >= 1 && __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) != 0) {
    units.avx512_bf16.present = bit(eax, 5);
  }
}

#else

void ask_processor(Units&) {}

#endif

}  // namespace

Units units_of_host() {
  Units units;
  ask_processor(units);
  const numerics::HostUnits& usable = numerics::host_units();
  units.avx2.usable = usable.avx2;
  units.avx512.usable = usable.avx512;
  units.avx512_bf16.usable = usable.avx512_bf16;
  units.amx.usable = usable.amx_bf16;
  return units;
}

}  // namespace trainyard::tools
