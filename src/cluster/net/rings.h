#pragma once
// Cycles through chips that share no directed link: the channels of the ring algorithms.
#include <cstdint>
#include <span>
#include <vector>

#include "cluster/net/topology.h"

namespace trainyard::cluster {

// An order of chips; the last one sends to the first.
using Cycle = std::vector<int32_t>;

// Edge-disjoint undirected cycles that each visit every chip of a torus or ring once, as many as it
// has closed axes: two on a 4x4 torus cover its 32 links. Fewer if the search does not find all.
std::vector<Cycle> hamiltonian_cycles(const Topology& topology);

// The directed cycles over which a ring algorithm spreads its data, for a group on `chips`
// (sorted). Both directions of hamiltonian_cycles on a whole torus, of a cycle found in the graph
// of the chips elsewhere; one or several routed rings where there is no such cycle. One chip: one
// cycle of itself.
std::vector<Cycle> channels(const Topology& topology, std::span<const int32_t> chips);

}  // namespace trainyard::cluster
