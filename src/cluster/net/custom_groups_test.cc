// Groups and pairs that a user lists one by one.
#include <gtest/gtest.h>

#include <cstring>

#include "cluster/net/execute.h"
#include "cluster/net/flow.h"

namespace trainyard::cluster {
namespace {

using Groups = std::vector<std::vector<int64_t>>;

Cluster nodes_of(int64_t nodes) { return *make_cluster(*hw::find_system("trn2.48xlarge"), nodes); }

std::string refusal(const Result<Communicator>& group) {
  return group ? "accepted" : group.status().str();
}

// Both grains and what they share, for any operation.
void expect_same_times(const Communicator& a, const Communicator& b, Op op, int64_t bytes) {
  EXPECT_EQ(a.ranks(), b.ranks());
  EXPECT_EQ(a.siblings(), b.siblings());
  EXPECT_EQ(collective_time(a, {op, bytes})->total, collective_time(b, {op, bytes})->total);
  EXPECT_EQ(simulate(a, {op, bytes})->total, simulate(b, {op, bytes})->total);
}

TEST(CustomGroups, ListedGroupsTakeAsLongAsTheGridTheyAre) {
  const Cluster two = nodes_of(2);
  Groups rows, columns;
  for (int64_t g = 0; g < 8; ++g) {
    for (int64_t i = 0; i < 16; ++i) {
      if (i == 0) rows.emplace_back();
      rows.back().push_back(16 * g + i);
    }
  }
  for (int64_t g = 0; g < 64; ++g) columns.push_back({g, 64 + g});
  expect_same_times(*Communicator::make(two, rows), *Communicator::make(two, Grid{16, 1}),
                    Op::AllReduce, 64 * MiB);
  expect_same_times(*Communicator::make(two, columns), *Communicator::make(two, Grid{2, 64}),
                    Op::AllGather, 64 * MiB);
}

TEST(CustomGroups, GroupsOnDifferentShapesOfChipsRunTogether) {
  // A row of four chips, a square of four chips, and four chips that no cycle joins.
  const auto on = [](std::vector<int64_t> chips) {
    std::vector<int64_t> ranks;
    for (const int64_t chip : chips) {
      for (int64_t i = 0; i < 4; ++i) ranks.push_back(4 * chip + i);
    }
    return ranks;
  };
  const Groups groups = {on({0, 1, 2, 3}), on({4, 5, 8, 9}), on({6, 10, 14, 15})};
  const auto group = Communicator::make(nodes_of(1), groups);
  ASSERT_TRUE(group) << group.status().str();
  EXPECT_EQ(group->siblings(), 3);
  for (const Algorithm a : {Algorithm::Ring, Algorithm::KangaRing, Algorithm::Mesh}) {
    const Request request{Op::AllReduce, 64 * MiB, {.inside = a}};
    const double ratio = simulate(*group, request)->total / collective_time(*group, request)->total;
    EXPECT_NEAR(ratio, 1, 0.1) << name(a);
  }
  // The third group is no hypercube, so none of them doubles along axes.
  EXPECT_EQ(
      collective_time(*group, {Op::AllReduce, MiB, {.inside = Algorithm::Rdh}}).status().code(),
      "TY-NET-006");
}

TEST(CustomGroups, UnequalOrSharedGroupsAreRefused) {
  const Cluster two = nodes_of(2);
  EXPECT_EQ(refusal(Communicator::make(two, Groups{{0, 1}, {2, 3, 4, 5}})),
            "TY-NET-002  groups of 2 ranks on 1 instances and of 4 on 1: groups that run together "
            "must be equal");
  EXPECT_EQ(refusal(Communicator::make(two, Groups{{0, 1}, {1, 2}})),
            "TY-NET-004  rank 1 stands in two groups");
  EXPECT_EQ(refusal(Communicator::make(two, Groups{{0, 1}, {66, 67}})),
            "TY-NET-002  instance 1 holds other groups than instance 0; use the same local ranks "
            "on every instance");
  EXPECT_EQ(refusal(Communicator::make(two, Groups{{0, 65}})),
            "TY-NET-003  asymmetric group: node 1 has local ranks 1, node 0 has 0; the runtime "
            "takes groups with the same local ranks on every node");
  EXPECT_EQ(refusal(Communicator::make(two, Groups{{0, 1}, {4, 8}})),
            "TY-NET-002  groups have 2 and 1 ranks on a chip; give all the same");
  EXPECT_EQ(refusal(Communicator::make(two, Groups{})), "TY-NET-004  there are no groups");
}

TEST(CustomPairs, DataGoesToTheListedRankAndIdleRanksGetNothing) {
  // A swap inside a chip, a ring over four chips, one rank to itself.
  const std::vector<Pair> pairs = {{1, 2}, {2, 1}, {0, 4}, {4, 20}, {20, 16}, {16, 0}, {63, 63}};
  const auto group = Communicator::make(nodes_of(1), pairs);
  ASSERT_TRUE(group) << group.status().str();
  const auto program = make_program(group->layout(), Op::Permute, {.inside = Algorithm::Ring});
  ASSERT_TRUE(program) << program.status().str();
  std::vector<Buffer> in;
  for (int r = 0; r < 64; ++r) in.emplace_back(3, static_cast<std::byte>(r));
  const auto out = execute(*program, numerics::Dtype::U8, in);
  ASSERT_TRUE(out) << out.status().str();
  std::vector<Buffer> expected(64);
  for (const auto& [from, to] : pairs) {
    expected[static_cast<size_t>(to)] = in[static_cast<size_t>(from)];
  }
  EXPECT_TRUE(*out == expected);
}

TEST(CustomPairs, BothGrainsAgreeAndSharedLinksTakeLonger) {
  const std::vector<Pair> one = {{0, 4}, {4, 0}};
  const std::vector<Pair> four = {{0, 4}, {4, 0}, {1, 5}, {5, 1}, {2, 6}, {6, 2}, {3, 7}, {7, 3}};
  std::vector<Seconds> times;
  for (const auto& pairs : {one, four}) {
    const Communicator group = *Communicator::make(nodes_of(1), pairs);
    const Request request{Op::Permute, 32 * MiB};
    const Seconds closed = collective_time(group, request)->total;
    EXPECT_NEAR(simulate(group, request)->total / closed, 1, 0.01);
    times.push_back(closed);
  }
  EXPECT_NEAR(times[1] / times[0], 4, 0.1);  // four senders on the link of chips 0 and 1
}

TEST(CustomPairs, OpenRingsAndDistantChipsAreRefused) {
  const auto refused = [](std::vector<Pair> pairs) {
    return refusal(Communicator::make(nodes_of(2), pairs));
  };
  EXPECT_EQ(refused({{0, 1}}),
            "TY-NET-010  rank 0 sends and never receives: pairs must form closed rings");
  EXPECT_EQ(refused({{0, 1}, {0, 2}}), "TY-NET-010  0 -> 2: rank 0 sends twice");
  EXPECT_EQ(refused({{0, 1}, {2, 1}}), "TY-NET-010  2 -> 1: rank 1 receives twice");
  EXPECT_EQ(refused({{0, 8}, {8, 0}}),
            "TY-NET-010  0 -> 8: no link joins chips 0 and 2; the runtime permutes only between "
            "neighbours");
  EXPECT_EQ(refused({{0, 64}, {64, 0}}),
            "TY-NET-010  0 -> 64: pairs join ranks of one instance, here 0 to 63; a permute "
            "follows links between chips");
  EXPECT_EQ(refused({}), "TY-NET-010  there are no pairs of ranks");
}

}  // namespace
}  // namespace trainyard::cluster
