#include "cluster/net/flow.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "cluster/net/flow_plan.h"

namespace trainyard::cluster {
namespace {

using Layout = Communicator::Layout;

// Beyond this the closed form is the right tool. 48 bytes each, and as many for what they use.
constexpr double kMaxFlows = 2e7;
constexpr size_t kBusiestLinks = 4;
constexpr int32_t kAlikeSteps = 16;

uint64_t mixed(uint64_t seed, uint64_t a, uint64_t b) {
  uint64_t x = seed + a * 0x9e3779b97f4a7c15ULL + b * 0xc2b2ae3d27d4eb4fULL;
  x = (x ^ x >> 33) * 0xff51afd7ed558ccdULL;
  return x ^ x >> 29;
}

class Simulation {
 public:
  Simulation(const Layout& layout, const Program& program, double bytes, const FlowOptions& options)
      : layout_(layout),
        program_(program),
        bytes_(bytes),
        options_(options),
        slots_(layout.groups.size() * layout.groups.front().size()) {}

  Result<FlowReport> run() {
    TY_TRY(check_options());
    folded_ = !options_.jitter && options_.slow.empty() && options_.dead.empty();
    for (const Part& part : program_.parts) {
      for (const Stage& stage : part.stages) {
        if (is_network(stage) && !is_alike(stage.schedule)) folded_ = false;
      }
    }
    nodes_ = folded_ ? 1 : layout_.nodes;
    const std::vector<double> start = start_times();
    std::vector<double> end(start.size());
    for (const Part& part : program_.parts) {
      times_ = start;
      for (stage_number_ = 0; stage_number_ < part.stages.size(); ++stage_number_) {
        TY_TRY(run_stage(part.stages[stage_number_]));
        if (report_.stuck) return report_;
      }
      for (size_t i = 0; i < end.size(); ++i) end[i] = std::max(end[i], times_[i]);
    }
    report_.total = Seconds(*std::ranges::max_element(end) * 1e-9);
    report_.earliest = Seconds(*std::ranges::min_element(end) * 1e-9);
    report_.steps = program_.steps();
    return report_;
  }

 private:
  static bool is_network(const Stage& stage) {
    return stage.where == Stage::Where::Network || stage.where == Stage::Where::Flat;
  }

  static bool is_gather_or_scatter(const Stage& stage) {
    return stage.schedule.op == Op::AllGather || stage.schedule.op == Op::ReduceScatter;
  }

  Status check_options() const {
    for (const SlowLink& slow : options_.slow) {
      const int32_t chips = layout_.topology->chips;
      const bool there = slow.node >= 0 && slow.node < layout_.nodes && slow.chip >= 0 &&
                         slow.chip < chips && slow.other >= 0 && slow.other < chips &&
                         layout_.topology->link(slow.chip, slow.other) >= 0;
      if (!there || !(slow.factor > 0 && slow.factor <= 1)) {
        return error(
            "TY-NET-008",
            "slow link {}-{} of node {} at {}: there is no such link between chips, or the "
            "factor is not above 0 and at most 1",
            slow.chip, slow.other, slow.node, slow.factor);
      }
    }
    for (const int64_t rank : options_.dead) {
      if (rank >= 0 && rank < layout_.ranks) continue;
      return error("TY-NET-008", "dead rank {}: the group has ranks 0 to {}", rank,
                   layout_.ranks - 1);
    }
    return {};
  }

  // Every rank triggers its collective at 0; with jitter some are late.
  std::vector<double> start_times() const {
    const hw::Knobs::Net& net = layout_.cluster.system.knobs.net;
    std::vector<double> start(slots_ * static_cast<size_t>(nodes_), net.t_start_us.value * 1e3);
    if (!options_.jitter) return start;
    for (size_t i = 0; i < start.size(); ++i) {
      const auto chance = static_cast<double>(mixed(options_.seed, 1, i) >> 11) * 0x1p-53;
      if (chance < net.tail_probability.value) start[i] *= net.tail_factor.value;
    }
    return start;
  }

  Status run_stage(const Stage& stage) {
    switch (stage.where) {
      case Stage::Where::Domain:
        run_domains(stage);
        return {};
      case Stage::Where::Axis:
        run_axis(stage);
        return {};
      case Stage::Where::Network:
      case Stage::Where::Flat:
        return run_network(stage);
    }
    TY_CHECK(false);
  }

  int64_t parts() const { return static_cast<int64_t>(program_.parts.size()); }

  Jitter jitter(uint64_t set) const {
    return {mixed(options_.seed, stage_number_ + 2, set),
            layout_.cluster.system.knobs.net.jitter_sigma.value};
  }

  // One plan for all domains, each run with its own times.
  void run_domains(const Stage& stage) {
    const double begin = *std::ranges::max_element(times_);
    const StagePlan plan = domain_plan(layout_, stage, bytes_, parts());
    FlowEngine engine(plan.flows);
    std::vector<uint32_t> slots(slots_);
    for (int64_t node = 0; node < nodes_ && !report_.stuck; ++node) {
      for (size_t i = 0; i < slots_; ++i) {
        slots[i] = static_cast<uint32_t>(static_cast<size_t>(node) * slots_ + i);
      }
      run_set(plan, engine, slots, factors(*layout_.topology, node, {}), static_cast<size_t>(node));
    }
    note_links(plan, begin);
  }

  // One plan for all rings along an axis.
  void run_axis(const Stage& stage) {
    const StagePlan plan = domain_plan(layout_, stage, bytes_, parts());
    const Topology& ring = *layout_.places[static_cast<size_t>(stage.level.place)].graph;
    FlowEngine engine(plan.flows);
    const auto stride = static_cast<size_t>(stage.level.stride);
    const auto size = static_cast<size_t>(stage.level.size);
    std::vector<uint32_t> slots(size);
    size_t set = 0;
    for (size_t base = 0; base < times_.size() && !report_.stuck; ++base) {
      if (base % slots_ / stride % size != 0) continue;
      for (size_t m = 0; m < size; ++m) slots[m] = static_cast<uint32_t>(base + m * stride);
      const auto node = static_cast<int64_t>(base / slots_);
      std::vector<int32_t> chips;
      for (const uint32_t slot : slots) chips.push_back(static_cast<int32_t>(slot % slots_));
      run_set(plan, engine, slots, factors(ring, node, chips), set++);
    }
  }

  // Runs a plan on ranks that stand for its slots and moves their times on. Where nothing disturbs
  // a set and all its ranks start together, it takes as long as the one before.
  void run_set(const StagePlan& plan, FlowEngine& engine, std::span<const uint32_t> slots,
               const std::vector<double>& factor, uint64_t set) {
    const double first = times_[slots[0]];
    const bool together =
        std::ranges::all_of(slots, [&](uint32_t slot) { return times_[slot] == first; });
    const bool clean = together && factor.empty() && !options_.jitter && options_.dead.empty();
    if (set == 0) known_.clear();
    if (clean && !known_.empty()) {
      for (size_t i = 0; i < slots.size(); ++i) times_[slots[i]] = first + known_[i];
      return;
    }
    std::vector<double> start(plan.slot_of.size());
    std::vector<uint8_t> dead;
    for (size_t a = 0; a < start.size(); ++a) start[a] = times_[slots[plan.slot_of[a]]];
    mark_dead(plan, slots, dead);
    const Jitter random = jitter(set);
    const std::span<const double> end =
        engine.run({start, factor, dead, options_.jitter ? &random : nullptr});
    report_.flows += static_cast<int64_t>(plan.flows.flows.size());
    for (const uint32_t slot : slots) times_[slot] = 0;
    for (size_t a = 0; a < end.size(); ++a) {
      double& time = times_[slots[plan.slot_of[a]]];
      time = std::max(time, end[a]);
    }
    note_stuck(plan, engine, slots);
    if (clean) {
      known_.resize(slots.size());
      for (size_t i = 0; i < slots.size(); ++i) known_[i] = times_[slots[i]] - first;
    }
  }

  // One domain stands for all on a ring, so its steps are alike: after the first few each takes as
  // long as the one before.
  Status run_long_ring(const Stage& stage) {
    const std::vector<double> start = times_;
    Stage shorter = stage;
    std::array<std::vector<double>, 2> ends;
    for (size_t i = 0; i < 2; ++i) {
      times_ = start;
      shorter.schedule.steps = static_cast<int32_t>(i + 1) * kAlikeSteps;
      TY_TRY(run_network(shorter));
      ends[i] = times_;
    }
    const double more = stage.schedule.steps - 2 * kAlikeSteps;
    for (size_t i = 0; i < times_.size(); ++i) {
      times_[i] = ends[1][i] + more * (ends[1][i] - ends[0][i]) / kAlikeSteps;
    }
    return {};
  }

  Status run_network(const Stage& stage) {
    const bool ring = folded_ && stage.where == Stage::Where::Network &&
                      stage.schedule.algorithm == Algorithm::Ring && is_gather_or_scatter(stage);
    if (ring && stage.schedule.steps > 4 * kAlikeSteps) return run_long_ring(stage);
    if (flow_count(layout_, stage, folded_) > kMaxFlows) {
      return error(
          "TY-NET-007",
          "{} over {} ranks is about {:.2g} flows, more than {:.2g}; use the closed form, a "
          "hierarchy, or leave out what makes the domains differ",
          name(stage.schedule.op), layout_.ranks, flow_count(layout_, stage, folded_), kMaxFlows);
    }
    const double begin = *std::ranges::max_element(times_);
    const StagePlan plan = network_plan(layout_, stage, bytes_, parts(), folded_);
    FlowEngine engine(plan.flows);
    std::vector<uint32_t> slots(times_.size());
    for (size_t i = 0; i < slots.size(); ++i) slots[i] = static_cast<uint32_t>(i);
    std::vector<double> factor;
    const Resources resources(layout_, *layout_.topology, nodes_);
    for (const SlowLink& slow : options_.slow) {
      factor.resize(plan.flows.capacity.size(), 1);
      const Topology& t = *layout_.topology;
      factor[resources.link(slow.node, t.link(slow.chip, slow.other))] = slow.factor;
      factor[resources.link(slow.node, t.link(slow.other, slow.chip))] = slow.factor;
    }
    run_set(plan, engine, slots, factor, 0);
    if (stage.where == Stage::Where::Flat) note_links(plan, begin);
    return {};
  }

  // Slower links of a domain, or of the ring through `chips`; empty if it has none.
  std::vector<double> factors(const Topology& graph, int64_t node,
                              std::span<const int32_t> chips) const {
    std::vector<double> factor;
    const Resources resources(layout_, graph, 1);
    for (const SlowLink& slow : options_.slow) {
      if (slow.node != node) continue;
      int32_t a = slow.chip, b = slow.other;
      if (!chips.empty()) {
        const auto find = [&](int32_t chip) {
          return static_cast<int32_t>(std::ranges::find(chips, chip) - chips.begin());
        };
        a = find(slow.chip);
        b = find(slow.other);
        const auto size = static_cast<int32_t>(chips.size());
        if (a == size || b == size) continue;
      }
      factor.resize(static_cast<size_t>(2 * graph.chips) + graph.links.size() +
                        static_cast<size_t>(2 * layout_.nic_units) + 2,
                    1);
      factor[resources.link(0, graph.link(a, b))] = slow.factor;
      factor[resources.link(0, graph.link(b, a))] = slow.factor;
    }
    return factor;
  }

  // The slot of a rank of the first group.
  size_t slot_of(int64_t rank) const {
    const auto local = static_cast<int64_t>(layout_.groups.front().size());
    return static_cast<size_t>(rank / local) * slots_ + static_cast<size_t>(rank % local);
  }

  void mark_dead(const StagePlan& plan, std::span<const uint32_t> slots,
                 std::vector<uint8_t>& dead) const {
    if (options_.dead.empty()) return;
    dead.resize(plan.slot_of.size());
    for (const int64_t rank : options_.dead) {
      for (size_t a = 0; a < dead.size(); ++a) {
        if (slots[plan.slot_of[a]] == slot_of(rank)) dead[a] = 1;
      }
    }
  }

  void note_stuck(const StagePlan& plan, const FlowEngine& engine,
                  std::span<const uint32_t> slots) {
    const auto stuck = [&](uint32_t slot) { return times_[slot] == kNever; };
    if (std::ranges::none_of(slots, stuck)) return;
    Stuck found;
    const auto local = static_cast<int64_t>(layout_.groups.front().size());
    for (const uint32_t actor : engine.culprits()) {
      const auto slot = static_cast<int64_t>(slots[plan.slot_of[actor]]);
      const auto here = static_cast<int64_t>(slots_);
      const int64_t rank = slot / here * local + slot % here;
      const bool known = !found.culprits.empty() && found.culprits.back() == rank;
      if (!known) found.culprits.push_back(rank);
    }
    found.waiting = layout_.ranks - static_cast<int64_t>(found.culprits.size());
    found.reported = Seconds(layout_.cluster.system.knobs.net.exec_timeout_s.value);
    report_.stuck = std::move(found);
  }

  // Keeps the most loaded links of the stages inside a domain.
  void note_links(const StagePlan& plan, double begin) {
    const Topology& graph = *layout_.topology;
    const Resources resources(layout_, graph, 1);
    std::vector<double> load(graph.links.size());
    const uint32_t first = resources.link(0, 0);
    for (const FlowPlan::Flow& flow : plan.flows.flows) {
      for (uint32_t u = flow.first_use; u < flow.first_use + flow.use_count; ++u) {
        const uint32_t r = plan.flows.uses[u].resource;
        if (r < first || r >= first + load.size()) continue;
        load[r - first] += flow.bytes / plan.flows.capacity[r];
      }
    }
    std::vector<LinkUse> links;
    const double took = *std::ranges::max_element(times_) - begin;
    for (size_t i = 0; i < load.size(); ++i) {
      links.push_back({graph.links[i].from, graph.links[i].to, load[i] / took});
    }
    std::ranges::stable_sort(links, std::greater{}, &LinkUse::busy);
    links.resize(std::min(links.size(), kBusiestLinks));
    const bool more = report_.busiest.empty() ||
                      (!links.empty() && links.front().busy > report_.busiest.front().busy);
    if (more) report_.busiest = std::move(links);
  }

  const Layout& layout_;
  const Program& program_;
  double bytes_;
  const FlowOptions& options_;
  size_t slots_;  // ranks of all groups in a domain
  bool folded_ = false;
  int64_t nodes_ = 1;
  size_t stage_number_ = 0;
  std::vector<double> times_;  // of each slot of each simulated domain, ns
  std::vector<double> known_;  // what a set took that nothing disturbed
  FlowReport report_;
};

}  // namespace

Result<FlowReport> simulate(const Communicator& group, const Request& request,
                            const FlowOptions& options) {
  const auto selection = select_algorithm(group, request);
  if (!selection) return selection.status();
  FlowReport none;
  none.selection = *selection;
  if (group.ranks() == 1) return none;
  const auto program = make_program(group.layout(), request.op, *selection);
  if (!program) return program.status();
  auto report =
      Simulation(group.layout(), *program, static_cast<double>(request.bytes), options).run();
  if (report) report->selection = *selection;
  return report;
}

}  // namespace trainyard::cluster
