#include "tools/nccom_options.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

namespace trainyard::tools {

Status unreadable(std::string_view what, std::string_view text, std::string_view wanted) {
  return error("TY-NET-009", "{} '{}': must be {}", what, text, wanted);
}

Result<int64_t> parse_size(std::string_view text) {
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, problem] = std::from_chars(text.data(), end, number);
  std::string unit(rest, end);
  std::ranges::transform(unit, unit.begin(), [](unsigned char c) { return std::tolower(c); });
  if (unit.ends_with("ib")) unit.resize(unit.size() - 2);
  if (unit.ends_with('b')) unit.pop_back();
  constexpr std::string_view kUnits = "kmgt";
  const size_t power = unit.empty() ? 0 : kUnits.find(unit) + 1;
  const bool legal = problem == std::errc() && unit.size() <= 1 && power <= kUnits.size() &&
                     (unit.empty() || kUnits.find(unit) != kUnits.npos);
  const double bytes = legal ? std::ldexp(number, static_cast<int>(10 * power)) : -1;
  if (!(bytes >= 1 && bytes <= kMaxBytes)) {
    return unreadable("size", text, "a number of bytes, or like 8, 1kb, 32M, 1GB");
  }
  return static_cast<int64_t>(bytes);
}

namespace {

// What a script may pass and what means nothing for simulated instances.
void add_ignored_options(CLI::App& app, NccomOptions& o) {
  for (const char* name :
       {"--hosts-file", "--mpi-log-dir", "-u,--slurm-vcpus-per-node", "--slurm-setup-script",
        "--slurm-job-id", "--data-collector-port", "--data-collector-host", "--input-shape",
        "--output-shape", "--cc-dim"}) {
    app.add_option(name, o.ignored_value, "No effect");
  }
  for (const char* name : {"-S,--slurm-mode", "--slurm-use-head-node-neuron-bench", "--unique-buff",
                           "--shared-output-buff", "--sb2sb", "--vcpu-pin-mode"}) {
    app.add_flag(name, o.ignored, "No effect");
  }
  app.add_option("-s,--hosts", o.ignored_hosts, "No effect");
  app.add_flag("--non-interactive", o.quiet, "No effect: there is no animation");
  app.add_flag("--debug", o.quiet, "No effect");
}

// Which ranks take part, and what they send.
void add_group_options(CLI::App& app, NccomOptions& o) {
  app.add_option("--data-parallel-dimension", o.data_parallel,
                 "Ranks of each of several groups that run at the same time, as far apart as "
                 "possible");
  app.add_option("--custom-replica-groups,--custom-replica-group", o.groups_file,
                 "JSON file with the groups that run at the same time");
  app.add_option("--custom-src-target-pairs", o.pairs_file, "JSON file with pairs for permute");
  app.add_option("--variable-size-op-metadata,--alltoallv-metadata", o.counts_file,
                 "JSON file with the counts of all_gatherv or alltoallv");
  app.add_option("--streams-json", o.streams_file,
                 "JSON file with collectives on streams that run at the same time");
  app.add_option("--coalesced-cc-size-ratio", o.coalesced,
                 "Parts of the buffer, as [1,2,1], that one collective moves together");
}

}  // namespace

void add_nccom_options(CLI::App& app, NccomOptions& o) {
  app.add_option(
         "op", o.op,
         "all_reduce (allr), all_gather (allg), all_gatherv (allgv), reduce_scatter (redsct), "
         "alltoall, alltoallv, permute, broadcast, sendrecv")
      ->capture_default_str();
  app.add_option("--instance", o.instance, "Instance to simulate")->capture_default_str();
  app.add_option("--machine", o.machine, "Machine file of an instance");
  app.add_option("-N,--nnodes,--nodes", o.nodes, "Number of instances")->capture_default_str();
  app.add_option("-r,--nworkers,--ranks", o.ranks, "Ranks of all instances together; 0: all");
  app.add_option("--lnc", o.lnc, "Physical cores of a rank; 0: the chip's default");
  app.add_option("-b,--minbytes,--min", o.min, "Smallest size")->capture_default_str();
  app.add_option("-e,--maxbytes,--max", o.max, "Largest size; the smallest one if absent");
  app.add_option("-i,--stepbytes", o.step_bytes, "Bytes from one size to the next");
  app.add_option("-f,--stepfactor", o.step_factor, "Factor from one size to the next; 2 if absent");
  app.add_option("-d,--datatype", o.datatype, "Element type")->capture_default_str();
  app.add_option("--algo,--algorithm", o.algorithm,
                 "documented, cost, flat, ring, kangaring, mesh, rdh, single-step")
      ->capture_default_str();
  app.add_option("--across", o.across, "Algorithm between instances");
  app.add_option("--grain", o.grain, "flow or closed")->capture_default_str();
  app.add_option("--era", o.era, "Start-up cost as of 2022, 2024, 2025, 2026");
  app.add_option("-n,--iters", o.iterations, "Runs, if --jitter makes them differ")
      ->capture_default_str();
  app.add_option("-w,--warmup_iters", o.warmup, "Runs before them; no effect");
  app.add_option("-I,--neff_iters", o.program_iterations, "Times --iters runs");
  app.add_option("-W,--neff_warmup_iters", o.program_warmup, "Programs before them; no effect");
  app.add_option("-t,--stats", o.stats, "avg, min, max, p50, p99, ...");
  app.add_flag("--jitter", o.jitter, "Let latencies deviate and some ranks start late");
  app.add_option("--seed", o.seed, "Seed of the jitter");
  app.add_option("--slow-link", o.slow_links, "NODE:CHIP-CHIP:FACTOR, as 3:5-6:0.5");
  app.add_option("-c,--check", o.check, "Also run the collective on data: random or all_ones")
      ->expected(0, 1)
      ->default_str("random");
  app.add_flag("--show-algorithm", o.show_algorithm, "No effect: the algorithm is always shown");
  app.add_flag("--show-input-output-size", o.show_sizes, "Show both buffers");
  app.add_flag("--json", o.json, "Print JSON");
  app.add_option("--report-to-json-file", o.json_file, "Write JSON to a file");
  add_group_options(app, o);
  add_ignored_options(app, o);
}

}  // namespace trainyard::tools
