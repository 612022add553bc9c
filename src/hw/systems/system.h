#pragma once
// The systems that exist, by the names users type: an instance, its chip, and the knobs of the
// model.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "hw/catalogue.h"
#include "hw/systems/accelerator_spec.h"
#include "hw/systems/instance_spec.h"
#include "hw/systems/knobs.h"

namespace trainyard::hw {

// A value: copy it and change it as you like. A machine file may change any number
// (hw/machine_file.h: load_system).
struct System {
  std::string name;  // "trn2.48xlarge", or the name in a machine file
  AcceleratorSpec accelerator;
  InstanceSpec instance;
  Knobs knobs;
  // The chip and its cores for the device simulator. None for Inferentia and for the peers.
  std::optional<Machine> device;

  friend bool operator==(const System&, const System&) = default;
};

// Names that find_system accepts.
std::vector<std::string> system_names();

// The system called `name`; TY-HW-009 with the nearest name if there is none.
Result<System> find_system(std::string_view name);

}  // namespace trainyard::hw
