#pragma once
// Fitting the knobs to published runs: the most likely values given priors and rows, and what the
// fit says about a configuration that it has not seen.
#include <span>
#include <string>
#include <vector>

#include "cluster/training/knobs.h"
#include "cluster/training/published.h"

namespace trainyard::cluster {

struct Prediction {
  double tokens_per_s = 0;
  double step_s = 0;
  double memory_bytes = 0;  // of one rank
  bool fits = true;
};

// The mean over the run's possible machines.
Prediction predict(const PublishedRun& run, const Calibration& knobs);

struct FitOptions {
  int iterations = 12;
  int iterations_left = 2;  // with one configuration left out, from the full fit on
  double noise = 0.08;      // of a published row, as the standard deviation of its logarithm
  double huber = 2;         // beyond this many deviations a row pulls with constant force
};

struct FitResult {
  Calibration knobs;
  Calibration doubt;  // standard deviation of each knob's logarithm; 0 for those not fitted
  std::vector<double> log_ratio;       // of each run: predicted over published
  std::vector<double> log_ratio_left;  // the same with the run's configuration left out of the fit
  std::vector<double> spread_left;     // standard deviation of that by what the knobs leave open
};

// Runs with a published rate only. Deterministic.
FitResult fit(std::span<const PublishedRun> runs, const Calibration& start,
              const FitOptions& options = {});

}  // namespace trainyard::cluster
