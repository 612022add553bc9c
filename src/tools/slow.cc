#include "tools/slow.h"

#include <fmt/format.h>

namespace trainyard::tools {
namespace {

std::string why_not(const Unit& unit) {
  if (unit.present) return fmt::format("the operating system does not allow {}", unit.name);
  return fmt::format("no {}", unit.name);
}

// The widest usable unit decides what vector code runs on.
void add_vector_units(const Units& units, std::vector<std::string>& reasons) {
  if (units.avx512.usable) return;
  if (units.avx2.usable) {
    reasons.push_back(why_not(units.avx512) + ": vector code is half as wide, on AVX2");
    return;
  }
  reasons.push_back(why_not(units.avx2) + " with FMA: vector code runs as scalar code");
}

void add_bf16_units(const Units& units, std::vector<std::string>& reasons) {
  if (units.amx.usable) return;
  if (units.avx512_bf16.usable) {
    reasons.push_back(why_not(units.amx) + ": bf16 matmul runs on AVX-512 BF16");
    return;
  }
  reasons.push_back(fmt::format("{}, {}: bf16 matmul is computed in fp32 and gains no speed",
                                why_not(units.amx), why_not(units.avx512_bf16)));
}

}  // namespace

std::vector<std::string> what_is_slow(const Circumstances& now) {
  std::vector<std::string> reasons;
  if (now.build_type != "Release") {
    reasons.push_back(fmt::format("this is a {} build; ./dev build makes a Release one",
                                  now.build_type.empty() ? "plain" : now.build_type));
  }
  if (now.held_at.empty()) {
    add_vector_units(now.units, reasons);
    add_bf16_units(now.units, reasons);
  } else {
    reasons.push_back(fmt::format("TRAINYARD_SIMD holds vector code at {}", now.held_at));
  }
  if (now.host.cores == 1) reasons.emplace_back("one core: nothing runs in parallel");
  return reasons;
}

}  // namespace trainyard::tools
