#pragma once
// Parameters that no public page settles. A report lists those that it used; each has a likely
// range to sweep. `knobs.net.alpha_net_us.value` in C++ is `alpha_net_us` under `[net]` in a
// machine file. The fields are listed once, in knob_fields.inc.
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/status.h"
#include "hw/fact.h"

namespace trainyard::hw {

struct Knobs {
#define TY_GROUP(group, Type, meaning) struct Type {
#define TY_KNOB(group, field, T, unit, low, high, likely_low, likely_high, meaning) Fact<T> field;
#define TY_GROUP_END(group, Type)                             \
  friend bool operator==(const Type&, const Type&) = default; \
  }                                                           \
  group;
#include "hw/systems/knob_fields.inc"
#undef TY_GROUP
#undef TY_KNOB
#undef TY_GROUP_END

  friend bool operator==(const Knobs&, const Knobs&) = default;
};

const Knobs& default_knobs();

// The likely range of one knob, both ends included.
struct KnobRange {
  std::string_view key;  // "net.alpha_net_us"
  double low;
  double high;
};

// In the order of knob_fields.inc.
std::span<const KnobRange> knob_ranges();

// The runtime changed much over the years; an era sets the start-up cost that its published samples
// show. Each rests on one sample (docs/cluster/network.md).
struct RuntimeEra {
  std::string_view name;  // "2022", "2024", "2025", "2026"
  Fact<double> t_start_us;
};

std::span<const RuntimeEra> runtime_eras();

// Sets the knobs of that era; TY-HW-011 if there is none.
Status set_era(Knobs& knobs, std::string_view era);

}  // namespace trainyard::hw
