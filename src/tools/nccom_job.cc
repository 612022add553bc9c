#include "tools/nccom_job.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "base/nearest.h"
#include "hw/machine_file.h"
#include "tools/job_options.h"
#include "tools/nccom_files.h"

namespace trainyard::tools {
namespace {

using cluster::Op;

constexpr ElementType kTypes[] = {{"uint8", 1},  {"int8", 1},  {"uint16", 2},
                                  {"int16", 2},  {"fp16", 2},  {"bf16", 2},
                                  {"uint32", 4}, {"int32", 4}, {"fp32", 4}};

// More rows than anybody reads.
constexpr size_t kMaxSizes = 1000;
constexpr int64_t kMaxRuns = 1'000'000;
constexpr double kLeastFactor = 1.001;

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

// "[1,2,1]": the sum of the parts.
Result<int64_t> parse_ratio(const std::string& text) {
  std::vector<int64_t> parts;
  const char* at = text.data();
  const char* end = at + text.size();
  bool legal = text.starts_with('[') && text.ends_with(']');
  while (legal && *at != ']') {
    int64_t part = 0;
    const auto [rest, problem] = std::from_chars(at + 1, end, part);
    legal = problem == std::errc() && part >= 1 && part <= 1'000'000 &&
            (*rest == ',' || rest + 1 == end);
    parts.push_back(part);
    at = rest;
  }
  if (!legal || parts.empty()) return unreadable("ratio", text, "like [1,2,1]");
  return std::accumulate(parts.begin(), parts.end(), int64_t{0});
}

// What every size must be a multiple of.
Result<int64_t> unit_of(const NccomOptions& options, Op op, int64_t ranks, int64_t element) {
  const bool cut = op == Op::AllGather || op == Op::ReduceScatter || op == Op::AllToAll;
  const int64_t unit = cut ? ranks * element : 1;
  if (options.coalesced.empty()) return unit;
  const auto parts = parse_ratio(options.coalesced);
  if (!parts) return parts.status();
  return unit * *parts;
}

// From the smallest to the largest size, rounded up.
Result<std::vector<int64_t>> sizes_of(const NccomOptions& options, int64_t unit) {
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
  if (*low < 1 || *high < *low || (step == 0 && factor < kLeastFactor)) {
    return error("TY-NET-009",
                 "sizes from {} to {} by a factor of {}: must be rising from 1 on, by at least {}",
                 *low, *high, factor, kLeastFactor);
  }
  std::vector<int64_t> sizes;
  auto at = static_cast<double>(*low);
  while (at <= static_cast<double>(*high)) {
    const int64_t bytes = (static_cast<int64_t>(at) + unit - 1) / unit * unit;
    if (sizes.empty() || sizes.back() != bytes) sizes.push_back(bytes);
    if (sizes.size() > kMaxSizes) {
      return error("TY-NET-009", "more than {} sizes from {} to {}; take larger steps", kMaxSizes,
                   *low, *high);
    }
    at = step > 0 ? at + static_cast<double>(step) : at * factor;
  }
  return sizes;
}

// The first ranks of each instance, as nccom-test counts them.
std::vector<int64_t> first_ranks(const cluster::Cluster& machine, int64_t ranks) {
  const int64_t here = ranks / machine.nodes;
  std::vector<int64_t> all;
  for (int64_t i = 0; i < ranks; ++i) {
    all.push_back(i / here * machine.ranks_per_node() + i % here);
  }
  return all;
}

// Groups {g, g + step, g + 2 step, ...} of the ranks, `size` each.
Result<cluster::Communicator> parallel_groups(const cluster::Cluster& machine, int64_t ranks,
                                              int64_t size) {
  if (size < 1 || ranks % size != 0) {
    return error("TY-NET-009", "--data-parallel-dimension {}: must divide the {} ranks", size,
                 ranks);
  }
  const int64_t step = ranks / size;
  if (ranks == machine.ranks()) {
    return cluster::Communicator::make(machine, cluster::Grid{size, step});
  }
  const std::vector<int64_t> all = first_ranks(machine, ranks);
  RankGroups groups(static_cast<size_t>(step));
  for (size_t i = 0; i < all.size(); ++i) {
    groups[i % static_cast<size_t>(step)].push_back(all[i]);
  }
  return cluster::Communicator::make(machine, groups);
}

}  // namespace

Result<cluster::Cluster> nccom_machine(const NccomOptions& options) {
  auto system = options.machine.empty() ? hw::find_system(instance_of(options.instance))
                                        : hw::load_system(options.machine);
  if (!system) return system.status();
  if (!options.era.empty()) TY_TRY(hw::set_era(system->knobs, options.era));
  return cluster::make_cluster(*system, options.nodes, options.lnc);
}

namespace {

// All ranks, the first ones of each node, or the groups of a file.
Result<cluster::Communicator> group_of(const NccomOptions& options,
                                       const cluster::Cluster& machine) {
  const int64_t ranks = options.ranks == 0 ? machine.ranks() : options.ranks;
  if (ranks < 1 || ranks > machine.ranks() || ranks % options.nodes != 0) {
    return error("TY-NET-009", "{} ranks on {} instances: must be divided equally, at most {} each",
                 options.ranks, options.nodes, machine.ranks_per_node());
  }
  if (!options.pairs_file.empty()) {
    const auto pairs = read_pairs(options.pairs_file);
    if (!pairs) return pairs.status();
    return cluster::Communicator::make(machine, *pairs);
  }
  if (!options.groups_file.empty()) {
    const auto groups = read_replica_groups(options.groups_file);
    if (!groups) return groups.status();
    return cluster::Communicator::make(machine, *groups);
  }
  if (options.data_parallel != 0) return parallel_groups(machine, ranks, options.data_parallel);
  if (ranks == machine.ranks()) return cluster::Communicator::make(machine, cluster::Grid{});
  return cluster::Communicator::make(machine, first_ranks(machine, ranks));
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
Result<Op> parse_nccom_op(const std::string& text) {
  if (text == "all_gatherv" || text == "allgv") return Op::AllGather;
  if (text == "alltoallv") return Op::AllToAll;
  if (const auto op = cluster::parse_op(text)) return *op;
  const std::vector<std::string> names = {
      "all_reduce", "all_gather", "all_gatherv", "reduce_scatter", "alltoall",
      "alltoallv",  "permute",    "broadcast",   "sendrecv",       "allr",
      "allg",       "allgv",      "redsct"};
  return error("TY-NET-009", "there is no operation '{}'{}; operations are {}", text,
               did_you_mean(text, names), fmt::join(names, ", "));
}

Result<NccomJob> read_nccom(const NccomOptions& options) {
  const auto op = parse_nccom_op(options.op);
  if (!op) return op.status();
  const auto type = parse_type(options.datatype);
  if (!type) return type.status();
  const auto machine = nccom_machine(options);
  if (!machine) return machine.status();
  if (!options.pairs_file.empty() && *op != Op::Permute) {
    return unreadable("operation", options.op, "permute with --custom-src-target-pairs");
  }
  auto group = group_of(options, *machine);
  if (!group) return group.status();
  const auto unit = unit_of(options, *op, group->ranks(), type->bytes);
  if (!unit) return unit.status();
  auto sizes = sizes_of(options, *unit);
  if (!sizes) return sizes.status();
  if (!options.counts_file.empty()) {
    const auto count = read_largest_count(options.counts_file, group->ranks());
    if (!count) return count.status();
    const double bytes = static_cast<double>(*count) * static_cast<double>(type->bytes) *
                         static_cast<double>(group->ranks());
    if (bytes > kMaxBytes) return unreadable("counts in", options.counts_file, "smaller");
    sizes = std::vector{static_cast<int64_t>(bytes)};
  }
  NccomJob job{*group, *op, {}, *type, std::move(*sizes), {}, options.grain == "closed"};
  TY_TRY(parse_choice(options, job.choice));
  for (const int64_t runs : {options.iterations, options.program_iterations}) {
    if (runs >= 1 && runs <= kMaxRuns) continue;
    return error("TY-NET-009", "{} runs: must be from 1 to {}", runs, kMaxRuns);
  }
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
