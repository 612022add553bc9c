#pragma once
// `trainyard nccom --check`: the collective on data, against its definition.
#include "tools/nccom_job.h"

namespace trainyard::tools {

// Runs the algorithm of the first size on a few elements per rank, random or all_ones, and compares
// every rank's result with a plain sum, concatenation or copy. TY-NET-009: too many ranks, or
// another kind.
Status check_on_data(const NccomJob& job, const std::string& kind);

}  // namespace trainyard::tools
