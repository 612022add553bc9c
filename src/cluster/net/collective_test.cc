#include "cluster/net/collective.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cluster/net/program.h"

namespace trainyard::cluster {
namespace {

hw::System system_of(const char* instance, const char* era = "2026") {
  hw::System system = *hw::find_system(instance);
  EXPECT_TRUE(hw::set_era(system.knobs, era).ok());
  return system;
}

Communicator group_of(const hw::System& system, int64_t nodes, Grid grid = {}, int64_t lnc = 0) {
  const auto cluster = make_cluster(system, nodes, lnc);
  EXPECT_TRUE(cluster) << cluster.status().str();
  const auto group = Communicator::make(*cluster, grid);
  EXPECT_TRUE(group) << group.status().str();
  return *group;
}

Communicator group_of(const char* instance, int64_t nodes, Grid grid = {}, int64_t lnc = 0) {
  return group_of(system_of(instance), nodes, grid, lnc);
}

CollectiveTime time_of(const Communicator& group, Op op, int64_t bytes, Choice choice = {}) {
  const auto time = collective_time(group, {op, bytes, choice});
  EXPECT_TRUE(time) << time.status().str();
  return *time;
}

int64_t steps_of(const Communicator& group, Op op, Choice choice) {
  return time_of(group, op, group.ranks() * 1024, choice).steps;
}

// T6
TEST(Collective, StepsAreThoseOfTheAlgorithms) {
  const Communicator node = group_of("trn2.48xlarge", 1);
  EXPECT_EQ(steps_of(node, Op::AllGather, {.inside = Algorithm::Ring}), 63);
  EXPECT_EQ(steps_of(node, Op::AllGather, {.inside = Algorithm::KangaRing}), 31);
  EXPECT_EQ(steps_of(node, Op::AllGather, {.inside = Algorithm::Mesh}), 2);
  EXPECT_EQ(steps_of(node, Op::AllGather, {.inside = Algorithm::Rdh}), 5);
  EXPECT_EQ(steps_of(node, Op::AllReduce, {.inside = Algorithm::Mesh}), 4);
  EXPECT_EQ(steps_of(node, Op::AllReduce, {.inside = Algorithm::SingleStep}), 1);
  const Communicator four = group_of("trn2.48xlarge", 4);
  EXPECT_EQ(steps_of(four, Op::AllGather, {.inside = Algorithm::Ring, .across = Algorithm::Ring}),
            3 + 63);
  EXPECT_EQ(steps_of(four, Op::AllGather, {.flat = true}), 255);
  const Communicator far = group_of("trn2.48xlarge", 16, {16, 64});
  EXPECT_EQ(steps_of(far, Op::AllReduce, {.across = Algorithm::Ring}), 30);
  EXPECT_EQ(steps_of(far, Op::AllReduce, {.across = Algorithm::Mesh}), 2);
  EXPECT_EQ(steps_of(far, Op::AllReduce, {.across = Algorithm::Rdh}), 8);
  EXPECT_EQ(steps_of(far, Op::AllReduce, {.across = Algorithm::SingleStep}), 1);
}

// Bytes written and memory touches of a schedule, for each byte of a chunk.
struct Moved {
  double sent = 0, touches = 0;
};
Moved moved(const Communicator& group, Op op, Algorithm algorithm, bool steady = false) {
  const auto program = make_program(group.layout(), op, {.inside = algorithm});
  Moved sum;
  for (const Stage& stage : program->parts[0].stages) {
    const Schedule& s = stage.schedule;
    const int32_t first = steady ? 1 : 0, last = steady ? 1 : s.steps - 1 + (s.tail ? 1 : 0);
    for (int32_t step = first; step <= last; ++step) {
      SendList list;
      for (int32_t m = 0; m < s.members.count; ++m) emit(s, step, m, list);
      for (const Send& send : list.sends) {
        const double writes = send.dst2 >= 0 ? 2 : 1;
        if (send.dst != send.src) sum.sent += writes * volume(s, send);
        sum.touches += (send.sources + writes) * volume(s, send);
      }
    }
  }
  return sum;
}

// T4
TEST(Collective, EveryAllGatherSendsEachChunkOnceToEachOther) {
  for (const char* instance : {"trn1.32xlarge", "trn2.48xlarge", "trn2-ultraserver"}) {
    const Communicator group = group_of(instance, 1);
    const auto n = static_cast<double>(group.ranks());
    for (const Algorithm a :
         {Algorithm::Ring, Algorithm::KangaRing, Algorithm::Mesh, Algorithm::Rdh}) {
      EXPECT_NEAR(moved(group, Op::AllGather, a).sent, n * (n - 1), 1e-6) << name(a);
    }
    EXPECT_DOUBLE_EQ(moved(group, Op::AllReduce, Algorithm::SingleStep).sent, n * (n - 1) * n);
  }
}

// T8
TEST(Collective, KangaRingTouchesMemoryAQuarterAndAThirdLess) {
  const Communicator group = group_of("trn2.48xlarge", 1);
  const auto touches = [&](Op op, Algorithm a, double steps) {
    return moved(group, op, a, true).touches * steps;
  };
  // Half as many steps move the same data.
  EXPECT_DOUBLE_EQ(touches(Op::AllGather, Algorithm::KangaRing, 1),
                   0.75 * touches(Op::AllGather, Algorithm::Ring, 2));
  EXPECT_DOUBLE_EQ(touches(Op::ReduceScatter, Algorithm::KangaRing, 1),
                   2.0 / 3 * touches(Op::ReduceScatter, Algorithm::Ring, 2));
}

// T7
TEST(Collective, AnEfaTransferTakesItsBytesOverTheShareOfARank) {
  hw::System system = system_of("trn2.48xlarge");
  system.knobs.net.eff_efa_all.value = system.knobs.net.congestion_ring.value = 1;
  system.knobs.net.t_start_us.value = 0;
  // All 64 ranks of a node send to the next one: 50 Gbps each.
  const Communicator group = group_of(system, 2, {2, 64});
  const auto us = [&](int64_t bytes) { return time_of(group, Op::Permute, bytes).total.us() - 15; };
  EXPECT_NEAR(us(KiB), 0.1638, 0.0017);
  EXPECT_NEAR(us(MiB), 168, 1.7);
  EXPECT_NEAR(us(GiB), 172e3, 1.8e3);
  EXPECT_EQ(time_of(group, Op::Permute, GiB).bound, Bound::Efa);
}

Algorithm chosen(const Communicator& group, int64_t bytes, Op op = Op::AllReduce) {
  return *select_algorithm(group, {op, bytes})->inside;
}

// T9
TEST(Collective, AWholeNodeSwitchesAtOneAndAt56Megabytes) {
  const Communicator group = group_of("trn2.48xlarge", 1);
  EXPECT_EQ(chosen(group, 999'999), Algorithm::Mesh);
  EXPECT_EQ(chosen(group, 1'000'000), Algorithm::Rdh);
  EXPECT_EQ(chosen(group, 56'000'000), Algorithm::Rdh);
  EXPECT_EQ(chosen(group, 56'000'001), Algorithm::KangaRing);
}

// T12
TEST(Collective, SixteenRanksSwitchAsThePublishedSampleShows) {
  for (const char* instance : {"trn1.32xlarge", "trn2.48xlarge"}) {
    const Communicator group = group_of(instance, 1, {16, 1});
    EXPECT_EQ(chosen(group, 8 * KiB), Algorithm::Mesh);
    EXPECT_EQ(chosen(group, 128 * KiB), Algorithm::Mesh);
    EXPECT_EQ(chosen(group, 2 * MiB), Algorithm::Rdh);
    EXPECT_EQ(chosen(group, 32 * MiB), Algorithm::KangaRing);
    EXPECT_EQ(chosen(group, 512 * MiB), Algorithm::KangaRing);
  }
}

TEST(Collective, GroupsWithoutWholeChipsFallBackToRing) {
  const Communicator group = group_of("trn2.48xlarge", 1, {16, 4});
  EXPECT_EQ(chosen(group, 512 * MiB), Algorithm::Ring);
  const auto time = collective_time(group, {Op::AllReduce, MiB, {.inside = Algorithm::KangaRing}});
  EXPECT_EQ(time.status().str(),
            "TY-NET-006  kangaring needs all ranks of at least two chips, an even number on each; "
            "the group has 1 ranks on each of 16 chips, and others have the rest; take ring");
}

// The predicted times reproduce the documented sweet spots without being told: the cheapest
// algorithm changes within a factor of two of 1 MB and a factor of four of 56 MB.
TEST(Collective, PredictedTimesAgreeWithTheDocumentedSweetSpots) {
  const Communicator group = group_of("trn2.48xlarge", 1);
  const auto cheaper = [&](Algorithm a, Algorithm b, double megabytes) {
    const auto bytes = static_cast<int64_t>(megabytes * 1e6);
    return time_of(group, Op::AllReduce, bytes, {.inside = a}).total <
           time_of(group, Op::AllReduce, bytes, {.inside = b}).total;
  };
  EXPECT_TRUE(cheaper(Algorithm::Mesh, Algorithm::Rdh, 0.5));
  EXPECT_TRUE(cheaper(Algorithm::Rdh, Algorithm::Mesh, 2));
  EXPECT_TRUE(cheaper(Algorithm::Rdh, Algorithm::KangaRing, 14));
  EXPECT_TRUE(cheaper(Algorithm::KangaRing, Algorithm::Rdh, 56));
}

struct Bounds {
  const char* instance;
  double ring_ag, kanga_ag, ring_rs, kanga_rs;
};

// The derived bandwidth bounds of large buffers, before efficiency, in GB/s. They count N chunks
// where N - 1 or N - 2 move.
TEST(Collective, LargeBuffersReachTheDerivedBounds) {
  for (const Bounds& b :
       {Bounds{"trn1.32xlarge", 192, 192, 136, 181}, Bounds{"trn2.48xlarge", 363, 483, 242, 363}}) {
    hw::System system = system_of(b.instance);
    auto& net = system.knobs.net;
    net.eff_link.value = net.eff_hbm.value = 1;
    net.t_start_us.value = net.alpha_local_us.value = 0;
    const Communicator group = group_of(system, 1);
    const auto gbps = [&](Op op, Algorithm a) {
      const int64_t bytes = 64 * GiB;
      return static_cast<double>(bytes) * 1e-9 /
             time_of(group, op, bytes, {.inside = a}).total.value;
    };
    EXPECT_NEAR(gbps(Op::AllGather, Algorithm::Ring) / b.ring_ag, 1, 0.07);
    EXPECT_NEAR(gbps(Op::AllGather, Algorithm::KangaRing) / b.kanga_ag, 1, 0.07);
    EXPECT_NEAR(gbps(Op::ReduceScatter, Algorithm::Ring) / b.ring_rs, 1, 0.07);
    EXPECT_NEAR(gbps(Op::ReduceScatter, Algorithm::KangaRing) / b.kanga_rs, 1, 0.07);
  }
}

TEST(Collective, KangaRingIsBoundByMemoryOnTrn2AndByLinksOnTrn1) {
  EXPECT_EQ(
      time_of(group_of("trn2.48xlarge", 1), Op::AllGather, GiB, {.inside = Algorithm::Ring}).bound,
      Bound::Hbm);
  EXPECT_EQ(
      time_of(group_of("trn1.32xlarge", 1), Op::AllGather, GiB, {.inside = Algorithm::KangaRing})
          .bound,
      Bound::Link);
  EXPECT_EQ(time_of(group_of("trn2.48xlarge", 1), Op::AllReduce, 1024).bound, Bound::Latency);
}

TEST(Collective, AMeshLoadsEachLinkWithEightChunksOfAChip) {
  const Communicator group = group_of("trn2.48xlarge", 1);
  const GraphLoads& loads = group.layout().places.front().loads;
  EXPECT_DOUBLE_EQ(loads.mesh.ns_per_byte * 128, 8);
  EXPECT_DOUBLE_EQ(loads.ring.ns_per_byte * 128, 0.25);
  EXPECT_EQ(loads.mesh.hops.chips, 3);
}

// Published samples: size in bytes, time in us.
struct Sample {
  int64_t bytes;
  double us;
};

void expect_within(const Communicator& group, Op op, std::initializer_list<Sample> samples,
                   double band) {
  for (const Sample& s : samples) {
    const double us = time_of(group, op, s.bytes).total.us();
    EXPECT_LT(std::abs(us / s.us - 1), band) << s.bytes << " B: " << us << " us for " << s.us;
  }
}

// T10
TEST(Collective, PublishedSamplesOfTheNewRuntimeAreWithinAQuarter) {
  // M4: 32 ranks of a trn1 node; M5: 8 ranks of trn2.
  expect_within(group_of(system_of("trn1.32xlarge", "2026"), 1), Op::AllGather,
                {{1 << 10, 6.16}, {1 << 13, 6.48}, {1 << 16, 8.17}, {1 << 19, 23.16}}, 0.25);
  const auto alone = make_cluster(system_of("trn2.48xlarge", "2025"), 1);
  const std::vector<int64_t> eight = {0, 1, 2, 3, 4, 5, 6, 7};
  expect_within(*Communicator::make(*alone, eight), Op::AllGather,
                {{1 << 10, 10.0}, {1 << 13, 10.22}, {1 << 16, 11.31}, {1 << 19, 14.83}}, 0.25);
  // M9: four groups of 16 ranks at once.
  expect_within(group_of(system_of("trn2.48xlarge", "2024"), 1, {16, 1}), Op::AllReduce,
                {{1 << 10, 101}, {1 << 16, 103}, {1 << 18, 107}, {1 << 20, 118}}, 0.25);
}

// T11
TEST(Collective, AGibibyteOverTwoTrn1NodesTakesAbout42Milliseconds) {
  const Communicator group = group_of(system_of("trn1.32xlarge", "2022"), 2);
  const CollectiveTime time = time_of(group, Op::AllReduce, GiB);
  EXPECT_NEAR(time.total.us(), 41'806, 0.3 * 41'806);
  EXPECT_TRUE(time.selection.flat);
  EXPECT_EQ(time.bound, Bound::Efa);
  // EFA alone, without losses: the buffer over 100 GB/s.
  hw::System ideal = system_of("trn1.32xlarge");
  auto& net = ideal.knobs.net;
  net.eff_efa_all.value = net.congestion_ring.value = 1;
  net.alpha_net_us.value = net.t_start_us.value = 0;
  const CollectiveTime far =
      time_of(group_of(ideal, 2, {2, 32}), Op::AllReduce, GiB / 32, {.across = Algorithm::Ring});
  EXPECT_NEAR(far.total.us(), 10.7e3, 0.2e3);  // and the sums in memory
}

TEST(Collective, HierarchyBeatsAFlatRingOnManyNodes) {
  const Communicator group = group_of("trn2.48xlarge", 64);
  const Request request{Op::AllReduce, 64 * MiB};
  Request flat = request;
  flat.choice.flat = true;
  EXPECT_LT(collective_time(group, request)->total, collective_time(group, flat)->total);
}

TEST(Collective, AnOddNumberOfNodesIsSplitIntoAPowerOfTwoAndPrimeFactors) {
  const Communicator group = group_of("trn2.48xlarge", 5120);  // 81,920 chips
  const CollectiveTime time = time_of(group, Op::AllReduce, GiB);
  EXPECT_EQ(text(time.selection), "hier (kangaring + rdh)");
  EXPECT_EQ(time.steps, 2 * (31 + 10 + 4));
  // 2 x 5 x 5 x 5 x 5 x 5: no ring of 3,125 instances.
  const CollectiveTime large = time_of(group_of("trn2.48xlarge", 6250), Op::AllReduce, GiB);
  EXPECT_EQ(large.steps, 2 * (31 + 1 + 5 * 4));
}

TEST(Collective, SiblingGroupsShareLinksMemoryAndNics) {
  const auto cluster = make_cluster(system_of("trn2.48xlarge"), 2);
  std::vector<int64_t> alone;
  for (int64_t i = 0; i < 16; ++i) alone.push_back(4 * i);  // one rank of each chip
  const Communicator one = *Communicator::make(*cluster, alone);
  const Communicator four = *Communicator::make(*cluster, Grid{16, 4});
  EXPECT_EQ(four.siblings(), 4);
  const Choice ring{.inside = Algorithm::Ring};
  const double ratio = time_of(four, Op::AllGather, GiB, ring).transfer /
                       time_of(one, Op::AllGather, GiB, ring).transfer;
  EXPECT_NEAR(ratio, 4, 0.01);
}

TEST(Collective, CostNeverLosesToTheDocumentedChoice) {
  for (const char* instance :
       {"trn1.32xlarge", "trn2.48xlarge", "trn3-gen2-ultraserver", "p5.48xlarge", "tpu-v5e-pod"}) {
    for (const int64_t nodes : {1, 4, 6}) {
      const Communicator group = group_of(instance, nodes);
      for (const Op op : {Op::AllReduce, Op::AllGather, Op::AllToAll}) {
        for (int64_t bytes = group.ranks() * 64; bytes < 4 * GiB; bytes *= 64) {
          const CollectiveTime best = time_of(group, op, bytes, {.rule = Choice::Rule::Cost});
          EXPECT_LE(best.total, time_of(group, op, bytes).total) << instance << " " << bytes;
        }
      }
    }
  }
}

TEST(Collective, MoreBytesNeverTakeLess) {
  for (const char* instance : {"trn1.32xlarge", "trn2-ultraserver", "trn3-gen1-ultraserver"}) {
    for (const Algorithm a :
         {Algorithm::Ring, Algorithm::KangaRing, Algorithm::Mesh, Algorithm::Rdh}) {
      const Communicator group = group_of(instance, 2);
      Seconds last;
      for (int64_t bytes = 512; bytes < 8 * GiB; bytes *= 2) {
        const Seconds now = time_of(group, Op::AllReduce, bytes, {.inside = a}).total;
        EXPECT_GE(now, last);
        last = now;
      }
    }
  }
}

TEST(Collective, PeersReachTheirPublishedBusBandwidth) {
  const auto bus = [](const char* instance, int64_t nodes) {
    const Communicator group = group_of(instance, nodes);
    const CollectiveTime t = time_of(group, Op::AllReduce, GiB, {.rule = Choice::Rule::Cost});
    return static_cast<double>(GiB) * 1e-9 / t.total.value *
           bus_factor(Op::AllReduce, group.ranks());
  };
  EXPECT_NEAR(bus("p4d.24xlarge", 1), 230, 0.15 * 230);
  EXPECT_NEAR(bus("p4d.24xlarge", 2), 57, 0.5 * 57);
}

TEST(Collective, OneRankNeedsNoTime) {
  const Communicator group = group_of("trn2.48xlarge", 1, {1, 1});
  EXPECT_EQ(time_of(group, Op::AllReduce, GiB).total, Seconds{});
}

TEST(Collective, BusFactorsAreThoseOfTheTool) {
  EXPECT_DOUBLE_EQ(bus_factor(Op::AllReduce, 64), 2.0 * 63 / 64);
  EXPECT_DOUBLE_EQ(bus_factor(Op::AllGather, 32), 31.0 / 32);
  EXPECT_DOUBLE_EQ(bus_factor(Op::Permute, 32), 1);
}

TEST(Collective, NamesRoundTrip) {
  for (int i = 0; i < kOpCount; ++i)
    EXPECT_EQ(parse_op(name(static_cast<Op>(i))), static_cast<Op>(i));
  EXPECT_EQ(parse_op("allr"), Op::AllReduce);
  EXPECT_EQ(parse_op("redsct"), Op::ReduceScatter);
  EXPECT_EQ(parse_op("all"), std::nullopt);
  EXPECT_EQ(parse_algorithm("kangaring"), Algorithm::KangaRing);
}

std::string refusal(const Result<Communicator>& group) {
  return group ? "accepted" : group.status().str();
}

// T18
TEST(Communicators, AnAsymmetricGroupIsRefusedWithTheNodeThatDiffers) {
  const auto cluster = make_cluster(system_of("trn2.48xlarge"), 3);
  const std::vector<int64_t> ranks = {0, 1, 64, 65, 128, 130};
  EXPECT_EQ(refusal(Communicator::make(*cluster, ranks)),
            "TY-NET-003  asymmetric group: node 2 has local ranks 0,2, node 0 has 0,1; the runtime "
            "takes groups with the same local ranks on every node");
}

TEST(Communicators, RanksThatDoNotExistOrStandTwiceAreRefused) {
  const auto cluster = make_cluster(system_of("trn2.48xlarge"), 1);
  EXPECT_EQ(refusal(Communicator::make(*cluster, std::vector<int64_t>{0, 64})),
            "TY-NET-004  rank 64 does not exist; the cluster has ranks 0 to 63");
  EXPECT_EQ(refusal(Communicator::make(*cluster, std::vector<int64_t>{3, 3})),
            "TY-NET-004  rank 3 stands twice in the group");
  EXPECT_EQ(refusal(Communicator::make(*cluster, std::vector<int64_t>{})),
            "TY-NET-004  a group needs at least one rank");
}

TEST(Communicators, GroupsThatDoNotFitAreRefused) {
  const auto cluster = make_cluster(system_of("trn2.48xlarge"), 2);
  EXPECT_EQ(
      refusal(Communicator::make(*cluster, Grid{48, 1})),
      "TY-NET-002  groups of 48 ranks with stride 1 do not tile 128 ranks; size x stride must "
      "divide the ranks");
  const auto six = make_cluster(system_of("trn2.48xlarge"), 6);
  EXPECT_EQ(refusal(Communicator::make(*six, Grid{96, 1})),
            "TY-NET-002  groups of 96 ranks with stride 1 lie unevenly on instances of 64 ranks; "
            "choose sizes that divide 64 or are multiples of it");
  EXPECT_EQ(refusal(Communicator::make(*cluster, std::vector<int64_t>{0, 1, 4})),
            "TY-NET-002  a group has 1 ranks on chip 1 and 2 on chip 0; give every chip the same");
  EXPECT_EQ(Communicator::make(*cluster, Grid{-1, 1}).status().code(), "TY-NET-002");
  EXPECT_EQ(Communicator::make(*cluster, Grid{2, 0}).status().code(), "TY-NET-002");
}

TEST(Communicators, GridsOfAParallelLayoutLieAsExpected) {
  const hw::System system = system_of("trn2.48xlarge");
  const Communicator tp = group_of(system, 8, {8, 1});  // two chips
  EXPECT_EQ(tp.local(), 8);
  EXPECT_EQ(tp.siblings(), 8);
  const Communicator dp = group_of(system, 8, {64, 8});
  EXPECT_EQ(dp.nodes(), 8);
  EXPECT_EQ(dp.local(), 8);
  EXPECT_EQ(dp.siblings(), 8);
  const Communicator pp = group_of(system, 8, {2, 256});
  EXPECT_EQ(pp.nodes(), 2);
  EXPECT_EQ(pp.local(), 1);
  EXPECT_EQ(pp.siblings(), 64);
}

TEST(Communicators, ClustersThatCannotBeAreRefused) {
  const hw::System trn2 = system_of("trn2.48xlarge");
  EXPECT_EQ(make_cluster(trn2, 0).status().code(), "TY-NET-001");
  EXPECT_EQ(make_cluster(trn2, 1, 3).status().str(),
            "TY-NET-001  LNC 3: Trainium2 allows 1 to 2, dividing its 8 cores");
  EXPECT_EQ(make_cluster(system_of("trn1.32xlarge"), 1, 2).status().code(), "TY-NET-001");
  EXPECT_EQ(make_cluster(trn2, 1, 1)->ranks(), 128);
  EXPECT_EQ(make_cluster(trn2, 1)->ranks(), 64);
}

TEST(Collective, BytesThatCannotBeDividedAreRefused) {
  const Communicator group = group_of("trn2.48xlarge", 1);
  EXPECT_EQ(collective_time(group, {Op::AllGather, 100}).status().str(),
            "TY-NET-005  all_gather of 100 bytes over 64 ranks: the size must be a multiple of 64");
  EXPECT_EQ(collective_time(group, {Op::AllReduce, 0}).status().code(), "TY-NET-005");
  EXPECT_TRUE(collective_time(group, {Op::AllReduce, 4}));
}

}  // namespace
}  // namespace trainyard::cluster
