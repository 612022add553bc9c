#pragma once
// A unit that can be rented: an instance, or an UltraServer or pod whose chips share one scale-up
// domain. The fields are listed once, in instance_fields.inc. The graph that follows from them is
// made in cluster/net/topology.h.
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "hw/fact.h"

namespace trainyard::hw {

// How the chips of an instance are joined.
enum class Shape : uint8_t {
  Single,    // one chip, no links
  Chain,     // chip i with i - 1 and i + 1, open at both ends
  Ring,      // a closed chain
  Torus,     // torus_x by torus_y by torus_z, every axis closed; chip = (z * y + row) * x + column
  Switch,    // every chip into one switch
  FullMesh,  // every chip with every other
  Sleds,     // switches in sleds and over two groups of sleds, direct links between the groups
};

constexpr std::string_view name(Shape shape) {
  constexpr std::array<std::string_view, 7> kNames = {"single", "chain",     "ring", "torus",
                                                      "switch", "full mesh", "sleds"};
  return kNames[static_cast<std::size_t>(shape)];
}

struct InstanceSpec {
  std::string_view name;         // "trn2.48xlarge"
  std::string_view accelerator;  // key of accelerators()
  Shape shape = Shape::Single;

// A field that a table leaves out does not exist on that instance.
#define TY_FIELD(group, field, T, unit, low, high, meaning) \
  Fact<T> field = {T{}, Trust::Derived, "trainyard"};
#include "hw/systems/instance_fields.inc"
#undef TY_FIELD

  // Rate of all NICs, one direction, as listed.
  double network_bytes_per_ns() const {
    return static_cast<double>(nics.value) * nic_bytes_per_ns.value;
  }

  friend bool operator==(const InstanceSpec&, const InstanceSpec&) = default;
};

// inf1.xlarge to the Trn3 UltraServers, then the peers.
std::span<const InstanceSpec> instances();

}  // namespace trainyard::hw
