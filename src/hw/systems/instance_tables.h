#pragma once
// The two tables that instances() joins.
#include <span>

#include "hw/systems/instance_spec.h"

namespace trainyard::hw {

std::span<const InstanceSpec> aws_instances();
std::span<const InstanceSpec> peer_instances();

}  // namespace trainyard::hw
