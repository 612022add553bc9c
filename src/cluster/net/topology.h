#pragma once
// The links between the chips of one scale-up domain as a directed graph, and the path that a
// message takes. Made from an instance of the catalogue.
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "hw/systems/instance_spec.h"

namespace trainyard::cluster {

// One direction of one link. Vertices below `chips` are chips, the others are switches.
struct Link {
  int32_t from;
  int32_t to;
  double bytes_per_ns;
};

struct Topology {
  hw::Shape shape = hw::Shape::Single;
  int32_t chips = 1;
  int32_t vertices = 1;           // chips and switches
  std::array<int32_t, 3> dims{};  // of a torus or ring: x, y, z; 1 where there is no such axis
  int32_t sled_chips = 0;         // of sleds
  int32_t group_chips = 0;
  std::vector<Link> links;
  std::vector<int32_t> first_link;  // links of vertex v: [first_link[v], first_link[v + 1])

  std::span<const Link> links_of(int32_t vertex) const {
    const auto first = static_cast<size_t>(first_link[static_cast<size_t>(vertex)]);
    const auto last = static_cast<size_t>(first_link[static_cast<size_t>(vertex) + 1]);
    return std::span(links).subspan(first, last - first);
  }
  // The link from one vertex to its neighbour, or -1.
  int32_t link(int32_t from, int32_t to) const;
};

Topology make_topology(const hw::InstanceSpec& instance);

// The chips that `chip` has a link to, in the order in which neuron-ls prints them: up, left, down,
// right on a torus plane, then the planes below and above; the previous and the next one on a ring
// or chain. Empty where chips meet in switches.
std::vector<int32_t> neighbours(const Topology& topology, int32_t chip);

// Calls `visit(link index)` for each link of the path from chip to chip, in order. Deterministic:
// on a torus along x, then y, then z, each the shorter way round; where both are equal the parity
// of the start decides, which loads both ways alike.
template <class Visit>
void route(const Topology& topology, int32_t from, int32_t to, Visit&& visit);

// What a path costs before the first byte: chips and switches between its ends.
struct Hops {
  int32_t chips = 0;
  int32_t switches = 0;
};
Hops hops(const Topology& topology, int32_t from, int32_t to);

// Links on the path from chip to chip.
int32_t distance(const Topology& topology, int32_t from, int32_t to);

// The next vertex on the path from `at` to the chip `to`; `from` is where the path began.
int32_t next_vertex(const Topology& topology, int32_t from, int32_t at, int32_t to);

template <class Visit>
void route(const Topology& topology, int32_t from, int32_t to, Visit&& visit) {
  for (int32_t at = from; at != to;) {
    const int32_t next = next_vertex(topology, from, at, to);
    visit(topology.link(at, next));
    at = next;
  }
}

}  // namespace trainyard::cluster
