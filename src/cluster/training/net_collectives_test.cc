#include <gtest/gtest.h>

#include "cluster/training/collective_times.h"

namespace trainyard::cluster {
namespace {

NetCollectives of(NetCollectives::Grain grain) {
  return {*make_cluster(*hw::find_system("trn2.48xlarge"), 1), grain};
}

// Eight ranks of two chips, and eight ranks of eight chips: as many ranks, other links.
TEST(NetCollectives, GroupsOfOneSizeAndOtherStridesHaveTheirOwnTimes) {
  const NetCollectives flows = of(NetCollectives::Grain::Flows);
  const double bytes = 64 << 20;
  const CollectiveCost near = flows.time(Op::AllGather, bytes, {8, 1});
  const CollectiveCost far = flows.time(Op::AllGather, bytes, {8, 8});
  EXPECT_NE(near.transfer, far.transfer);
  EXPECT_EQ(flows.counts().simulated, 2);
  flows.time(Op::AllGather, bytes, {8, 1});
  EXPECT_EQ(flows.counts().simulated, 2);  // remembered
}

TEST(NetCollectives, GroupsThatTheRuntimeRefusesAreCounted) {
  const NetCollectives flows = of(NetCollectives::Grain::Flows);
  EXPECT_GT(flows.time(Op::AllGather, 1 << 20, {3, 1}).transfer, 0);
  EXPECT_EQ(flows.counts().not_simulated, 1);
  EXPECT_EQ(flows.counts().simulated, 0);
}

TEST(NetCollectives, BothGrainsAgree) {
  const NetCollectives flows = of(NetCollectives::Grain::Flows);
  const NetCollectives closed = of(NetCollectives::Grain::ClosedForm);
  for (const Op op : {Op::AllGather, Op::ReduceScatter, Op::SendRecv}) {
    const RankGroup group{op == Op::SendRecv ? 2 : 32, 1};
    const CollectiveCost a = flows.time(op, 64 << 20, group), b = closed.time(op, 64 << 20, group);
    EXPECT_NEAR((a.latency + a.transfer) / (b.latency + b.transfer), 1, 0.1) << name(op);
  }
}

}  // namespace
}  // namespace trainyard::cluster
