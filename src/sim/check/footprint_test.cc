#include "sim/check/footprint.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <set>

namespace trainyard::sim::hazard {
namespace {

isa::Access access(std::vector<isa::Dim> dims, isa::Dtype dtype = isa::Dtype::F32) {
  isa::Access a;
  a.dtype = dtype;
  a.dims = std::move(dims);
  return a;
}

using Runs = std::vector<Run>;

TEST(Footprint, AMatrixReadByRowsOrByColumnsIsTheSameRange) {
  EXPECT_EQ(footprint(access({{16, 4}, {1, 16}})).runs, (Runs{{0, 256}}));
  EXPECT_EQ(footprint(access({{1, 16}, {16, 4}})).runs, (Runs{{0, 256}}));
}

TEST(Footprint, StepZeroRepeatsAndBackwardStepsReachBack) {
  EXPECT_EQ(footprint(access({{0, 128}, {1, 4}})).runs, (Runs{{0, 16}}));
  EXPECT_EQ(footprint(access({{-1, 4}})).runs, (Runs{{-12, 4}}));
}

TEST(Footprint, ATileOfAMatrixIsARunPerRow) {
  EXPECT_EQ(footprint(access({{100, 3}, {1, 10}}, isa::Dtype::BF16)).runs,
            (Runs{{0, 20}, {200, 220}, {400, 420}}));
}

TEST(Footprint, OverlappingWindowsAreOneRange) {
  EXPECT_EQ(footprint(access({{1, 8}, {1, 3}})).runs, (Runs{{0, 40}}));
}

TEST(Footprint, TooManyPiecesBecomeTheirHull) {
  const Footprint f = footprint(access({{2, 1 << 20}}));
  EXPECT_FALSE(f.exact);
  EXPECT_EQ(f.runs, (Runs{{0, 4 * (2 * ((int64_t{1} << 20) - 1) + 1)}}));
}

TEST(Footprint, RandomPatternsTouchWhatCountingThroughThemTouches) {
  std::mt19937 random(2);
  for (int round = 0; round < 500; ++round) {
    std::vector<isa::Dim> dims;
    for (size_t n = random() % 4; n > 0; --n)
      dims.push_back(
          {static_cast<int64_t>(random() % 15) - 7, 1 + static_cast<int64_t>(random() % 5)});
    const isa::Access a = access(dims, random() % 2 ? isa::Dtype::F32 : isa::Dtype::U8);
    std::set<int64_t> bytes, got;
    const std::function<void(size_t, int64_t)> count = [&](size_t dim, int64_t element) {
      const int64_t size = numerics::size_of(a.dtype);
      if (dim == dims.size()) {
        for (int64_t b = 0; b < size; ++b) bytes.insert(element * size + b);
        return;
      }
      for (int64_t i = 0; i < dims[dim].count; ++i) count(dim + 1, element + i * dims[dim].step);
    };
    count(0, 0);
    const Footprint f = footprint(a);
    for (const hazard::Run& r : f.runs) {
      for (int64_t b = r.begin; b < r.end; ++b) got.insert(b);
    }
    EXPECT_EQ(got, bytes);
    // The same bytes in rows of 12.
    std::set<int64_t> in_rows;
    for (const Box& b : boxes_in_rows(f.runs, 5, 12)) {
      for (int64_t row = b.row; row < b.row_end; ++row) {
        for (int64_t c = b.begin; c < b.end; ++c)
          EXPECT_TRUE(in_rows.insert(row * 12 + c - 5).second) << "twice";
      }
    }
    EXPECT_EQ(in_rows, bytes);
  }
}

TEST(Footprint, ATileOfAMatrixInItsRowsIsOneRectangle) {
  const Footprint f = footprint(access({{4096, 128}, {1, 512}}));
  EXPECT_EQ(boxes_in_rows(f.runs, 1024, 4 * 4096), (std::vector<Box>{{0, 128, 1024, 3072}}));
}

}  // namespace
}  // namespace trainyard::sim::hazard
