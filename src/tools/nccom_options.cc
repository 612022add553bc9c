#include "tools/nccom_options.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "base/nearest.h"
#include "hw/machine_file.h"
#include "tools/job_options.h"

namespace trainyard::tools {
namespace {

using cluster::Op;

constexpr ElementType kTypes[] = {{"uint8", 1},  {"int8", 1},  {"uint16", 2},
                                  {"int16", 2},  {"fp16", 2},  {"bf16", 2},
                                  {"uint32", 4}, {"int32", 4}, {"fp32", 4}};

// More rows than anybody reads.
constexpr size_t kMaxSizes = 1000;

Status unreadable(std::string_view what, std::string_view text, std::string_view wanted) {
  return error("TY-NET-009", "{} '{}': must be {}", what, text, wanted);
}

Result<ElementType> parse_type(std::string_view text) {
  const auto* found = std::ranges::find(kTypes, text, &ElementType::name);
  if (found != std::end(kTypes)) return *found;
  std::vector<std::string> names;
  for (const ElementType& type : kTypes) names.emplace_back(type.name);
  return unreadable("type", text, fmt::format("{}", fmt::join(names, ", ")));
}

Status parse_choice(const NccomOptions& options, cluster::Choice& choice) {
  if (options.algorithm == "cost") {
    choice.rule = cluster::Choice::Rule::Cost;
  } else if (options.algorithm == "flat") {
    choice.flat = true;
  } else if (options.algorithm != "documented") {
    choice.inside = cluster::parse_algorithm(options.algorithm);
    if (!choice.inside) {
      return unreadable("algorithm", options.algorithm,
                        "documented, cost, flat, ring, kangaring, mesh, rdh or single-step");
    }
  }
  if (options.across.empty()) return {};
  choice.across = cluster::parse_algorithm(options.across);
  if (choice.across) return {};
  return unreadable("algorithm", options.across, "ring, mesh, rdh or single-step");
}

// "3:5-6:0.5": node 3, the link of chips 5 and 6, at half its rate.
Result<cluster::SlowLink> parse_slow_link(const std::string& text) {
  cluster::SlowLink slow;
  char rest = 0;
  long long node = 0;
  if (std::sscanf(text.c_str(), "%lld:%d-%d:%lf%c", &node, &slow.chip, &slow.other, &slow.factor,
                  &rest) != 4) {
    return unreadable("slow link", text, "like 3:5-6:0.5 for node, two chips and a factor");
  }
  slow.node = node;
  return slow;
}

// From the smallest to the largest size. A buffer that is cut over the ranks is rounded up.
Result<std::vector<int64_t>> sizes_of(const NccomOptions& options, Op op, int64_t unit) {
  const auto low = parse_size(options.min);
  if (!low) return low.status();
  const auto high = parse_size(options.max.empty() ? options.min : options.max);
  if (!high) return high.status();
  int64_t step = 0;
  if (!options.step_bytes.empty()) {
    const auto bytes = parse_size(options.step_bytes);
    if (!bytes) return bytes.status();
    step = *bytes;
  }
  const double factor = options.step_factor > 0 ? options.step_factor : 2;
  if (*low < 1 || *high < *low || (step == 0 && factor <= 1)) {
    return error("TY-NET-009", "sizes from {} to {} by a factor of {}: must be rising, from 1 on",
                 *low, *high, factor);
  }
  const bool cut = op == Op::AllGather || op == Op::ReduceScatter || op == Op::AllToAll;
  std::vector<int64_t> sizes;
  for (double at = static_cast<double>(*low); at <= static_cast<double>(*high);
       at = step > 0 ? at + static_cast<double>(step) : at * factor) {
    const int64_t multiple = cut ? unit : 1;
    const int64_t bytes = (static_cast<int64_t>(at) + multiple - 1) / multiple * multiple;
    if (sizes.empty() || sizes.back() != bytes) sizes.push_back(bytes);
    if (sizes.size() > kMaxSizes) {
      return error("TY-NET-009", "more than {} sizes from {} to {}; take larger steps", kMaxSizes,
                   *low, *high);
    }
  }
  return sizes;
}

// The first ranks of each node, or all of them.
Result<cluster::Communicator> group_of(const NccomOptions& options) {
  auto system = options.machine.empty() ? hw::find_system(instance_of(options.instance))
                                        : hw::load_system(options.machine);
  if (!system) return system.status();
  if (!options.era.empty()) TY_TRY(hw::set_era(system->knobs, options.era));
  const auto machine = cluster::make_cluster(*system, options.nodes, options.lnc);
  if (!machine) return machine.status();
  if (options.ranks == 0 || options.ranks == machine->ranks()) {
    return cluster::Communicator::make(*machine, cluster::Grid{});
  }
  if (options.ranks < 1 || options.ranks > machine->ranks() || options.ranks % options.nodes != 0) {
    return error("TY-NET-009", "{} ranks on {} instances: must be divided equally, at most {} each",
                 options.ranks, options.nodes, machine->ranks_per_node());
  }
  std::vector<int64_t> ranks;
  for (int64_t node = 0; node < options.nodes; ++node) {
    for (int64_t i = 0; i < options.ranks / options.nodes; ++i) {
      ranks.push_back(node * machine->ranks_per_node() + i);
    }
  }
  return cluster::Communicator::make(*machine, ranks);
}

Status check_statistics(const std::vector<std::string>& stats) {
  for (const std::string& stat : stats) {
    int percent = -1;
    const char* end = stat.data() + stat.size();
    const bool is_percentile =
        stat.starts_with("p") && std::from_chars(stat.data() + 1, end, percent).ptr == end;
    const bool known = stat == "avg" || stat == "min" || stat == "max" ||
                       (is_percentile && percent >= 0 && percent <= 100);
    if (!known) return unreadable("statistic", stat, "avg, min, max or a percentile such as p99");
  }
  return {};
}

}  // namespace

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
  if (!(bytes >= 1 && bytes <= 0x1p50)) {
    return unreadable("size", text, "a number of bytes, or like 8, 1kb, 32M, 1GB");
  }
  return static_cast<int64_t>(bytes);
}

void add_nccom_options(CLI::App& app, NccomOptions& o) {
  app.add_option(
         "op", o.op,
         "all_reduce (allr), all_gather (allg), reduce_scatter (redsct), alltoall, permute, "
         "broadcast, sendrecv")
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
  app.add_option("--stats", o.stats, "avg, min, max, p50, p99, ...");
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
  app.add_option("-s,--hosts", o.hosts, "No effect");
  app.add_flag("--slurm-mode", o.slurm, "No effect");
  app.add_flag("--unique-buff", o.unique_buffers, "No effect");
  app.add_flag("--sb2sb", o.sbuf, "No effect");
}

Result<NccomJob> read_nccom(const NccomOptions& options) {
  const auto op = cluster::parse_op(options.op);
  if (!op) {
    const std::vector<std::string> names = {
        "all_reduce", "all_gather", "reduce_scatter", "alltoall", "permute",
        "broadcast",  "sendrecv",   "allr",           "allg",     "redsct"};
    return error("TY-NET-009", "there is no operation '{}'{}; operations are {}", options.op,
                 did_you_mean(options.op, names), fmt::join(names, ", "));
  }
  const auto type = parse_type(options.datatype);
  if (!type) return type.status();
  auto group = group_of(options);
  if (!group) return group.status();
  auto sizes = sizes_of(options, *op, group->ranks() * type->bytes);
  if (!sizes) return sizes.status();
  NccomJob job{*group, *op, {}, *type, std::move(*sizes), {}, options.grain == "closed"};
  TY_TRY(parse_choice(options, job.choice));
  TY_TRY(check_statistics(options.stats));
  if (options.grain != "closed" && options.grain != "flow") {
    return unreadable("grain", options.grain, "flow or closed");
  }
  job.flow.jitter = options.jitter;
  job.flow.seed = options.seed;
  for (const std::string& text : options.slow_links) {
    const auto slow = parse_slow_link(text);
    if (!slow) return slow.status();
    job.flow.slow.push_back(*slow);
  }
  if (job.closed_form && (options.jitter || !job.flow.slow.empty())) {
    return unreadable("grain", options.grain, "flow with --jitter or --slow-link");
  }
  return job;
}

}  // namespace trainyard::tools
