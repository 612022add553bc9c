// Both grains of time over all operations, algorithms, sizes and shapes of group.
#include <gtest/gtest.h>

#include "cluster/net/grains_test_case.h"

namespace trainyard::cluster {
namespace {

constexpr Op kOps[] = {Op::AllGather, Op::ReduceScatter, Op::AllReduce, Op::AllToAll,
                       Op::Permute,   Op::Broadcast,     Op::SendRecv};
constexpr Algorithm kAll[] = {Algorithm::Ring, Algorithm::KangaRing, Algorithm::Mesh,
                              Algorithm::Rdh, Algorithm::SingleStep};
constexpr int64_t kSizes[] = {64 * KiB, 16 * MiB, 1 * GiB};

TEST(Flow, TheGrainsAgreeInsideADomain) {
  int ran = 0;
  for (const char* instance :
       {"trn1.32xlarge", "trn2.48xlarge", "trn2-ultraserver", "trn3-gen1-ultraserver",
        "inf2.48xlarge", "p5.48xlarge", "8xmi300x"}) {
    for (const Op op : kOps) {
      for (const Algorithm a : kAll) {
        for (const int64_t bytes : kSizes) {
          // A ring of 256 ranks has too many steps for a quick test of its small sizes.
          const bool large = std::string_view(instance).find("ultra") != std::string_view::npos;
          if (large && (a == Algorithm::SingleStep || op == Op::AllToAll || bytes < MiB)) continue;
          const int64_t size = bytes / 24 * 24;
          const int64_t even = std::string_view(instance) == "inf2.48xlarge" ? size : bytes;
          if (expect_grains_agree(instance, 1, {}, {op, even, {.inside = a}})) ++ran;
        }
      }
    }
  }
  EXPECT_GT(ran, 250);
}

TEST(Flow, TheGrainsAgreeOnPartsOfANode) {
  for (const Grid grid : {Grid{2, 1}, Grid{4, 1}, Grid{8, 1}, Grid{16, 1}, Grid{32, 1}, Grid{16, 4},
                          Grid{4, 16}, Grid{8, 8}}) {
    for (const Op op : {Op::AllGather, Op::ReduceScatter, Op::AllReduce}) {
      for (const Algorithm a : kAll) {
        for (const int64_t bytes : kSizes) {
          expect_grains_agree("trn2.48xlarge", 1, grid, {op, bytes, {.inside = a}});
        }
      }
    }
  }
}

TEST(Flow, TheGrainsAgreeOn128Ranks) {
  const auto cluster = make_cluster(*hw::find_system("trn2.48xlarge"), 1, 1);
  for (const Grid grid : {Grid{128, 1}, Grid{64, 1}, Grid{32, 4}, Grid{16, 8}}) {
    const auto group = Communicator::make(*cluster, grid);
    for (const Op op : {Op::AllGather, Op::ReduceScatter, Op::AllReduce}) {
      for (const Algorithm a :
           {Algorithm::Ring, Algorithm::KangaRing, Algorithm::Mesh, Algorithm::Rdh}) {
        for (const int64_t bytes : kSizes) {
          const Request request{op, bytes, {.inside = a}};
          const auto closed = collective_time(*group, request);
          if (!closed) continue;
          EXPECT_NEAR(flow(*group, request).total / closed->total, 1, 0.1)
              << name(op) << " " << name(a) << " of " << bytes << " B, size " << grid.size;
        }
      }
    }
  }
}

TEST(Flow, TheGrainsAgreeAcrossNodes) {
  for (const int64_t nodes : {2, 4, 6, 64}) {
    for (const Op op : kOps) {
      for (const Algorithm across : kAll) {
        for (const int64_t bytes : {int64_t{1} << 20, int64_t{1} << 30}) {
          const int64_t even = bytes / (64 * nodes) * (64 * nodes);
          expect_grains_agree("trn2.48xlarge", nodes, {}, {op, even, {.across = across}});
        }
      }
    }
  }
  expect_grains_agree("trn1.32xlarge", 2, {}, {Op::AllReduce, GiB, {.flat = true}});
  expect_grains_agree("trn1.32xlarge", 4, {}, {Op::AllGather, GiB, {.flat = true}});
  expect_grains_agree("trn2.48xlarge", 16, {16, 64}, {Op::AllReduce, 64 * MiB, {}});
}

}  // namespace
}  // namespace trainyard::cluster
