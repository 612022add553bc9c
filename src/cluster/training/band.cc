#include "cluster/training/band.h"

#include <algorithm>
#include <cmath>

namespace trainyard::cluster {
namespace {

// Standard deviations that leaving one configuration out shows beside the doubts of the knobs: of
// one published row against the next in the same stack. `trainyard fidelity-cluster` prints them.
constexpr double kNeuronSpread = 0.12;
constexpr double kPeerSpread = 0.08;
// A band wider than this says nothing that a buyer could use.
constexpr double kNeuronWidest = 0.299;
constexpr double kPeerWidest = 0.249;
// Nine of ten of a normal distribution lie within.
constexpr double kNineOfTen = 1.645;

}  // namespace

Band make_band(const BandParts& parts, bool neuron) {
  const double software = std::max(parts.software, neuron ? kNeuronSpread : kPeerSpread);
  const double deviation =
      std::sqrt(parts.knobs * parts.knobs + software * software + parts.row * parts.row);
  const double half =
      std::min(std::expm1(kNineOfTen * deviation), neuron ? kNeuronWidest : kPeerWidest);
  return {.low = 1 - half, .high = 1 + half, .deviation = deviation};
}

std::vector<KnobEffect> knob_effects(const Workload& work, const Layout& layout, const Batch& batch,
                                     const Calibration& calibration) {
  constexpr double kStep = 0.02;
  const double base = StepModel(work, calibration).evaluate(layout, batch).total;
  std::vector<KnobEffect> effects;
  for (size_t i = 0; i < kKnobCount; ++i) {
    if (knob_table()[i].spread == 0) continue;
    Calibration moved = calibration;
    moved.values[i] *= std::exp(kStep);
    const double time = StepModel(work, moved).evaluate(layout, batch).total;
    const double slope = std::log(time / base) / kStep;
    if (std::abs(slope) > 1e-6) effects.push_back({static_cast<Knob>(i), slope});
  }
  return effects;
}

Band step_band(const Workload& work, const Layout& layout, const Batch& batch,
               const Calibration& calibration) {
  double variance = 0;
  for (const KnobEffect& e : knob_effects(work, layout, batch, calibration)) {
    const double sigma = e.slope * knob_table()[static_cast<size_t>(e.knob)].doubt;
    variance += sigma * sigma;
  }
  return make_band({.knobs = std::sqrt(variance)}, work.software.neuron());
}

}  // namespace trainyard::cluster
