#pragma once
// A chip as a cluster model sees it: peaks, memory, links. NeuronCores and their engines are in
// hw/core_spec.h; GPUs and TPUs, with which plans compare, have only this. The fields are listed
// once, in accelerator_fields.inc; `accelerator.hbm_bytes.value` in C++ is `hbm_bytes` under
// `[accelerator]` in a machine file.
#include <cstdint>
#include <span>
#include <string_view>

#include "hw/fact.h"

namespace trainyard::hw {

struct AcceleratorSpec {
  std::string_view name;     // "trainium2", "h100"
  std::string_view product;  // "Trainium2", "H100 SXM"
  std::string_view maker;    // "AWS"
  std::string_view chip;     // its ChipSpec, "trn2"; empty if the device simulator has none

#define TY_FIELD(group, field, T, unit, low, high, meaning) Fact<T> field;
#include "hw/systems/accelerator_fields.inc"
#undef TY_FIELD

  friend bool operator==(const AcceleratorSpec&, const AcceleratorSpec&) = default;
};

// Inferentia to Trainium3, then the peers.
std::span<const AcceleratorSpec> accelerators();

// Null if there is none of that name.
const AcceleratorSpec* find_accelerator(std::string_view name);

}  // namespace trainyard::hw
