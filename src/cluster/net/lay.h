#pragma once
// Which ranks of a domain belong to which group: the first part of a layout, and where groups are
// refused. Chips, links and NICs follow in communicator.cc.
#include "cluster/net/layout.h"

namespace trainyard::cluster {

// Each fills in `ranks`, `nodes`, `groups` and, for pairs, `targets`, with the errors of
// Communicator::make.
Result<Communicator::Layout> lay_grid(const Cluster& cluster, const Grid& grid);
Result<Communicator::Layout> lay_ranks(const Cluster& cluster, std::span<const int64_t> ranks);
Result<Communicator::Layout> lay_groups(const Cluster& cluster,
                                        std::span<const std::vector<int64_t>> groups);
Result<Communicator::Layout> lay_pairs(const Cluster& cluster, std::span<const Pair> pairs);

}  // namespace trainyard::cluster
