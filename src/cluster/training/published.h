#pragma once
// Published runs: rows of a table in the format of calibrate.csv, and what is assumed where they
// are silent. [cluster 12.4]
#include <string>
#include <vector>

#include "base/status.h"
#include "cluster/training/csv.h"
#include "cluster/training/step.h"

namespace trainyard::cluster {

// One row, ready to be predicted.
struct PublishedRun {
  std::string id, hardware, config_key;
  ModelClass model_class = ModelClass::Decoder;
  bool latest = false;
  double tokens_per_s = 0;  // as published; 0: not
  double peak_tflops = 0;   // that the table's MFU is based on; 0: the catalogue's
  // Usually one. Two where the instance may be either of two: the prediction is their mean.
  std::vector<Workload> workloads;
  Layout layout;
  Batch batch;
  double recompute_doubt = 0;      // 0 to 1: how unsure the recomputation is
  std::vector<std::string> notes;  // what was assumed, one each
};

// The run of row `row`. Errors: TY-CLU-231 a column that is needed and absent, TY-CLU-232 a field
// that is no number or out of range, TY-CLU-233 hardware that the catalogue does not know, and
// those of check_layout.
Result<PublishedRun> published_run(const CsvTable& table, size_t row);

}  // namespace trainyard::cluster
