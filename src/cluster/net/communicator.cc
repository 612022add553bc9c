// Groups of ranks on the graph of a domain and on its NICs.
#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "cluster/net/lay.h"
#include "cluster/net/profile.h"

namespace trainyard::cluster {
namespace {

using Layout = Communicator::Layout;

// A larger torus is crossed axis by axis: one cycle through it would have too many steps.
constexpr int32_t kMaxCycleChips = 64;

// The chips of a group with its ranks on each; TY-NET-002 if they differ.
Result<std::map<int32_t, int32_t>> chips_of(const Layout& layout, std::span<const int32_t> group) {
  std::map<int32_t, int32_t> count;
  for (const int32_t rank : group) ++count[layout.chip_of(rank)];
  for (const auto& [chip, n] : count) {
    if (n == count.begin()->second) continue;
    return error("TY-NET-002",
                 "a group has {} ranks on chip {} and {} on chip {}; give every chip the same", n,
                 chip, count.begin()->second, count.begin()->first);
  }
  return count;
}

void place_on_nics(Layout& layout) {
  const int64_t nics = layout.cluster.system.instance.nics.value;
  layout.nic_units = static_cast<int32_t>(std::min<int64_t>(nics, layout.topology->chips));
  if (layout.nic_units == 0) return;
  std::map<int32_t, int32_t> ranks, groups;
  for (const auto& group : layout.groups) {
    std::set<int32_t> units;
    for (const int32_t rank : group) {
      const int32_t unit = layout.unit_of(layout.chip_of(rank));
      ++ranks[unit];
      units.insert(unit);
    }
    for (const int32_t unit : units) ++groups[unit];
  }
  layout.busy_units = static_cast<int32_t>(ranks.size());
  for (const auto& [unit, n] : ranks) layout.ranks_per_unit = std::max(layout.ranks_per_unit, n);
  for (const auto& [unit, n] : groups) layout.groups_per_unit = std::max(layout.groups_per_unit, n);
}

// Groups run one algorithm together: where one is no hypercube, none exchanges along axes.
void make_alike(std::vector<GroupPlace>& groups) {
  const auto is_cube = [](const GroupPlace& group) { return !group.members.axes.empty(); };
  if (std::ranges::all_of(groups, is_cube)) return;
  for (GroupPlace& group : groups) group.members.axes.clear();
}

// One level for all local ranks, on the graph of the domain.
Status add_domain_level(Layout& layout) {
  LevelPlace place{.graph = layout.topology, .groups = {}, .loads = {}};
  std::map<std::vector<int32_t>, Members> known;  // groups on the same chips have the same rings
  std::map<int32_t, int32_t> groups_on;
  for (const auto& group : layout.groups) {
    const auto count = chips_of(layout, group);
    if (!count) return count.status();
    const int32_t per_chip = count->begin()->second;
    if (!place.groups.empty() && per_chip != layout.per_chip) {
      return error("TY-NET-002", "groups have {} and {} ranks on a chip; give all the same",
                   layout.per_chip, per_chip);
    }
    layout.per_chip = per_chip;
    std::vector<int32_t> chips;
    for (const auto& [chip, n] : *count) {
      chips.push_back(chip);
      ++groups_on[chip];
    }
    auto found = known.find(chips);
    if (found == known.end()) {
      const bool whole = layout.per_chip == layout.cluster.ranks_per_chip();
      found =
          known.emplace(chips, make_members(*layout.topology, chips, layout.per_chip, whole)).first;
    }
    place.groups.push_back({chips, found->second});
  }
  for (const auto& [chip, n] : groups_on) {
    layout.groups_per_chip = std::max(layout.groups_per_chip, n);
  }
  make_alike(place.groups);
  const auto local = static_cast<int64_t>(layout.groups.front().size());
  if (local == 1) return {};
  place.loads = graph_loads(*place.graph, place.groups);
  layout.levels.push_back({Level::Kind::Domain, local, 1, 0});
  layout.places.push_back(std::move(place));
  return {};
}

// A ring of its own for each axis of the torus.
void add_axis_levels(Layout& layout) {
  const Topology& t = *layout.topology;
  const hw::InstanceSpec& torus = layout.cluster.system.instance;
  int64_t stride = 1;
  for (size_t axis = 0; axis < 3; ++axis) {
    const int64_t size = t.dims[axis];
    if (size == 1) continue;
    hw::InstanceSpec ring = torus;
    ring.shape = hw::Shape::Ring;
    ring.chips.value = size;
    if (axis == 2) ring.link_bytes_per_ns = torus.link_far_bytes_per_ns;
    LevelPlace place{
        .graph = std::make_shared<const Topology>(make_topology(ring)), .groups = {}, .loads = {}};
    std::vector<int32_t> chips(static_cast<size_t>(size));
    std::iota(chips.begin(), chips.end(), 0);
    place.groups.push_back({chips, make_members(*place.graph, chips, 1, true)});
    place.loads = graph_loads(*place.graph, place.groups);
    const auto index = static_cast<int32_t>(layout.places.size());
    layout.levels.push_back({Level::Kind::Axis, size, stride, index});
    layout.places.push_back(std::move(place));
    stride *= size;
  }
}

Status make_levels(Layout& layout) {
  const Topology& t = *layout.topology;
  const auto local = static_cast<int64_t>(layout.groups.front().size());
  const bool by_axis = t.shape == hw::Shape::Torus && t.chips > kMaxCycleChips &&
                       local == t.chips && layout.cluster.ranks_per_chip() == 1;
  if (by_axis) {
    add_axis_levels(layout);
  } else {
    TY_TRY(add_domain_level(layout));
  }
  if (layout.nodes > 1) {
    layout.levels.push_back({Level::Kind::Network, layout.nodes, local, -1});
  }
  return {};
}

Result<std::shared_ptr<const Layout>> finish(Layout layout, const Cluster& cluster) {
  layout.cluster = cluster;
  layout.topology = std::make_shared<const Topology>(make_topology(cluster.system.instance));
  layout.profiles = std::make_shared<const ProfileCache>();
  place_on_nics(layout);
  TY_TRY(make_levels(layout));
  return std::make_shared<const Layout>(std::move(layout));
}

}  // namespace

Result<Cluster> make_cluster(const hw::System& system, int64_t nodes, int64_t lnc) {
  const hw::AcceleratorSpec& chip = system.accelerator;
  if (lnc == 0) lnc = chip.lnc_default.value;
  if (nodes < 1 || nodes > 1'000'000) {
    return error("TY-NET-001", "{} instances: must be from 1 to 1000000", nodes);
  }
  if (lnc < 1 || lnc > chip.lnc_max.value || chip.cores.value % lnc != 0) {
    return error("TY-NET-001", "LNC {}: {} allows 1 to {}, dividing its {} cores", lnc,
                 chip.product, chip.lnc_max.value, chip.cores.value);
  }
  if (nodes > 1 && system.instance.nics.value < 1) {
    return error("TY-NET-001", "{} has no network, so {} of them cannot work together", system.name,
                 nodes);
  }
  return Cluster{system, nodes, lnc};
}

Result<Communicator> Communicator::place(const Cluster& cluster, Layout&& layout) {
  auto done = finish(std::move(layout), cluster);
  if (!done) return done.status();
  return Communicator(std::move(*done));
}

Result<Communicator> Communicator::make(const Cluster& cluster, const Grid& grid) {
  auto layout = lay_grid(cluster, grid);
  if (!layout) return layout.status();
  return place(cluster, std::move(*layout));
}

Result<Communicator> Communicator::make(const Cluster& cluster, std::span<const int64_t> ranks) {
  auto layout = lay_ranks(cluster, ranks);
  if (!layout) return layout.status();
  return place(cluster, std::move(*layout));
}

Result<Communicator> Communicator::make(const Cluster& cluster,
                                        std::span<const std::vector<int64_t>> groups) {
  auto layout = lay_groups(cluster, groups);
  if (!layout) return layout.status();
  return place(cluster, std::move(*layout));
}

Result<Communicator> Communicator::make(const Cluster& cluster, std::span<const Pair> pairs) {
  auto layout = lay_pairs(cluster, pairs);
  if (!layout) return layout.status();
  return place(cluster, std::move(*layout));
}

const Cluster& Communicator::cluster() const { return layout_->cluster; }
int64_t Communicator::ranks() const { return layout_->ranks; }
int64_t Communicator::nodes() const { return layout_->nodes; }
int64_t Communicator::local() const { return static_cast<int64_t>(layout_->groups.front().size()); }
int64_t Communicator::siblings() const { return static_cast<int64_t>(layout_->groups.size()); }

}  // namespace trainyard::cluster
