#pragma once
// The command line of `trainyard nccom`: ours, and that of nccom-test.
#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "cluster/net/flow.h"

namespace trainyard::tools {

struct NccomOptions {
  std::string op = "all_reduce";
  std::string instance = "trn2.48xlarge", machine;
  int64_t nodes = 1, ranks = 0, lnc = 0;
  std::string min = "32M", max, step_bytes;
  double step_factor = 0;
  std::string datatype = "uint8";
  std::string algorithm = "documented", across;
  std::string grain = "flow";
  std::string era;
  int64_t iterations = 20, warmup = 5;
  std::vector<std::string> stats = {"avg"};
  std::vector<std::string> slow_links;
  std::string check;
  uint64_t seed = 0;
  bool jitter = false, show_algorithm = false, show_sizes = false, json = false;
  std::string json_file;
  // Accepted because scripts pass them; they mean nothing here.
  std::vector<std::string> hosts;
  bool slurm = false, unique_buffers = false, sbuf = false;
};

void add_nccom_options(CLI::App& app, NccomOptions& options);

// What nccom-test calls an element type, and its bytes.
struct ElementType {
  std::string_view name;
  int64_t bytes;
};

// The request behind the options. TY-NET-009: a size, type, algorithm, grain, statistic or slow
// link that cannot be read.
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

// "32M", "1kb", "1GB", "8": powers of 1024. TY-NET-009.
Result<int64_t> parse_size(std::string_view text);

}  // namespace trainyard::tools
