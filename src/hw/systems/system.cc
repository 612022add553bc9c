#include "hw/systems/system.h"

#include "base/nearest.h"
#include "hw/systems/instance_tables.h"

namespace trainyard::hw {
namespace {

// Both tables as one; made once.
const std::vector<InstanceSpec>& all_instances() {
  static const auto& all = *new std::vector<InstanceSpec>([] {
    std::vector<InstanceSpec> joined(aws_instances().begin(), aws_instances().end());
    joined.insert(joined.end(), peer_instances().begin(), peer_instances().end());
    return joined;
  }());
  return all;
}

}  // namespace

std::span<const InstanceSpec> instances() { return all_instances(); }

std::vector<std::string> system_names() {
  std::vector<std::string> names;
  for (const InstanceSpec& instance : instances()) names.emplace_back(instance.name);
  return names;
}

Result<System> find_system(std::string_view name) {
  for (const InstanceSpec& instance : instances()) {
    if (instance.name != name) continue;
    const AcceleratorSpec* accelerator = find_accelerator(instance.accelerator);
    TY_CHECK(accelerator != nullptr);
    System system{.name = std::string(name),
                  .accelerator = *accelerator,
                  .instance = instance,
                  .knobs = default_knobs(),
                  .device = std::nullopt};
    if (!accelerator->chip.empty()) {
      system.device = *find_target(accelerator->chip);
      system.device->name = system.name;
    }
    return system;
  }
  return error("TY-HW-009", "there is no instance '{}'{}; 'trainyard ls --list' shows all", name,
               did_you_mean(name, system_names()));
}

}  // namespace trainyard::hw
