#pragma once
// How much each unknown matters for a plan: its time and cost at both ends of a likely range.
// [cluster 10]
#include <string>
#include <vector>

#include "cluster/plan/search.h"

namespace trainyard::cluster {

struct Swing {
  std::string knob;  // "net.eff_link", "NeuronDma", "price"
  std::string unit;
  double low = 0, high = 0;                // the range
  double wall_h_low = 0, wall_h_high = 0;  // of the plan at these values
  double usd_low = 0, usd_high = 0;
  bool fits_low = true, fits_high = true;  // into memory

  // The larger change of time or cost, as a share.
  double effect(const Plan& plan) const;
};

// Largest effect first, before them those at which the plan no longer fits; effects below a tenth
// of a percent are left out. Ranges: of a catalogue knob its likely range, of a calibrated knob
// nine of ten by its doubt, of the price its low and high, and what the catalogue cannot settle
// about a machine: the way to the host, the links of Trainium3.
std::vector<Swing> tornado(const PlanQuestion& question, const Plan& plan);

}  // namespace trainyard::cluster
