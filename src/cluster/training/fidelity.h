#pragma once
// How well the step model meets published runs, and whether it beats models that know less.
#include <string>
#include <vector>

#include "cluster/training/band.h"
#include "cluster/training/fit.h"

namespace trainyard::cluster {

// One run and what each model says, as predicted over published.
struct FidelityRow {
  const PublishedRun* run;
  double in_sample = 0;     // with all rows
  double left_out = 0;      // without the run's configuration
  double constant_mfu = 0;  // left out: the mean utilisation of the same hardware
  double roofline = 0;      // left out: one efficiency for every machine
  Band band;                // of the left-out prediction
};

struct Errors {
  int rows = 0;
  double mean = 0, p90 = 0, worst = 0;
};
// Of |ratio - 1|.
Errors errors_of(std::vector<double> ratios);

struct FidelityGroup {
  std::string name;  // "trn1 decoder", "peers"
  Errors in_sample, left_out, constant_mfu, roofline;
  double covered = 0;  // share of rows inside the left-out band
  double widest = 0;   // half width of the widest band
};

struct Fidelity {
  std::vector<FidelityRow> rows;
  std::vector<FidelityGroup> groups;
  FitResult fit;
};

// `runs` must outlive the result.
Fidelity judge(const std::vector<PublishedRun>& runs);

// The band of a published run by the built-in doubts of the knobs and by what the row leaves out.
Band run_band(const PublishedRun& run, const Calibration& knobs);

// Seconds of a step by peak and memory bandwidth alone: the larger of the two for each kernel, no
// communication.
double roofline_seconds(const PublishedRun& run);

}  // namespace trainyard::cluster
