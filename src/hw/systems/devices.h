#pragma once
// Where the chips of a host sit: what neuron-ls prints beside the topology.
#include <string>
#include <string_view>
#include <vector>

#include "hw/systems/instance_spec.h"

namespace trainyard::hw {

struct Device {
  int32_t index = 0;  // on its host
  std::string bdf;    // PCI address, "0000:cc:00.0"; "NA" where no public listing shows it
  std::string cpus;   // processors of its NUMA node, "0-47,96-143"
  int32_t numa_node = 0;
};

// The chips of one host of the instance. Published for trn1.32xlarge, inf2.48xlarge and
// trn2.48xlarge [neuron-rt-guide]; elsewhere the NUMA node is 0 and the processors are all of the
// host.
std::vector<Device> devices(const InstanceSpec& instance);

}  // namespace trainyard::hw
