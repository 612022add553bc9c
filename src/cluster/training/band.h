#pragma once
// How far a predicted step may be off: the band that holds nine published values of ten.
#include <span>
#include <vector>

#include "cluster/training/knobs.h"
#include "cluster/training/step.h"

namespace trainyard::cluster {

// Factors on the predicted rate: low < 1 < high.
struct Band {
  double low = 1, high = 1;
  double deviation = 0;  // standard deviation of the logarithm behind it
  bool contains(double ratio) const { return ratio >= low && ratio <= high; }
};

// What goes into a band.
struct BandParts {
  double knobs = 0;     // by the doubts of the calibrated knobs
  double software = 0;  // what the same software leaves open between runs
  double row = 0;       // fields that a row leaves out: recomputation, which of two instances
};

Band make_band(const BandParts& parts, bool neuron);

// How much one knob matters for one step.
struct KnobEffect {
  Knob knob;
  double slope = 0;  // d log(time) / d log(knob)
};

// Effects of all knobs that matter, in the order of the table.
std::vector<KnobEffect> knob_effects(const Workload& work, const Layout& layout, const Batch& batch,
                                     const Calibration& calibration);

// The band of a step of the user's own.
Band step_band(const Workload& work, const Layout& layout, const Batch& batch,
               const Calibration& calibration);

}  // namespace trainyard::cluster
