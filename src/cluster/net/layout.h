#pragma once
// Where the groups of a communicator lie. Shared by everything that times or runs a collective.
#include <cstdint>
#include <memory>
#include <vector>

#include "cluster/net/collective.h"
#include "cluster/net/loads.h"
#include "cluster/net/schedule.h"
#include "cluster/net/topology.h"

namespace trainyard::cluster {

// A group's ranks count level by level, the first level fastest: local ranks of a domain (or, in a
// torus too large for one cycle, the chips along each axis), then domains.
struct Level {
  enum class Kind : uint8_t { Domain, Axis, Network };
  Kind kind = Kind::Domain;
  int64_t size = 1;
  int64_t stride = 1;  // between neighbours of the level, in ranks of the group
  int32_t place = -1;  // of Domain and Axis: in Layout::places
};

// The groups of a level on a graph: all groups of a domain, or one ring along an axis of a torus.
struct LevelPlace {
  std::shared_ptr<const Topology> graph;
  std::vector<GroupPlace> groups;  // the first one stands for all
  GraphLoads loads;
};

class ProfileCache;

struct Communicator::Layout {
  Cluster cluster;
  std::shared_ptr<const Topology> topology;  // of one domain
  int64_t nodes = 1;                         // domains of a group
  int64_t ranks = 1;                         // of a group
  // Local ranks of each group in one domain, ascending. They run at the same time.
  std::vector<std::vector<int32_t>> groups;
  std::vector<int32_t> targets;  // of each rank in a Permute, -1: idle; empty: the next on a ring
  int32_t per_chip = 1;          // ranks of a group on each of its chips
  int32_t groups_per_chip = 1;   // groups that share a chip
  int32_t nic_units = 0;         // NICs, or bundles of NICs where a chip has several
  int32_t busy_units = 0;        // of those, with ranks of some group
  int32_t ranks_per_unit = 0;    // most ranks of all groups behind one unit
  int32_t groups_per_unit = 0;   // most groups behind one unit
  std::vector<Level> levels;
  std::vector<LevelPlace> places;
  std::shared_ptr<const ProfileCache> profiles;  // see profile.h

  int32_t ranks_per_chip() const { return per_chip * groups_per_chip; }
  int32_t chip_of(int32_t local_rank) const {
    return local_rank / static_cast<int32_t>(cluster.ranks_per_chip());
  }
  int32_t unit_of(int32_t chip) const {
    return static_cast<int32_t>(int64_t{chip} * nic_units / topology->chips);
  }
  // Rate of one unit, one direction, as listed.
  double unit_bytes_per_ns() const {
    return cluster.system.instance.network_bytes_per_ns() / nic_units;
  }
};

}  // namespace trainyard::cluster
