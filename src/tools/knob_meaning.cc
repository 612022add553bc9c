#include "tools/knob_meaning.h"

#include <algorithm>

#include "cluster/training/knobs.h"
#include "hw/systems/system_fields.h"

namespace trainyard::tools {

std::string knob_meaning(std::string_view name) {
  for (const cluster::KnobInfo& info : cluster::knob_table()) {
    if (info.name == name) return std::string(info.meaning);
  }
  if (const hw::KnobField* field = hw::find_field(hw::knob_fields(), name); field != nullptr) {
    return std::string(field->meaning);
  }
  for (const hw::AcceleratorField& field : hw::accelerator_fields()) {
    if (field.key == name) return std::string(field.meaning);
  }
  return name == "price" ? "price of one unit and hour, lowest to highest seen" : "";
}

}  // namespace trainyard::tools
