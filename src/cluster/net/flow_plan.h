#pragma once
// Turns the stages of a collective into a plan of flows over links, memories, DMA engines and NICs.
#include <vector>

#include "cluster/net/flow_engine.h"
#include "cluster/net/program.h"

namespace trainyard::cluster {

// The resources of `nodes` equal domains, by index into FlowPlan::capacity: for each domain two per
// chip (memory, DMA), its links, two per NIC unit (out, in); then two per leaf of the network.
class Resources {
 public:
  Resources(const Communicator::Layout& layout, const Topology& graph, int64_t nodes);

  uint32_t memory(int64_t node, int32_t chip) const { return at(node, 2 * chip); }
  uint32_t dma(int64_t node, int32_t chip) const { return at(node, 2 * chip + 1); }
  uint32_t link(int64_t node, int32_t link) const { return at(node, 2 * chips_ + link); }
  uint32_t nic_out(int64_t node, int32_t unit) const {
    return at(node, 2 * chips_ + links_ + 2 * unit);
  }
  uint32_t nic_in(int64_t node, int32_t unit) const { return nic_out(node, unit) + 1; }
  uint32_t leaf_out(int64_t leaf) const { return at(nodes_, 0) + static_cast<uint32_t>(2 * leaf); }
  uint32_t leaf_in(int64_t leaf) const { return leaf_out(leaf) + 1; }
  int64_t nodes() const { return nodes_; }

  // Capacities for a stage: what its algorithm reaches. `parts` share memory and DMA.
  std::vector<double> capacities(const Communicator::Layout& layout, const Topology& graph,
                                 const Stage& stage, int64_t parts) const;

 private:
  uint32_t at(int64_t node, int32_t offset) const {
    return static_cast<uint32_t>(node * per_node_ + offset);
  }
  int64_t nodes_;
  int32_t chips_, links_, units_, per_node_;
  int64_t leaves_;
};

// A plan and which rank each actor is a channel of: `slot_of[actor]` counts the ranks of the
// domains that the plan covers, domain by domain, group by group.
struct StagePlan {
  FlowPlan flows;
  std::vector<uint32_t> slot_of;
};

// One domain (or one ring along an axis) with all groups on it.
StagePlan domain_plan(const Communicator::Layout& layout, const Stage& stage, double bytes,
                      int64_t parts);

// The network between domains, or a flat ring. Folded: every domain does the same, so one stands
// for all and sends to itself. Only for schedules in which all members are alike.
StagePlan network_plan(const Communicator::Layout& layout, const Stage& stage, double bytes,
                       int64_t parts, bool folded);

// Whether all members of the schedule do the same, up to their number.
bool is_alike(const Schedule& schedule);

// Flows that network_plan would make.
double flow_count(const Communicator::Layout& layout, const Stage& stage, bool folded);

}  // namespace trainyard::cluster
