#pragma once
// What will run slower than it could on a host, in words.
#include <string>
#include <string_view>
#include <vector>

#include "tools/host.h"
#include "tools/units.h"

namespace trainyard::tools {

// What `what_is_slow` looks at.
struct Circumstances {
  Host host;
  Units units;
  std::string_view build_type;  // of CMake
  std::string_view held_at;  // the level that TRAINYARD_SIMD sets below the host's best, or empty
};

// One sentence for each lack. Empty on a host with every unit and a release build.
std::vector<std::string> what_is_slow(const Circumstances& now);

}  // namespace trainyard::tools
