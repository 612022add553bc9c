#include "cluster/net/flow.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cluster/net/flow_engine.h"
#include "cluster/net/grains_test_case.h"

namespace trainyard::cluster {
namespace {

constexpr Algorithm kAll[] = {Algorithm::Ring, Algorithm::KangaRing, Algorithm::Mesh,
                              Algorithm::Rdh, Algorithm::SingleStep};

// The whole matrix is in flow_slow_test.cc.
TEST(Flow, TheGrainsAgree) {
  for (const Op op : {Op::AllGather, Op::ReduceScatter, Op::AllReduce, Op::Broadcast}) {
    for (const Algorithm a : kAll) {
      for (const int64_t bytes : {64 * KiB, 64 * MiB}) {
        expect_grains_agree("trn1.32xlarge", 1, {}, {op, bytes, {.inside = a}});
        expect_grains_agree("trn2.48xlarge", 1, {16, 1}, {op, bytes, {.inside = a}});
        expect_grains_agree("trn2.48xlarge", 8, {8, 64}, {op, bytes, {.across = a}});
      }
    }
  }
  expect_grains_agree("trn1.32xlarge", 2, {}, {Op::AllReduce, GiB, {.flat = true}});
  expect_grains_agree("trn2.48xlarge", 64, {}, {Op::AllReduce, GiB, {}});
  expect_grains_agree("trn2.48xlarge", 90, {}, {Op::AllReduce, GiB, {}});  // 2 x 3 x 3 x 5
}

TEST(Flow, TheGrainsAgreeOnATorusCrossedByAxes) {
  for (const char* instance : {"tpu-v5e-pod", "tpu-v4-pod"}) {
    for (const Op op : {Op::AllGather, Op::ReduceScatter, Op::AllReduce}) {
      expect_grains_agree(instance, 1, {}, {op, GiB, {}});
    }
  }
}

TEST(Flow, TheGrainsAgreeWithASpineThatIsTooThin) {
  hw::System system = *hw::find_system("trn2.48xlarge");
  system.knobs.net.oversubscription.value = 4;
  system.knobs.net.leaf_nodes.value = 4;
  const auto cluster = make_cluster(system, 16);
  const auto group = Communicator::make(*cluster, Grid{16, 64});
  const auto thick_cluster = make_cluster(*hw::find_system("trn2.48xlarge"), 16);
  const auto thick = Communicator::make(*thick_cluster, Grid{16, 64});
  for (const Algorithm a : {Algorithm::Ring, Algorithm::Mesh, Algorithm::Rdh}) {
    const Request request{Op::AllGather, GiB, {.across = a}};
    // A slow link anywhere makes every node its own, so that leaves are seen.
    const FlowOptions apart{.slow = {{0, 0, 1, 1.0}}};
    const double ratio =
        flow(*group, request, apart).total / collective_time(*group, request)->total;
    EXPECT_NEAR(ratio, 1, 0.12) << name(a);
    const double slower =
        collective_time(*group, request)->total / collective_time(*thick, request)->total;
    EXPECT_EQ(slower > 1.5, a != Algorithm::Ring) << name(a);
  }
}

TEST(Flow, FoldingChangesNothing) {
  for (const Selection& s :
       {Selection{Algorithm::KangaRing, Algorithm::Rdh},
        Selection{Algorithm::Mesh, Algorithm::Mesh}, Selection{Algorithm::Ring, Algorithm::Ring}}) {
    const Communicator group = group_of("trn2.48xlarge", 8);
    const Request request{Op::AllReduce, 64 * MiB, {.inside = s.inside, .across = s.across}};
    const FlowReport folded = flow(group, request);
    // A link "slowed" to its own rate changes no time, but every node is simulated.
    const FlowReport full = flow(group, request, {.slow = {{3, 0, 1, 1.0}}});
    EXPECT_NEAR(folded.total / full.total, 1, 1e-9) << text(s);
    EXPECT_GT(full.flows, folded.flows);
  }
}

// 67 instances on one ring: 66 steps, of which a few are simulated when all domains are alike.
TEST(Flow, TheStepsOfALongRingAreAlike) {
  const Communicator group = group_of("trn2.48xlarge", 67, {67, 64});
  for (const Op op : {Op::AllGather, Op::ReduceScatter, Op::AllReduce}) {
    const Request request{op, 67 * MiB, {.across = Algorithm::Ring}};
    const FlowReport some = flow(group, request);
    const FlowReport all = flow(group, request, {.slow = {{3, 0, 1, 1.0}}});
    EXPECT_NEAR(some.total / all.total, 1, 1e-9) << name(op);
    EXPECT_LT(some.flows, all.flows / 67);
  }
}

TEST(Flow, ASlowLinkDelaysWhatCrossesIt) {
  const Communicator group = group_of("trn2.48xlarge", 4);
  const Request request{Op::AllReduce, GiB};
  const Seconds even = flow(group, request).total;
  const Seconds slow = flow(group, request, {.slow = {{2, 5, 6, 0.5}}}).total;
  EXPECT_GT(slow / even, 1.05);
  EXPECT_LT(slow / even, 2);
  const Seconds worse = flow(group, request, {.slow = {{2, 5, 6, 0.25}}}).total;
  EXPECT_GT(worse, slow);
}

TEST(Flow, TheSameSeedGivesTheSameBytes) {
  const Communicator group = group_of("trn2.48xlarge", 4);
  const Request request{Op::AllReduce, 16 * MiB};
  const auto run = [&](uint64_t seed) {
    return flow(group, request, {.jitter = true, .seed = seed}).total.value;
  };
  EXPECT_EQ(run(1), run(1));
  EXPECT_NE(run(1), run(2));
}

TEST(Flow, JitterOnlyCosts) {
  const Communicator group = group_of("trn2.48xlarge", 2);
  const Request request{Op::AllReduce, 16 * MiB};
  const Seconds even = flow(group, request).total;
  double worst = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const double ratio = flow(group, request, {.jitter = true, .seed = seed}).total / even;
    EXPECT_GT(ratio, 0.99);
    worst = std::max(worst, ratio);
  }
  EXPECT_LT(worst, 1.5);
}

// T19
TEST(Flow, ADeadRankStopsAllOthersAndIsNamed) {
  for (const Algorithm a : kAll) {
    for (const int64_t rank : {0, 17, 63}) {
      const Communicator group = group_of("trn2.48xlarge", 1);
      const FlowReport report = flow(group, {Op::AllReduce, MiB, {.inside = a}}, {.dead = {rank}});
      ASSERT_TRUE(report.stuck) << name(a);
      EXPECT_EQ(report.stuck->culprits, (std::vector<int64_t>{rank})) << name(a);
      EXPECT_EQ(report.stuck->waiting, 63);
      EXPECT_EQ(report.stuck->reported, Seconds(30));
    }
  }
  EXPECT_EQ(kStatusStuckInCollective, 1200);
}

TEST(Flow, ADeadRankOfAnotherNodeIsNamedToo) {
  const Communicator group = group_of("trn1.32xlarge", 3);
  const FlowReport report = flow(group, {Op::AllReduce, MiB}, {.dead = {70}});
  ASSERT_TRUE(report.stuck);
  EXPECT_EQ(report.stuck->culprits, (std::vector<int64_t>{70}));
  EXPECT_EQ(report.stuck->waiting, 95);
}

TEST(Flow, TheBusiestLinksOfAKangaRingAreFullMostOfTheTime) {
  const FlowReport report = flow(group_of("trn1.32xlarge", 1), {Op::AllGather, GiB});
  ASSERT_EQ(report.busiest.size(), 4u);
  EXPECT_GT(report.busiest.front().busy, 0.95);
}

TEST(Flow, WhatDoesNotExistIsRefused) {
  const Communicator group = group_of("trn2.48xlarge", 2);
  const Request request{Op::AllReduce, MiB};
  EXPECT_EQ(simulate(group, request, {.slow = {{0, 0, 2, 0.5}}}).status().code(), "TY-NET-008");
  EXPECT_EQ(simulate(group, request, {.slow = {{2, 0, 1, 0.5}}}).status().code(), "TY-NET-008");
  EXPECT_EQ(simulate(group, request, {.slow = {{0, 0, 1, 0}}}).status().code(), "TY-NET-008");
  EXPECT_EQ(simulate(group, request, {.dead = {128}}).status().str(),
            "TY-NET-008  dead rank 128: the group has ranks 0 to 127");
  EXPECT_EQ(simulate(group_of("trn2.48xlarge", 10'000), {Op::Broadcast, MiB}).status().code(),
            "TY-NET-007");
}

// T14
TEST(Streams, ALongGatherDelaysTheNextScatterOnlyInItsOwnStream) {
  const Communicator fsdp = group_of("trn2.48xlarge", 1, {16, 4});
  const Communicator tp = group_of("trn2.48xlarge", 1, {4, 1});
  const auto ends = [&](int stream) {
    const std::vector<Launch> launches = {
        {fsdp, {Op::AllGather, 256 * MiB}, 1, Seconds{}},
        {tp, {Op::ReduceScatter, 4 * MiB}, stream, Seconds::from_us(50)}};
    const auto result = simulate_streams(launches);
    EXPECT_TRUE(result) << result.status().str();
    return *result;
  };
  const std::vector<Seconds> one = ends(1), two = ends(0);
  EXPECT_GT(one[1], one[0]);                  // the scatter waits for all of the gather
  EXPECT_LT(two[1].us(), 0.2 * two[0].us());  // it shares the memory and is done long before
  EXPECT_GE(two[0], one[0]);
}

TEST(Streams, SmallerPacketsGiveWay) {
  const Communicator fsdp = group_of("trn2.48xlarge", 1, {16, 4});
  const Communicator tp = group_of("trn2.48xlarge", 1, {4, 1});
  const auto scatter_us = [&](int64_t packet) {
    const std::vector<Launch> launches = {
        {fsdp, {Op::AllGather, 256 * MiB}, 1, Seconds{}, packet},
        {tp, {Op::ReduceScatter, 64 * MiB}, 0, Seconds::from_us(50)}};
    return (*simulate_streams(launches))[1].us();
  };
  EXPECT_LT(scatter_us(4096), 0.9 * scatter_us(65536));
}

TEST(Streams, OneLaunchTakesAsLongAsAlone) {
  const Communicator group = group_of("trn2.48xlarge", 1);
  const Request request{Op::AllReduce, 64 * MiB};
  const std::vector<Launch> launches = {{group, request, 0, Seconds{}}};
  EXPECT_NEAR((*simulate_streams(launches))[0] / flow(group, request).total, 1, 1e-6);
}

TEST(Streams, GroupsOfSeveralInstancesAreRefused) {
  const std::vector<Launch> launches = {{group_of("trn2.48xlarge", 2), {Op::AllReduce, MiB}}};
  EXPECT_EQ(simulate_streams(launches).status().code(), "TY-NET-008");
}

// Two flows on one resource, made by hand.
FlowPlan two_flows(float share_a, float share_b) {
  FlowPlan plan;
  plan.actors = 2;
  plan.steps = 1;
  plan.capacity = {100};
  plan.uses = {{0, 1}, {0, 1}};
  plan.flows = {{.bytes = 1000, .share = share_a, .first_use = 0, .use_count = 1},
                {.bytes = 16000, .share = share_b, .first_use = 1, .use_count = 1}};
  plan.first_flow = {0, 1, 2};
  return plan;
}

// T13
TEST(FlowEngine, PacketSizesShareADmaEngine) {
  const FlowPlan plan = two_flows(4096, 65536);
  FlowEngine engine(plan);
  const auto end = engine.run({});
  // 1 to 16: both end together.
  EXPECT_NEAR(end[0], 170, 1e-9);
  EXPECT_NEAR(end[1], 170, 1e-9);
  const FlowPlan other = two_flows(65536, 4096);
  FlowEngine again(other);
  const auto turned = again.run({});
  // The first has 16 of 17 parts, then the second is alone.
  EXPECT_NEAR(turned[0], 1000 * 17 / 1600.0, 1e-9);
  EXPECT_NEAR(turned[1], 170, 1e-9);
}

TEST(FlowEngine, EqualFlowsShareAndALateOneWaitsForItsLatency) {
  FlowPlan plan = two_flows(1, 1);
  plan.flows[1].bytes = 1000;
  plan.flows[1].latency_ns = 5;
  FlowEngine engine(plan);
  const auto end = engine.run({});
  EXPECT_NEAR(end[0], 15, 1e-9);  // 500 bytes alone in 5 ns, 500 at half rate
  EXPECT_NEAR(end[1], 20, 1e-9);
}

TEST(FlowEngine, ActorsWaitForWhatIsSentToThem) {
  // Actor 0 sends to actor 1, which sends on in its second step.
  FlowPlan plan;
  plan.actors = 2;
  plan.steps = 2;
  plan.capacity = {10, 20};
  plan.uses = {{0, 1}, {1, 2}};
  plan.flows = {{.bytes = 100, .first_use = 0, .use_count = 1, .to = 1},
                {.bytes = 100, .latency_ns = 3, .first_use = 1, .use_count = 1}};
  plan.first_flow = {0, 1, 1, 1, 2};
  FlowEngine engine(plan);
  const auto end = engine.run({});
  EXPECT_EQ(end[0], 10);
  EXPECT_EQ(end[1], 10 + 3 + 10);
  EXPECT_TRUE(engine.culprits().empty());
}

TEST(FlowEngine, AnActorMayComeAfterAnother) {
  FlowPlan plan = two_flows(1, 1);
  plan.orders = {{0, 1}};
  FlowEngine engine(plan);
  const std::vector<double> start = {7, 2};
  const auto end = engine.run({.start_ns = start});
  EXPECT_EQ(end[0], 17);
  EXPECT_EQ(end[1], 17 + 160);
}

TEST(FlowEngine, ASlowerResourceTakesLonger) {
  const FlowPlan plan = two_flows(1, 1);
  FlowEngine engine(plan);
  const std::vector<double> half = {0.5};
  const double slow = engine.run({.capacity_factor = half})[1];
  EXPECT_NEAR(slow, 2 * engine.run({})[1], 1e-9);
}

}  // namespace
}  // namespace trainyard::cluster
