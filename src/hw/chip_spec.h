#pragma once
// What a chip is, beside the cores in it (hw/core_spec.h). The fields are listed once, in
// chip_fields.inc; `chip.cores.value` in C++ is `cores` under `[chip]` in a machine file.
#include <cstdint>
#include <span>
#include <string_view>

#include "hw/core_spec.h"
#include "hw/fact.h"

namespace trainyard::hw {

struct ChipSpec {
  std::string_view name;     // "trn2", as in --target
  std::string_view product;  // "Trainium2"
  Generation generation;     // of its cores

#define TY_FIELD(group, field, T, unit, low, high, meaning) Fact<T> field;
#include "hw/chip_fields.inc"
#undef TY_FIELD

  friend bool operator==(const ChipSpec&, const ChipSpec&) = default;
};

// trn1, inf2, trn2, trn3, in this order.
std::span<const ChipSpec> chips();

}  // namespace trainyard::hw
