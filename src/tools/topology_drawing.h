#pragma once
// The links of an instance drawn with letters.
#include <string>

#include "cluster/net/topology.h"

namespace trainyard::tools {

// A grid for each plane of a torus, a line for a ring or chain, words for switches.
std::string draw(const cluster::Topology& topology);

}  // namespace trainyard::tools
