#pragma once
// How much the links of a graph carry while groups on it run a pattern at the same time.
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "cluster/net/schedule.h"
#include "cluster/net/topology.h"

namespace trainyard::cluster {

// A group on a graph: the chip at each position of its members.
struct GroupPlace {
  std::vector<int32_t> chips;
  Members members;
};

// The slowest link of a pattern and its longest path.
struct PatternLoad {
  double ns_per_byte = 0;  // for each byte that every sender of the pattern sends
  double shared = 1;       // senders on that link
  double mean_ns = 0;      // of a byte over a sender's own path, if it has all links to itself
  Hops hops;
};

// One step of a ring over all channels, each with its share of the byte; of the first channel
// alone; of a mesh, a byte from each chip to each other; of the exchanges of recursive doubling, in
// order.
struct GraphLoads {
  PatternLoad ring;
  PatternLoad ring_alone;
  PatternLoad mesh;
  std::vector<PatternLoad> rdh;  // empty if the group is no hypercube
};

GraphLoads graph_loads(const Topology& graph, std::span<const GroupPlace> groups);

// The load of a pattern in which member `m` of each group sends one byte to `target(m)`; a negative
// target sends nothing.
PatternLoad pattern_load(const Topology& graph, std::span<const GroupPlace> groups,
                         const std::function<int32_t(int32_t)>& target);

// Members of a group with these local ranks per chip on these chips of a graph: its channels and
// the corner of the hypercube that each chip is.
Members make_members(const Topology& graph, std::span<const int32_t> chips, int32_t per_chip,
                     bool whole_chips);

}  // namespace trainyard::cluster
