#pragma once
// A table of published runs with our predictions beside them.
#include <string>

#include "cluster/training/csv.h"

namespace trainyard::cluster {

struct PredictedTable {
  std::string csv;  // the given columns, then predicted_tokens_per_s, predicted_step_time_s,
                    // predicted_mfu_pct, predicted_memory_gb, predicted_low, predicted_high (of the
                    // rate), ratio (predicted over published), status (ok or a code), assumed
  int rows = 0, refused = 0, compared = 0;
  double mean_error = 0;  // of |ratio - 1|
};

PredictedTable predict_table(const CsvTable& table);

}  // namespace trainyard::cluster
