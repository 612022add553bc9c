#pragma once
// The vector and matrix units of the host, as `trainyard doctor` shows them.
#include <string_view>
#include <vector>

namespace trainyard::tools {

// `present`: the processor says that it has the unit. `usable`: the operating system also lets
// this process use it, so the simulator does.
struct Unit {
  std::string_view name;
  bool present = false;
  bool usable = false;
};

struct Units {
  Unit avx2{"AVX2"};
  Unit avx512{"AVX-512"};
  Unit avx512_bf16{"AVX-512 BF16"};  // dot products of bf16 pairs
  Unit amx{"AMX"};                   // tiles with bf16 dot products

  std::vector<Unit> all() const { return {avx2, avx512, avx512_bf16, amx}; }
};

// All absent on hosts other than x86-64.
Units units_of_host();

}  // namespace trainyard::tools
