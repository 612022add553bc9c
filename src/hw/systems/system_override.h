#pragma once
// Changing a system, as hw/override.h changes a machine.
#include <string_view>

#include "base/status.h"
#include "hw/override.h"
#include "hw/systems/system.h"

namespace trainyard::hw {

// Sets a field of the accelerator, the instance or the knobs ("instance.nics", "net.eff_link").
// TY-HW-003 to 005 as for a machine.
Status override_field(System& system, std::string_view key, const Given& given,
                      std::string_view origin);

// Makes a changed system whole: a memory or a number of cores that was changed in the device
// reaches the accelerator, unless that was changed too. TY-HW-006: numbers that contradict each
// other.
Status settle(System& system);

}  // namespace trainyard::hw
