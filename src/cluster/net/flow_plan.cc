#include "cluster/net/flow_plan.h"

#include <algorithm>

#include "cluster/net/step_cost.h"

namespace trainyard::cluster {
namespace {

using Layout = Communicator::Layout;

// Where a member of a set of ranks lies.
struct Spot {
  int64_t node = 0;       // of the plan
  int64_t true_node = 0;  // of the group, also where the plan is folded
  int32_t chip = 0;
  uint32_t slot = 0;
};

// Collects the flows of all sets of a stage.
class Builder {
 public:
  Builder(const Layout& layout, const Topology& graph, const Stage& stage,
          const Resources& resources, double bytes, int32_t lanes)
      : layout_(layout),
        graph_(graph),
        stage_(stage),
        resources_(resources),
        chunk_(bytes * stage.chunk_share),
        lanes_(static_cast<uint32_t>(lanes)) {}

  // Room for the actors of `slots` ranks.
  void start(uint32_t slots) {
    const Schedule& s = stage_.schedule;
    plan_.flows.actors = slots * lanes_;
    plan_.flows.steps = static_cast<uint32_t>(s.steps) + (s.tail ? 1 : 0);
    plan_.slot_of.resize(plan_.flows.actors);
    for (uint32_t a = 0; a < plan_.flows.actors; ++a) plan_.slot_of[a] = a / lanes_;
    by_step_.resize(static_cast<size_t>(plan_.flows.actors) * plan_.flows.steps);
  }

  // All sends of one set. `spot(member)` says where each lies; `drives(member)` whether the plan
  // holds what it sends.
  template <class SpotOf, class Drives>
  void add_set(SpotOf&& spot, Drives&& drives) {
    const Schedule& s = stage_.schedule;
    SendList list;
    for (uint32_t step = 0; step < plan_.flows.steps; ++step) {
      for (int32_t m = 0; m < s.members.count; ++m) {
        if (!drives(m)) continue;
        list.clear();
        emit(s, static_cast<int32_t>(step), m, list);
        for (const Send& send : list.sends) {
          const Spot to = spot(send.dst);
          add(send, step, spot(send.src), to, send.dst2 >= 0 ? spot(send.dst2).slot : kNobody);
        }
      }
    }
  }

  // The flows in the order that the engine wants.
  StagePlan finish(std::vector<double> capacity) {
    FlowPlan& flows = plan_.flows;
    flows.capacity = std::move(capacity);
    flows.first_flow.reserve(by_step_.size() + 1);
    flows.flows.reserve(count_);
    for (const std::vector<FlowPlan::Flow>& some : by_step_) {
      flows.first_flow.push_back(static_cast<uint32_t>(flows.flows.size()));
      flows.flows.insert(flows.flows.end(), some.begin(), some.end());
    }
    flows.first_flow.push_back(static_cast<uint32_t>(flows.flows.size()));
    return std::move(plan_);
  }

 private:
  void use(FlowPlan::Flow& flow, uint32_t resource, double cost) {
    std::vector<FlowPlan::Use>& uses = plan_.flows.uses;
    for (uint32_t u = flow.first_use; u < flow.first_use + flow.use_count; ++u) {
      if (uses[u].resource != resource) continue;
      uses[u].cost += static_cast<float>(cost);
      return;
    }
    uses.push_back({resource, static_cast<float>(cost)});
    ++flow.use_count;
  }

  void use_network(FlowPlan::Flow& flow, const Spot& from, const Spot& to) {
    use(flow, resources_.nic_out(from.node, layout_.unit_of(from.chip)), 1);
    use(flow, resources_.nic_in(to.node, layout_.unit_of(to.chip)), 1);
    const hw::Knobs::Net& net = layout_.cluster.system.knobs.net;
    const int64_t leaf = net.leaf_nodes.value;
    if (net.oversubscription.value <= 1 || from.true_node / leaf == to.true_node / leaf) return;
    use(flow, resources_.leaf_out(from.node / leaf), 1);
    use(flow, resources_.leaf_in(to.node / leaf), 1);
  }

  double latency_us(uint32_t step, const Spot& from, const Spot& to) const {
    if (static_cast<int32_t>(step) == stage_.schedule.steps) return 0;  // the tail
    if (from.true_node == to.true_node) {
      return local_latency_us(layout_, hops(graph_, from.chip, to.chip));
    }
    // One domain that stands for all has a neighbour in its own leaf. On a ring every step waits
    // for the domains that have not.
    if (resources_.nodes() == 1 && stage_.schedule.algorithm == Algorithm::Ring) {
      return network_latency_us(layout_, layout_.nodes);
    }
    const int64_t leaf = layout_.cluster.system.knobs.net.leaf_nodes.value;
    const bool same = from.true_node / leaf == to.true_node / leaf;
    return network_latency_us(layout_, same ? 0 : leaf);
  }

  void add(const Send& send, uint32_t step, const Spot& from, const Spot& to, uint32_t slot_too) {
    const uint32_t lane = send.slice < 0 ? 0 : static_cast<uint32_t>(send.slice);
    FlowPlan::Flow flow;
    flow.bytes = volume(stage_.schedule, send) * chunk_;
    flow.latency_ns = static_cast<float>(latency_us(step, from, to) * 1e3);
    flow.first_use = static_cast<uint32_t>(plan_.flows.uses.size());
    // A flow to itself is already waited for.
    if (to.slot != from.slot || from.true_node != to.true_node) flow.to = to.slot * lanes_ + lane;
    if (slot_too != kNobody) flow.to_too = slot_too * lanes_ + lane;
    use(flow, resources_.memory(from.node, from.chip), send.sources);
    use(flow, resources_.dma(from.node, from.chip), send.sources);
    if (from.true_node != to.true_node) {
      use_network(flow, from, to);
    } else {
      route(graph_, from.chip, to.chip,
            [&](int32_t link) { use(flow, resources_.link(from.node, link), 1); });
    }
    use(flow, resources_.memory(to.node, to.chip), slot_too != kNobody ? 2 : 1);
    by_step_[(from.slot * lanes_ + lane) * plan_.flows.steps + step].push_back(flow);
    ++count_;
  }

  const Layout& layout_;
  const Topology& graph_;
  const Stage& stage_;
  const Resources& resources_;
  double chunk_;
  uint32_t lanes_;
  StagePlan plan_;
  std::vector<std::vector<FlowPlan::Flow>> by_step_;
  size_t count_ = 0;
};

int64_t leaves_of(const Layout& layout, int64_t nodes) {
  const int64_t leaf = layout.cluster.system.knobs.net.leaf_nodes.value;
  return (nodes + leaf - 1) / leaf;
}

// Adds one set of ranks for each rank of a domain that starts a network group.
StagePlan level_plan(const Layout& layout, const Stage& stage, double bytes, bool folded,
                     const Resources& resources, std::vector<double> capacity) {
  const auto local = static_cast<uint32_t>(layout.groups.front().size());
  const auto slots = static_cast<uint32_t>(layout.groups.size()) * local;
  const int64_t apart = stage.level.stride / local;  // domains between neighbours
  Builder builder(layout, *layout.topology, stage, resources, bytes, stage.schedule.slices);
  builder.start(slots * static_cast<uint32_t>(resources.nodes()));
  for (int64_t first = 0; first < layout.nodes; ++first) {
    const bool is_base = first / apart % stage.level.size == 0;
    if (!is_base || (folded && first > 0)) continue;
    for (uint32_t slot = 0; slot < slots; ++slot) {
      if (stage.schedule.op == Op::Broadcast && slot % local != 0) continue;
      const int32_t rank = layout.groups[slot / local][slot % local];
      const auto spot = [&](int32_t m) {
        const int64_t node = first + m * apart;
        const auto held = static_cast<uint32_t>(folded ? 0 : node);
        return Spot{folded ? 0 : node, node, layout.chip_of(rank), held * slots + slot};
      };
      builder.add_set(spot, [&](int32_t m) { return !folded || m == 0; });
    }
  }
  return builder.finish(std::move(capacity));
}

// All ranks of a group in one schedule, domain after domain.
StagePlan flat_plan(const Layout& layout, const Stage& stage, double bytes, bool folded,
                    const Resources& resources, std::vector<double> capacity) {
  const auto local = static_cast<int32_t>(layout.groups.front().size());
  const auto slots = static_cast<uint32_t>(layout.groups.size()) * static_cast<uint32_t>(local);
  Builder builder(layout, *layout.topology, stage, resources, bytes, stage.schedule.slices);
  builder.start(slots * static_cast<uint32_t>(resources.nodes()));
  for (uint32_t g = 0; g < layout.groups.size(); ++g) {
    const auto spot = [&](int32_t m) {
      const int64_t node = m / local;
      const int32_t rank = layout.groups[g][static_cast<size_t>(m % local)];
      const auto held = static_cast<uint32_t>(folded ? 0 : node);
      const uint32_t slot = g * static_cast<uint32_t>(local) + static_cast<uint32_t>(m % local);
      return Spot{folded ? 0 : node, node, layout.chip_of(rank), held * slots + slot};
    };
    builder.add_set(spot, [&](int32_t m) { return !folded || m < local; });
  }
  return builder.finish(std::move(capacity));
}

}  // namespace

Resources::Resources(const Layout& layout, const Topology& graph, int64_t nodes)
    : nodes_(nodes),
      chips_(graph.chips),
      links_(static_cast<int32_t>(graph.links.size())),
      units_(layout.nic_units),
      per_node_(2 * chips_ + links_ + 2 * units_),
      leaves_(leaves_of(layout, nodes)) {}

std::vector<double> Resources::capacities(const Layout& layout, const Topology& graph,
                                          const Stage& stage, int64_t parts) const {
  const Rates rate = rates(layout, stage);
  std::vector<double> capacity(at(nodes_, 0) + static_cast<size_t>(2 * leaves_));
  const auto share = static_cast<double>(parts);
  for (int64_t node = 0; node < nodes_; ++node) {
    for (int32_t chip = 0; chip < chips_; ++chip) {
      capacity[memory(node, chip)] = rate.hbm / share;
      capacity[dma(node, chip)] = rate.dma / share;
    }
    for (int32_t l = 0; l < links_; ++l) {
      capacity[link(node, l)] = graph.links[static_cast<size_t>(l)].bytes_per_ns * rate.link_share;
    }
    for (int32_t unit = 0; unit < units_; ++unit) {
      capacity[nic_out(node, unit)] = capacity[nic_in(node, unit)] = rate.efa_unit / share;
    }
  }
  const hw::Knobs::Net& net = layout.cluster.system.knobs.net;
  for (int64_t leaf = 0; leaf < leaves_; ++leaf) {
    const int64_t under = std::min(net.leaf_nodes.value, nodes_ - leaf * net.leaf_nodes.value);
    const double rates_in = rate.efa_unit * units_ * static_cast<double>(under) / share;
    capacity[leaf_out(leaf)] = capacity[leaf_in(leaf)] = rates_in / net.oversubscription.value;
  }
  return capacity;
}

StagePlan domain_plan(const Layout& layout, const Stage& stage, double bytes, int64_t parts) {
  const LevelPlace& place = layout.places[static_cast<size_t>(std::max(0, stage.level.place))];
  const Resources resources(layout, *place.graph, 1);
  Stage own = stage;
  // One schedule per group: groups on other chips have other rings, and not as many.
  std::vector<Schedule> schedules;
  uint32_t slot = 0, slots = 0;
  int32_t lanes = 1;
  for (const GroupPlace& group : place.groups) {
    const Schedule& s = stage.schedule;
    lanes = std::max(
        lanes, schedules.emplace_back(*make_schedule(s.op, s.algorithm, group.members)).slices);
    slots += static_cast<uint32_t>(group.members.count);
  }
  Builder builder(layout, *place.graph, own, resources, bytes, lanes);
  builder.start(slots);
  for (size_t g = 0; g < place.groups.size(); ++g) {
    const GroupPlace& group = place.groups[g];
    own.schedule = std::move(schedules[g]);
    builder.add_set(
        [&](int32_t m) {
          const int32_t chip = group.chips[static_cast<size_t>(m / group.members.per_chip)];
          return Spot{0, 0, chip, slot + static_cast<uint32_t>(m)};
        },
        [](int32_t) { return true; });
    slot += static_cast<uint32_t>(group.members.count);
  }
  return builder.finish(resources.capacities(layout, *place.graph, stage, parts));
}

StagePlan network_plan(const Layout& layout, const Stage& stage, double bytes, int64_t parts,
                       bool folded) {
  const Resources resources(layout, *layout.topology, folded ? 1 : layout.nodes);
  std::vector<double> capacity = resources.capacities(layout, *layout.topology, stage, parts);
  if (stage.where == Stage::Where::Flat) {
    return flat_plan(layout, stage, bytes, folded, resources, std::move(capacity));
  }
  return level_plan(layout, stage, bytes, folded, resources, std::move(capacity));
}

bool is_alike(const Schedule& s) { return s.op != Op::Broadcast && s.op != Op::SendRecv; }

double flow_count(const Layout& layout, const Stage& stage, bool folded) {
  const Schedule& s = stage.schedule;
  SendList list;
  const int32_t step = s.steps / 2;
  emit(s, step, s.members.count - 1, list);
  emit(s, step, 0, list);
  const double sends = std::max<double>(1, static_cast<double>(list.sends.size()) / 2) * s.steps;
  const auto local = static_cast<double>(layout.groups.front().size());
  const auto nodes = static_cast<double>(folded ? 1 : layout.nodes);
  return sends * local * static_cast<double>(layout.groups.size()) * nodes;
}

}  // namespace trainyard::cluster
