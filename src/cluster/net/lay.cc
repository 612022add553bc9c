#include "cluster/net/lay.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace trainyard::cluster {
namespace {

using Layout = Communicator::Layout;

// The local ranks of a group on each of its nodes.
using ByNode = std::map<int64_t, std::set<int32_t>>;

Result<ByNode> by_node_of(const Cluster& cluster, std::span<const int64_t> ranks) {
  ByNode by_node;
  for (const int64_t rank : ranks) {
    if (rank < 0 || rank >= cluster.ranks()) {
      return error("TY-NET-004", "rank {} does not exist; the cluster has ranks 0 to {}", rank,
                   cluster.ranks() - 1);
    }
    const auto local = static_cast<int32_t>(rank % cluster.ranks_per_node());
    if (!by_node[rank / cluster.ranks_per_node()].insert(local).second) {
      return error("TY-NET-004", "rank {} stands twice in the group", rank);
    }
  }
  if (by_node.empty()) return error("TY-NET-004", "a group needs at least one rank");
  const std::set<int32_t>& first = by_node.begin()->second;
  for (const auto& [node, local] : by_node) {
    if (local == first) continue;
    return error("TY-NET-003",
                 "asymmetric group: node {} has local ranks {}, node {} has {}; the runtime takes "
                 "groups with the same local ranks on every node",
                 node, fmt::join(local, ","), by_node.begin()->first, fmt::join(first, ","));
  }
  return by_node;
}

}  // namespace

// The groups of a grid in one domain, and the domains that a group spans.
Result<Layout> lay_grid(const Cluster& cluster, const Grid& grid) {
  const int64_t here = cluster.ranks_per_node(), all = cluster.ranks();
  const int64_t size = grid.size == 0 ? all : grid.size, stride = grid.size == 0 ? 1 : grid.stride;
  const bool legal = size >= 1 && stride >= 1 && size <= all && stride <= all;
  if (!legal || all % (size * stride) != 0) {
    return error(
        "TY-NET-002",
        "groups of {} ranks with stride {} do not tile {} ranks; size x stride must divide "
        "the ranks",
        size, stride, all);
  }
  Layout layout;
  layout.ranks = size;
  const int64_t span = size * stride;
  const bool inside = span <= here && here % span == 0;
  const bool whole =
      span > here && (stride < here ? here % stride == 0 && span % here == 0 : stride % here == 0);
  if (!inside && !whole) {
    return error("TY-NET-002",
                 "groups of {} ranks with stride {} lie unevenly on instances of {} ranks; choose "
                 "sizes that divide {} or are multiples of it",
                 size, stride, here, here);
  }
  const int64_t local = inside ? size : std::max<int64_t>(1, here / stride);
  const int64_t step = std::min(stride, here);
  layout.nodes = size / local;
  for (int64_t block = 0; block < here; block += local * step) {
    for (int64_t first = block; first < block + step; ++first) {
      std::vector<int32_t>& group = layout.groups.emplace_back();
      for (int64_t i = 0; i < local; ++i) {
        group.push_back(static_cast<int32_t>(first + i * step));
      }
    }
  }
  return layout;
}

Result<Layout> lay_ranks(const Cluster& cluster, std::span<const int64_t> ranks) {
  const auto by_node = by_node_of(cluster, ranks);
  if (!by_node) return by_node.status();
  Layout layout;
  layout.ranks = static_cast<int64_t>(ranks.size());
  layout.nodes = static_cast<int64_t>(by_node->size());
  const std::set<int32_t>& local = by_node->begin()->second;
  layout.groups.emplace_back(local.begin(), local.end());
  return layout;
}

Result<Layout> lay_groups(const Cluster& cluster, std::span<const std::vector<int64_t>> groups) {
  if (groups.empty()) return error("TY-NET-004", "there are no groups");
  std::map<int64_t, std::set<std::set<int32_t>>> sets_on;  // of each node
  std::set<int64_t> seen;
  Layout layout;
  for (const std::vector<int64_t>& group : groups) {
    const auto one = by_node_of(cluster, group);
    if (!one) return one.status();
    const auto ranks = static_cast<int64_t>(group.size());
    const auto nodes = static_cast<int64_t>(one->size());
    if (!seen.empty() && (ranks != layout.ranks || nodes != layout.nodes)) {
      return error("TY-NET-002",
                   "groups of {} ranks on {} instances and of {} on {}: groups that run together "
                   "must be equal",
                   layout.ranks, layout.nodes, ranks, nodes);
    }
    layout.ranks = ranks;
    layout.nodes = nodes;
    for (const int64_t rank : group) {
      if (!seen.insert(rank).second) {
        return error("TY-NET-004", "rank {} stands in two groups", rank);
      }
    }
    for (const auto& [node, local] : *one) sets_on[node].insert(local);
  }
  const auto& [first, sets] = *sets_on.begin();
  for (const auto& [node, others] : sets_on) {
    if (others == sets) continue;
    return error("TY-NET-002",
                 "instance {} holds other groups than instance {}; use the same local ranks on "
                 "every instance",
                 node, first);
  }
  for (const std::set<int32_t>& local : sets)
    layout.groups.emplace_back(local.begin(), local.end());
  return layout;
}

Result<Layout> lay_pairs(const Cluster& cluster, std::span<const Pair> pairs) {
  const int64_t here = cluster.ranks_per_node();
  const Topology graph = make_topology(cluster.system.instance);
  std::vector<int32_t> target(static_cast<size_t>(here), -1), source = target;
  if (pairs.empty()) return error("TY-NET-010", "there are no pairs of ranks");
  for (const auto& [from, to] : pairs) {
    if (from < 0 || to < 0 || from >= here || to >= here) {
      return error("TY-NET-010",
                   "{} -> {}: pairs join ranks of one instance, here 0 to {}; a permute follows "
                   "links between chips",
                   from, to, here - 1);
    }
    int32_t& sends_to = target[static_cast<size_t>(from)];
    int32_t& hears_from = source[static_cast<size_t>(to)];
    if (sends_to >= 0 || hears_from >= 0) {
      return error("TY-NET-010", "{} -> {}: rank {} {} twice", from, to, sends_to >= 0 ? from : to,
                   sends_to >= 0 ? "sends" : "receives");
    }
    sends_to = static_cast<int32_t>(to);
    hears_from = static_cast<int32_t>(from);
    const auto q = cluster.ranks_per_chip();
    const auto a = static_cast<int32_t>(from / q), b = static_cast<int32_t>(to / q);
    const Hops path = hops(graph, a, b);
    if (path.chips > 0 || path.switches > 1) {
      return error("TY-NET-010",
                   "{} -> {}: no link joins chips {} and {}; the runtime permutes only between "
                   "neighbours",
                   from, to, a, b);
    }
  }
  for (int64_t rank = 0; rank < here; ++rank) {
    const auto r = static_cast<size_t>(rank);
    if ((target[r] >= 0) == (source[r] >= 0)) continue;
    return error("TY-NET-010", "rank {} {}: pairs must form closed rings", rank,
                 target[r] >= 0 ? "sends and never receives" : "receives and never sends");
  }
  Layout layout;
  layout.ranks = here;
  layout.groups.emplace_back(static_cast<size_t>(here));
  std::iota(layout.groups.front().begin(), layout.groups.front().end(), 0);
  layout.targets = std::move(target);
  return layout;
}

}  // namespace trainyard::cluster
