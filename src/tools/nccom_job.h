#pragma once
// What the options of `trainyard nccom` ask for.
#include "cluster/net/flow.h"
#include "tools/nccom_options.h"

namespace trainyard::tools {

// What nccom-test calls an element type, and its bytes.
struct ElementType {
  std::string_view name;
  int64_t bytes;
};

// The request behind the options. TY-NET-009: a size, type, algorithm, grain, statistic, slow link
// or file that cannot be read.
struct NccomJob {
  cluster::Communicator group;
  cluster::Op op;
  cluster::Choice choice;
  ElementType type;
  std::vector<int64_t> sizes;
  cluster::FlowOptions flow;
  bool closed_form = false;
};
Result<NccomJob> read_nccom(const NccomOptions& options);

// Also all_gatherv and alltoallv, which are timed with every part as large as the largest.
Result<cluster::Op> parse_nccom_op(const std::string& text);

Result<cluster::Cluster> nccom_machine(const NccomOptions& options);

}  // namespace trainyard::tools
