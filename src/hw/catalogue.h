#pragma once
// The machines that exist, by the names users type.
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "hw/chip_spec.h"
#include "hw/core_spec.h"

namespace trainyard::hw {

// One chip and how its cores are grouped. A value: copy it and change it as you like, then call
// `settle` (hw/override.h). Its string_views point to constants or to texts that live for ever.
struct Machine {
  std::string name;  // "trn2", or the name in a machine file
  ChipSpec chip;
  CoreSpec core;
  int lnc = 1;  // physical cores per logical core

  friend bool operator==(const Machine&, const Machine&) = default;
};

// The chips. find_target accepts instances too (hw/systems/system.h).
std::vector<std::string> target_names();

// The machine called `name`, a chip or the chip of an instance, with LNC 1. TY-HW-001 with the
// nearest name if there is none; TY-HW-010 if the instance has chips that the device simulator does
// not know.
Result<Machine> find_target(std::string_view name);

}  // namespace trainyard::hw
