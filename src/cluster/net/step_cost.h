#pragma once
// What the steps of a stage cost, in closed form. Every load is linear in the bytes of a chunk, so
// a stage is a short list of kinds of steps.
#include <vector>

#include "cluster/net/program.h"

namespace trainyard::cluster {

// `repeat` equal steps. Loads are ns for each byte of a chunk, on the busiest resource of its kind.
struct StepCost {
  double repeat = 1;
  double latency_us = 0;
  double hidden_us = 0;  // more latency of longer paths, behind which shorter ones already transfer
  double link = 0;
  double hbm = 0;
  double dma = 0;
  double efa = 0;
};

// Rates that collectives reach, in B/ns.
struct Rates {
  double hbm = 1;
  double dma = 1;
  double link_share = 1;  // of a link's listed rate
  double efa_unit = 1;    // one NIC unit
};
Rates rates(const Communicator::Layout& layout, const Stage& stage);

// The latency of one step that crosses `hops`, or the network between `nodes_apart` domains.
double local_latency_us(const Communicator::Layout& layout, const Hops& hops);
double network_latency_us(const Communicator::Layout& layout, int64_t nodes_apart);

// `parts`: how many parts of the program run at the same time and share memory and NICs.
std::vector<StepCost> step_costs(const Communicator::Layout& layout, const Stage& stage,
                                 int64_t parts);

}  // namespace trainyard::cluster
