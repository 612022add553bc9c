#include "sim/check/cells.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>

namespace trainyard::sim::hazard {
namespace {

TEST(Cells, AnAccessThatComesBackFindsItsRectangle) {
  Cells<int> cells;
  for (int turn = 0; turn < 100; ++turn) {
    for (int64_t tile = 0; tile < 4; ++tile) {
      int found = 0;
      cells.visit({0, 128, 64 * tile, 64 * tile + 64}, [&](const Box&, int& n) {
        EXPECT_EQ(n++, turn);
        ++found;
      });
      EXPECT_EQ(found, 1);
    }
  }
  EXPECT_EQ(cells.size(), 4);
}

TEST(Cells, ABackwardWalkOverManyTilesTakesAsLongAsAForwardOne) {
  constexpr int64_t kTiles = 200'000;  // quadratic work here would take minutes
  Cells<std::array<int64_t, 16>> cells;
  for (int64_t tile = kTiles; tile-- > 0;)
    cells.visit({tile, tile + 1, 0, 64}, [&](const Box&, auto& n) { n[0] = tile; });
  for (int64_t tile = kTiles; tile-- > 0;)
    cells.visit({0, 128, 1024 + 64 * tile, 1088 + 64 * tile}, [](const Box&, auto&) {});
  EXPECT_EQ(cells.size(), 2 * kTiles);
  cells.look({5, 6, 0, 64}, [](const Box&, const auto& n) { EXPECT_EQ(n[0], 5); });
}

TEST(Cells, APartialAccessSplitsOnlyWhatItTouches) {
  Cells<int> cells;
  cells.visit({0, 4, 0, 16}, [](const Box&, int& n) { n = 1; });
  cells.visit({1, 2, 4, 8}, [](const Box& box, int& n) {
    EXPECT_EQ(box, (Box{1, 2, 4, 8}));
    EXPECT_EQ(n, 1);
    n = 2;
  });
  EXPECT_EQ(cells.size(), 5);  // left, right, and three in the column between
  int64_t ones = 0;
  cells.look({0, 4, 0, 16}, [&](const Box& b, int n) {
    if (n == 1) ones += (b.row_end - b.row) * (b.end - b.begin);
  });
  EXPECT_EQ(ones, 4 * 16 - 4);
}

TEST(Cells, WhatNobodyTouchedIsFresh) {
  Cells<int> cells(7);
  cells.visit({0, 1, 10, 20}, [](const Box&, int& n) { n = 1; });
  std::vector<int> seen;
  cells.visit({0, 1, 0, 30}, [&](const Box&, int& n) { seen.push_back(n); });
  EXPECT_EQ(seen, (std::vector<int>{7, 1, 7}));
}

TEST(Cells, RandomAccessesAgreeWithOneCounterPerByte) {
  std::mt19937 random(1);
  Cells<int> cells;
  std::map<std::pair<int64_t, int64_t>, int> bytes;
  const auto range = [&](int64_t n) {
    const auto a = static_cast<int64_t>(random() % n), b = static_cast<int64_t>(random() % n);
    return std::pair(std::min(a, b), std::max(a, b) + 1);
  };
  for (int round = 1; round < 400; ++round) {
    const auto [row, row_end] = range(8);
    const auto [begin, end] = range(40);
    int64_t covered = 0;
    cells.visit({row, row_end, begin, end}, [&](const Box& b, int& n) {
      for (int64_t r = b.row; r < b.row_end; ++r) {
        for (int64_t c = b.begin; c < b.end; ++c, ++covered) EXPECT_EQ((bytes[{r, c}]), n);
      }
      n = round;
    });
    EXPECT_EQ(covered, (row_end - row) * (end - begin));
    for (int64_t r = row; r < row_end; ++r) {
      for (int64_t c = begin; c < end; ++c) bytes[{r, c}] = round;
    }
  }
}

}  // namespace
}  // namespace trainyard::sim::hazard
