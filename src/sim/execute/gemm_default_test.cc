// Default order: the fastest unit, within a bound of the exact sum, for every unit of the host and
// for a model of AMX.
#include <gtest/gtest.h>

#include <cmath>

#include "sim/execute/gemm_soft_tiles.h"
#include "sim/execute/gemm_test_oracle.h"

namespace trainyard::sim {
namespace {

using namespace test;

constexpr Dtype kNarrow[] = {Dtype::BF16, Dtype::F8E5M2, Dtype::F8E4M3, Dtype::F8E4M3FN,
                             Dtype::F8E3M4};

// The runners of the host, and AMX in software.
struct NamedRunner {
  std::string name;
  const GemmRunner* runner;
};

std::vector<NamedRunner> all_runners() {
  std::vector<NamedRunner> runners = {{"amx in software", &kSoftAmx}};
  for (GemmUnit unit : available_units())
    runners.push_back({std::string(name(unit)), &runner_of(unit)});
  return runners;
}

void multiply_on(const GemmRunner& runner, const Matrix& a, const Matrix& b,
                 std::vector<float>& dst, PsumWrite write) {
  const PackedA stationary(a.operand(), runner.layout);
  const PackedB moving(b.operand(), runner.layout);
  run_packed(stationary.tile, moving.tile, {dst.data(), b.columns()}, write, runner);
}

// Any order of k + 1 additions is off by at most about k + 1 roundings of the sum of magnitudes.
// Denormals read as zero lose less than 2^-126 times the other operand each.
void expect_within_bound(const Matrix& a, const Matrix& b, const std::vector<float>& psum,
                         const std::vector<float>& dst, const std::string& what) {
  for (size_t m = 0; m < a.columns(); ++m)
    for (size_t n = 0; n < b.columns(); ++n) {
      const double start = psum[m * b.columns() + n];
      double sum = start, magnitude = std::abs(start), flushed = 0x1p-126;
      for (size_t k = 0; k < a.k(); ++k) {
        const double x = a.value(k, m), y = b.value(k, n);
        sum += x * y;
        magnitude += std::abs(x * y);
        flushed += 0x1p-126 * (std::abs(x) + std::abs(y) + 1);
      }
      const double bound = (static_cast<double>(a.k()) + 2) * 0x1p-24 * 1.01 * magnitude + flushed;
      ASSERT_LE(std::abs(dst[m * b.columns() + n] - sum), bound)
          << what << " k " << a.k() << " at " << m << ", " << n;
    }
}

TEST(GemmDefault, EveryUnitIsWithinTheBoundForItsK) {
  Random random(11);
  for (Dtype stationary : kNarrow)
    for (Dtype moving : kNarrow)
      for (size_t k : {1, 2, 31, 32, 33, 64, 100, 128}) {
        Matrix a(stationary, k, pick(random, 1, 24)), b(moving, k, pick(random, 1, 64));
        a.fill(random);
        b.fill(random);
        const auto psum = random_floats(random, a.columns() * b.columns());
        for (const NamedRunner& r : all_runners()) {
          std::vector<float> dst = psum;
          multiply_on(*r.runner, a, b, dst, PsumWrite::Accumulate);
          expect_within_bound(a, b, psum, dst, r.name);
        }
      }
}

TEST(GemmDefault, SumsOfSmallIntegersAreExactInAnyOrder) {
  Random random(12);
  for (int i = 0; i < 20; ++i) {
    const size_t k = pick(random, 1, 128);
    Matrix a(Dtype::BF16, k, pick(random, 1, 60)), b(Dtype::BF16, k, pick(random, 1, 120));
    for (size_t row = 0; row < k; ++row) {
      for (size_t m = 0; m < a.columns(); ++m)
        a.set(row, m, static_cast<float>(pick(random, 0, 16)) - 8.0f);
      for (size_t n = 0; n < b.columns(); ++n)
        b.set(row, n, static_cast<float>(pick(random, 0, 16)) - 8.0f);
    }
    std::vector<float> expected(a.columns() * b.columns(), 3.0f);
    multiply_strictly(a, b, expected, b.columns(), PsumWrite::Accumulate);
    for (const NamedRunner& r : all_runners()) {
      std::vector<float> dst(expected.size(), 3.0f);
      multiply_on(*r.runner, a, b, dst, PsumWrite::Accumulate);
      EXPECT_EQ(dst, expected) << r.name;
    }
  }
}

TEST(GemmDefault, ANanSpoilsItsRowAndNothingElse) {
  Random random(13);
  Matrix a(Dtype::BF16, 50, 21), b(Dtype::BF16, 50, 70);
  a.fill(random);
  b.fill(random);
  a.set(33, 5, std::numeric_limits<float>::quiet_NaN());
  for (const NamedRunner& r : all_runners()) {
    std::vector<float> dst(21 * 70, 0.0f);
    multiply_on(*r.runner, a, b, dst, PsumWrite::Accumulate);
    for (size_t m = 0; m < 21; ++m)
      for (size_t n = 0; n < 70; ++n)
        ASSERT_EQ(std::isnan(dst[m * 70 + n]), m == 5) << r.name << " at " << m << ", " << n;
  }
}

TEST(GemmDefault, InfinitiesAddUpOrCancelToNan) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  Matrix a(Dtype::BF16, 3, 4), b(Dtype::BF16, 3, 17);
  for (size_t k = 0; k < 3; ++k)
    for (size_t n = 0; n < 17; ++n) b.set(k, n, 1.0f);
  a.set(0, 1, kInf);
  a.set(1, 2, -kInf);
  a.set(0, 3, kInf);
  a.set(2, 3, -kInf);
  for (const NamedRunner& r : all_runners()) {
    std::vector<float> dst(4 * 17);
    multiply_on(*r.runner, a, b, dst, PsumWrite::Overwrite);
    EXPECT_EQ(dst[0 * 17 + 16], 0.0f) << r.name;
    EXPECT_EQ(dst[1 * 17 + 16], kInf) << r.name;
    EXPECT_EQ(dst[2 * 17 + 16], -kInf) << r.name;
    EXPECT_TRUE(std::isnan(dst[3 * 17 + 16])) << r.name;
  }
}

TEST(GemmDefault, DenormalOperandsAreKeptOrReadAsZero) {
  Matrix a(Dtype::BF16, 2, 1), b(Dtype::BF16, 2, 1);
  a.set(0, 0, 0x1p-130f);
  b.set(0, 0, 0x1p+20f);
  for (const NamedRunner& r : all_runners()) {
    std::vector<float> dst(1, 0.0f);
    multiply_on(*r.runner, a, b, dst, PsumWrite::Accumulate);
    if (r.runner->layout == GemmLayout::F32)
      EXPECT_EQ(dst[0], 0x1p-110f) << r.name;
    else
      EXPECT_TRUE(dst[0] == 0x1p-110f || dst[0] == 0.0f) << r.name;
  }
}

TEST(GemmDefault, ProductsOverNothingAndOfNothing) {
  for (const NamedRunner& r : all_runners()) {
    std::vector<float> dst(3 * 5, 7.0f);
    multiply_on(*r.runner, Matrix(Dtype::BF16, 0, 3), Matrix(Dtype::BF16, 0, 5), dst,
                PsumWrite::Accumulate);
    EXPECT_EQ(dst, std::vector<float>(15, 7.0f)) << r.name;
    multiply_on(*r.runner, Matrix(Dtype::BF16, 4, 0), Matrix(Dtype::BF16, 4, 5), dst,
                PsumWrite::Overwrite);
    multiply_on(*r.runner, Matrix(Dtype::BF16, 4, 3), Matrix(Dtype::BF16, 4, 0), dst,
                PsumWrite::Overwrite);
    EXPECT_EQ(dst, std::vector<float>(15, 7.0f)) << r.name;
    multiply_on(*r.runner, Matrix(Dtype::BF16, 0, 3), Matrix(Dtype::BF16, 0, 5), dst,
                PsumWrite::Overwrite);
    EXPECT_EQ(dst, std::vector<float>(15, 0.0f)) << r.name;
  }
}

}  // namespace
}  // namespace trainyard::sim
