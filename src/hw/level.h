#pragma once
// How much of the timing model to believe.
#include <cstdint>

#include "hw/core_spec.h"

namespace trainyard::hw {

enum class Level : uint8_t {
  Documented,  // only what public pages state: no fixed latencies, no measured slopes
  Calibrated,  // the catalogue as it stands, with published measurements and third-party timings
};

// The core at that level. Documented replaces every calibrated constant by what the public cost
// tables say, or by nothing; what a user has set stays. Calibrated returns `core` unchanged.
CoreSpec at_level(const CoreSpec& core, Level level);

}  // namespace trainyard::hw
