#pragma once
// The fields of a system as data, like hw/fields.h: made from accelerator_fields.inc,
// instance_fields.inc and knob_fields.inc.
#include <span>

#include "hw/fields.h"
#include "hw/systems/system.h"

namespace trainyard::hw {

using AcceleratorField = Field<AcceleratorSpec>;
using InstanceField = Field<InstanceSpec>;
using KnobField = Field<Knobs>;

// In the order of the .inc files.
std::span<const AcceleratorField> accelerator_fields();
std::span<const InstanceField> instance_fields();
std::span<const KnobField> knob_fields();
std::span<const FieldGroup> knob_groups();

// Whether `key` belongs to a system rather than to a chip or core.
bool is_system_key(std::string_view key);

}  // namespace trainyard::hw
