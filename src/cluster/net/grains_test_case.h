#pragma once
// Shared by the tests of both grains of time.
#include <gtest/gtest.h>

#include "cluster/net/flow.h"

namespace trainyard::cluster {

inline Communicator group_of(const char* instance, int64_t nodes, Grid grid = {}) {
  const auto cluster = make_cluster(*hw::find_system(instance), nodes);
  const auto group = Communicator::make(*cluster, grid);
  EXPECT_TRUE(group) << group.status().str();
  return *group;
}

inline FlowReport flow(const Communicator& group, const Request& request,
                       const FlowOptions& options = {}) {
  const auto report = simulate(group, request, options);
  EXPECT_TRUE(report) << report.status().str();
  return *report;
}

// Both grains of one request; false where the group cannot run it.
inline bool expect_grains_agree(const char* instance, int64_t nodes, Grid grid,
                                const Request& request) {
  const Communicator group = group_of(instance, nodes, grid);
  const auto closed = collective_time(group, request);
  if (!closed) {
    EXPECT_EQ(closed.status().code(), "TY-NET-006") << closed.status().str();
    return false;
  }
  const FlowReport report = flow(group, request);
  const double ratio = report.total / closed->total;
  EXPECT_NEAR(ratio, 1, 0.10) << nodes << " x " << instance << " size " << grid.size << " stride "
                              << grid.stride << ": " << name(request.op) << " "
                              << text(closed->selection) << " of " << request.bytes << " B: flow "
                              << report.total.us() << " us, closed form " << closed->total.us();
  return true;
}

}  // namespace trainyard::cluster
