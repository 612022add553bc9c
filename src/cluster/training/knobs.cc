#include "cluster/training/knobs.h"

namespace trainyard::cluster {
namespace {

constexpr std::array<KnobInfo, kKnobCount> kTable = {{
#define TY_KNOB(id, value, doubt, prior, spread, low, high, unit, meaning) \
  KnobInfo{#id, value, doubt, prior, spread, low, high, unit, meaning},
#include "cluster/training/knobs.inc"
#undef TY_KNOB
}};

constexpr Calibration collect(double KnobInfo::*field) {
  Calibration c{};
  for (size_t i = 0; i < kKnobCount; ++i) c.values[i] = kTable[i].*field;
  return c;
}

constexpr Calibration kCalibrated = collect(&KnobInfo::value);
constexpr Calibration kPriors = collect(&KnobInfo::prior);

}  // namespace

std::span<const KnobInfo, kKnobCount> knob_table() { return kTable; }
const Calibration& calibrated() { return kCalibrated; }
const Calibration& priors() { return kPriors; }

}  // namespace trainyard::cluster
