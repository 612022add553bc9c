#pragma once
// The fitted constants of the step model: few, physical, and each belongs to a piece of hardware or
// to a software stack and its era, never to one published row. Each has a prior from kernel
// evidence; `value` is what the calibration rows made of it (docs/cluster/step-model.md).
#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace trainyard::cluster {

enum class Knob : uint8_t {
#define TY_KNOB(id, value, doubt, prior, spread, low, high, unit, meaning) id,
#include "cluster/training/knobs.inc"
#undef TY_KNOB
};

#define TY_KNOB(id, value, doubt, prior, spread, low, high, unit, meaning) +1
inline constexpr size_t kKnobCount = 0
#include "cluster/training/knobs.inc"
    ;
#undef TY_KNOB

struct KnobInfo {
  std::string_view name;
  double value;   // calibrated
  double doubt;   // standard deviation of its logarithm after calibration
  double prior;   // before any row was seen
  double spread;  // standard deviation of the prior's logarithm; 0: not fitted
  double low, high;
  std::string_view unit, meaning;
};

std::span<const KnobInfo, kKnobCount> knob_table();

// One value for each knob. Cheap to copy and change.
struct Calibration {
  std::array<double, kKnobCount> values;

  double operator[](Knob knob) const { return values[static_cast<size_t>(knob)]; }
  double& operator[](Knob knob) { return values[static_cast<size_t>(knob)]; }
};

const Calibration& calibrated();
const Calibration& priors();

}  // namespace trainyard::cluster
