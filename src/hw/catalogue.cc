#include "hw/catalogue.h"

#include "base/nearest.h"

namespace trainyard::hw {

std::vector<std::string> target_names() {
  std::vector<std::string> names;
  for (const ChipSpec& chip : chips()) names.emplace_back(chip.name);
  return names;
}

Result<Machine> find_target(std::string_view name) {
  for (const ChipSpec& chip : chips()) {
    if (chip.name != name) continue;
    return Machine{
        .name = std::string(name), .chip = chip, .core = core_spec(chip.generation), .lnc = 1};
  }
  return error("TY-HW-001", "there is no target '{}'{}; targets are {}", name,
               did_you_mean(name, target_names()), fmt::join(target_names(), ", "));
}

}  // namespace trainyard::hw
