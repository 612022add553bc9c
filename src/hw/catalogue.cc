#include "hw/catalogue.h"

#include <algorithm>

#include "base/nearest.h"
#include "hw/systems/system.h"

namespace trainyard::hw {

std::vector<std::string> target_names() {
  std::vector<std::string> names;
  for (const ChipSpec& chip : chips()) names.emplace_back(chip.name);
  return names;
}

namespace {

std::vector<std::string> all_names() {
  std::vector<std::string> names = target_names();
  std::ranges::copy(system_names(), std::back_inserter(names));
  return names;
}

}  // namespace

Result<Machine> find_target(std::string_view name) {
  for (const ChipSpec& chip : chips()) {
    if (chip.name != name) continue;
    return Machine{
        .name = std::string(name), .chip = chip, .core = core_spec(chip.generation), .lnc = 1};
  }
  const auto system = find_system(name);
  if (!system) {
    return error("TY-HW-001",
                 "there is no target '{}'{}; targets are {}, and the instances of 'trainyard ls "
                 "--list'",
                 name, did_you_mean(name, all_names()), fmt::join(target_names(), ", "));
  }
  if (system->device) return *system->device;
  return error("TY-HW-010",
               "{} has {} chips, which the device simulator does not know; targets are {}", name,
               system->accelerator.product, fmt::join(target_names(), ", "));
}

}  // namespace trainyard::hw
