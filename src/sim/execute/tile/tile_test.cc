// Views, strips, copies and reductions on small arrays. tests/conformance compares whole
// instructions with NumPy.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numeric>

#include "numerics/simd.h"
#include "sim/execute/tile/copy.h"
#include "sim/execute/tile/elementwise.h"
#include "sim/execute/tile/lanes.h"
#include "sim/execute/tile/reduce.h"
#include "sim/execute/tile/strip.h"

namespace trainyard::sim {
namespace {

std::vector<float> ramp(size_t n) {
  std::vector<float> values(n);
  std::iota(values.begin(), values.end(), 0.0f);
  return values;
}
std::byte* bytes(std::vector<float>& values) { return reinterpret_cast<std::byte*>(values.data()); }

TEST(Pattern, NeighbouringDimsBecomeOne) {
  const Pattern p = make_pattern(Dtype::F32, 2, 96, {{32, 3}, {16, 2}, {0, 1}, {4, 4}});
  EXPECT_EQ(p.dims, (std::vector<Stride>{{4, 24}}));
  EXPECT_EQ(p.count, 24);
  EXPECT_TRUE(p.dense);
  EXPECT_FALSE(make_pattern(Dtype::F32, 1, 0, {{16, 2}, {8, 2}}).dense);
}

TEST(Pattern, RowsWithoutGapsFoldIntoOne) {
  Pattern a = make_pattern(Dtype::F32, 4, 32, {{4, 8}});
  Pattern b = make_pattern(Dtype::F32, 4, 64, {{4, 8}});
  EXPECT_FALSE(fold_rows({&a, &b})) << "b has gaps";
  EXPECT_EQ(a.rows, 4);
  EXPECT_TRUE(fold_rows({&a}));
  EXPECT_EQ(a.rows, 1);
  EXPECT_EQ(a.count, 32);
}

TEST(Strip, AGatherStartsAnywhereAndWalksBackwardsAndBroadcasts) {
  std::vector<float> x = ramp(24);
  const Pattern p = make_pattern(Dtype::F32, 1, 0, {{0, 2}, {-16, 3}, {4, 2}});
  std::vector<float> out(7);
  gather(p, bytes(x) + 4 * 8, 3, 7, out.data());
  EXPECT_EQ(out, (std::vector<float>{5, 0, 1, 8, 9, 4, 5}));
}

TEST(Copy, PatternsWithoutACommonRefinementGoThroughStrips) {
  std::vector<float> x = ramp(40), y(40, -1.0f);
  const Pattern to = make_pattern(Dtype::F32, 1, 0, {{32, 2}, {4, 6}});    // 2 x 6 with gaps
  const Pattern from = make_pattern(Dtype::F32, 1, 0, {{20, 3}, {4, 4}});  // 3 x 4 with gaps
  const CopyPlan plan = plan_copy(to, from);
  EXPECT_TRUE(plan.loops.empty());
  ExecContext context;
  run_copy(plan, bytes(y), bytes(x), context);
  EXPECT_EQ(std::vector<float>(y.begin(), y.begin() + 6), (std::vector<float>{0, 1, 2, 3, 5, 6}));
  EXPECT_EQ(y[6], -1.0f);
  EXPECT_EQ(std::vector<float>(y.begin() + 8, y.begin() + 14),
            (std::vector<float>{7, 8, 10, 11, 12, 13}));
}

TEST(Copy, RowsOnBothSidesAreOneLoopOfRuns) {
  const Pattern to = make_pattern(Dtype::BF16, 128, 1024, {{2, 256}});
  const Pattern from = make_pattern(Dtype::BF16, 1, 0, {{8192, 128}, {2, 256}});
  EXPECT_EQ(plan_copy(to, from).loops, (std::vector<CopyLoop>{{128, 1024, 8192}, {256, 2, 2}}));
}

TEST(Copy, ATransposeIsItsOwnInverse) {
  std::vector<float> x = ramp(35 * 20), y(x.size()), back(x.size());
  const Pattern a = make_pattern(Dtype::F32, 35, 80, {{4, 20}});
  const Pattern b = make_pattern(Dtype::F32, 20, 140, {{4, 35}});
  ExecContext context;
  run_copy(plan_transpose(b, a), bytes(y), bytes(x), context);
  EXPECT_EQ(y[3 * 35 + 7], x[7 * 20 + 3]);
  run_copy(plan_transpose(a, b), bytes(back), bytes(y), context);
  EXPECT_EQ(back, x);
}

class EveryLevel : public testing::TestWithParam<numerics::Simd> {
 protected:
  void SetUp() override { ASSERT_TRUE(numerics::force_simd(GetParam()).ok()); }
  void TearDown() override { numerics::unforce_simd(); }
};
INSTANTIATE_TEST_SUITE_P(Simd, EveryLevel, testing::ValuesIn(numerics::usable_simd()),
                         [](const auto& info) { return std::string(name(info.param)); });

TEST_P(EveryLevel, LanesAddInTheOrderThatIsWrittenDown) {
  for (const int64_t n : {1, 5, 15, 16, 17, 31, 33, 100, 1000}) {
    std::vector<float> x(n);
    for (int64_t i = 0; i < n; ++i) x[i] = std::sin(static_cast<float>(7 * i + 1));
    std::array<float, 16> lanes{};
    for (int64_t i = 0; i < n; ++i) lanes[i % 16] = i < 16 ? x[i] : x[i] + lanes[i % 16];
    int64_t used = std::min<int64_t>(n, 16);
    for (int64_t step = 8; step >= 1; step /= 2) {
      for (int64_t j = 0; j < step && j + step < used; ++j) lanes[j] = lanes[j] + lanes[j + step];
      used = std::min(used, step);
    }
    LaneReduction sum({.op = AluOp::Add});
    sum.take(x.data(), n);
    EXPECT_EQ(sum.result(), lanes[0]) << n;
    LaneReduction parts({.op = AluOp::Add});
    const int64_t first = std::min<int64_t>(n, 48) / 16 * 16;
    if (first > 0) parts.take(x.data(), first);
    parts.take(x.data() + first, n - first);
    EXPECT_EQ(parts.result(), lanes[0]) << "in parts, " << n;
  }
}

TEST_P(EveryLevel, MaxKeepsOrDropsNan) {
  const float nan = std::nanf("");
  const std::vector<float> a = {1, nan, 2, nan, 0.0f}, b = {2, 3, nan, nan, -0.0f};
  std::vector<float> y(5);
  alu_tiles({.op = AluOp::Max, .propagate_nan = true}, a.data(), b.data(), y.data(), 5);
  EXPECT_EQ(y[0], 2.0f);
  EXPECT_TRUE(std::isnan(y[1]) && std::isnan(y[2]) && std::isnan(y[3]));
  EXPECT_TRUE(std::signbit(y[4])) << "a tie gives the second operand";
  alu_tiles({.op = AluOp::Max, .propagate_nan = false}, a.data(), b.data(), y.data(), 5);
  EXPECT_EQ(y[1], 3.0f);
  EXPECT_EQ(y[2], 2.0f);
  EXPECT_TRUE(std::isnan(y[3]));
}

TEST_P(EveryLevel, TwoOperatorsRoundTwice) {
  // 1 + 2^-12 squared, minus 1: the product loses its last bit before the subtraction.
  const float x = 1.0f + 0x1p-12f;
  float y = 0;
  alu_numbers({.op = AluOp::Multiply}, x, {.op = AluOp::Subtract}, 1.0f, &x, &y, 1);
  EXPECT_EQ(y, 0x1p-11f);
}

TEST(Reduce, SegmentsAcrossRowsHaveTheBitsOfSegmentsAlongThem) {
  constexpr int64_t kSegments = 300, kRows = 2;
  for (const int64_t length : {2, 3, 7, 9, 16}) {
    std::vector<float> across(static_cast<size_t>(kRows * kSegments * length));
    for (size_t i = 0; i < across.size(); ++i) {
      across[i] = std::sin(static_cast<float>(i)) * std::exp2(static_cast<float>(i % 40));
    }
    across[5] = std::nanf("");
    std::vector<float> along(across.size());
    for (int64_t r = 0; r < kRows; ++r) {
      for (int64_t s = 0; s < kSegments; ++s) {
        for (int64_t k = 0; k < length; ++k) {
          along[static_cast<size_t>((r * kSegments + s) * length + k)] =
              across[static_cast<size_t>((r * length + k) * kSegments + s)];
        }
      }
    }
    const int64_t pitch = 4 * kSegments * length;
    const Pattern turned =
        make_pattern(Dtype::F32, kRows, pitch, {{4, kSegments}, {4 * kSegments, length}});
    const Pattern plain = make_pattern(Dtype::F32, kRows, pitch, {{4, kSegments * length}});
    const Pattern to = make_pattern(Dtype::F32, kRows, 4 * kSegments, {{4, kSegments}});
    for (const AluOp op : {AluOp::Add, AluOp::Multiply, AluOp::Max, AluOp::Min}) {
      std::vector<float> a(kRows * kSegments), b(kRows * kSegments);
      ExecContext context;
      const ReduceOp reduce{.stage = {.op = op}, .length = length};
      tensor_reduce(reduce, {bytes(a), &to}, {bytes(across), &turned}, context);
      tensor_reduce(reduce, {bytes(b), &to}, {bytes(along), &plain}, context);
      EXPECT_EQ(std::memcmp(a.data(), b.data(), a.size() * sizeof(float)), 0) << length;
    }
  }
}

}  // namespace
}  // namespace trainyard::sim
