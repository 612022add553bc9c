#pragma once
// The command line of `trainyard nccom`: ours, and that of nccom-test.
#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "base/status.h"

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
  int64_t iterations = 20, warmup = 5, program_iterations = 1, program_warmup = 0;
  std::vector<std::string> stats = {"avg"};
  std::vector<std::string> slow_links;
  std::string check;
  uint64_t seed = 0;
  bool jitter = false, show_algorithm = false, show_sizes = false, json = false;
  std::string json_file;
  int64_t data_parallel = 0;
  std::string groups_file, pairs_file, counts_file, streams_file, coalesced;
  // Accepted because scripts pass them; they mean nothing here.
  std::string ignored_value;
  std::vector<std::string> ignored_hosts;
  bool ignored = false, quiet = false;
};

void add_nccom_options(CLI::App& app, NccomOptions& options);

// The largest buffer that an option may name.
inline constexpr double kMaxBytes = 0x1p50;

// "32M", "1kb", "1GB", "8": powers of 1024. TY-NET-009.
Result<int64_t> parse_size(std::string_view text);

// TY-NET-009: "size '32Q': must be ..."
Status unreadable(std::string_view what, std::string_view text, std::string_view wanted);

}  // namespace trainyard::tools
