#include "numerics/functions.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "numerics/functions/oracle.h"
#include "numerics/simd.h"

namespace trainyard::numerics {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr uint32_t kCanonicalNan = 0x7FC00000;

uint32_t bits(float v) { return std::bit_cast<uint32_t>(v); }

float value(Function f, float x, float param = 0) {
  float y;
  apply(f, &x, &y, 1, param);
  return y;
}

std::vector<Simd> host_levels() {
  std::vector<Simd> levels;
  for (const Simd level : {Simd::Scalar, Simd::Avx2, Simd::Avx512}) {
    if (level <= host_simd()) levels.push_back(level);
  }
  return levels;
}

// Every pattern counts the same, so half of the values are far from 1; the other half is not.
std::vector<float> mixed_values(size_t n, uint64_t seed) {
  std::vector<float> x(n);
  for (size_t i = 0; i < n; ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    const uint32_t high = static_cast<uint32_t>(seed >> 32);
    x[i] = i % 2 ? std::bit_cast<float>(high) : (static_cast<int32_t>(high)) * 0x1p-27f;
  }
  return x;
}

// What apply promises in functions.h, per function.
double promised_ulp(Function f) {
  switch (f) {
    case Function::Copy:
    case Function::Relu:
    case Function::Sign:
    case Function::Abs:
      return 0;
    case Function::Square:
    case Function::Prelu:
    case Function::Sqrt:
    case Function::Reciprocal:
      return 0.5;
    case Function::Exp:
      return 1.1;
    default:
      return 0.6;
  }
}

TEST(Functions, EveryFunctionStaysWithinItsErrorOverTheWholeFp32Range) {
  for (const Function f : all_functions()) {
    const oracle::Worst worst = oracle::measure_patterns(f, 0, uint64_t{1} << 32, 1021);
    EXPECT_LE(worst.ulp, promised_ulp(f)) << name(f) << " at " << worst.x;
  }
}

// Zeros of the derivatives, ends of the formulas, thresholds of underflow and overflow.
TEST(Functions, EveryFunctionStaysWithinItsErrorNextToSpecialPoints) {
  const float points[] = {0x1p-149f,  0x1p-126f,  0.7517915f, 0.7511483f, 1.0f,
                          1.2784645f, 0.3465736f, 1.4142135f, 3.1415927f, 3.92f,
                          9.01f,      13.5f,      14.3f,      16.6f,      87.33654f,
                          88.72284f,  103.97208f, 104.0f,     200.0f,     0x1.fffffep127f};
  for (const Function f : all_functions()) {
    oracle::Worst worst;
    for (const float point : points) {
      for (const float x : {point, -point}) {
        const uint64_t center = bits(x);
        const uint64_t first = center < 4096 ? 0 : center - 4096;
        worst.merge(oracle::measure_patterns(f, first, center + 4096, 1));
      }
    }
    EXPECT_LE(worst.ulp, promised_ulp(f)) << name(f) << " at " << worst.x;
  }
}

TEST(Functions, EverySimdLevelGivesTheSameBits) {
  const std::vector<float> x = mixed_values(1'500'000, 1);
  std::vector<float> expected(x.size()), y(x.size());
  for (const Function f : all_functions()) {
    ASSERT_TRUE(force_simd(Simd::Scalar).ok());
    apply(f, x.data(), expected.data(), x.size(), 0.3f);
    for (const Simd level : host_levels()) {
      ASSERT_TRUE(force_simd(level).ok());
      apply(f, x.data(), y.data(), x.size(), 0.3f);
      for (size_t i = 0; i < x.size(); ++i) {
        ASSERT_EQ(bits(y[i]), bits(expected[i])) << name(f) << "(" << x[i] << ") " << name(level);
      }
    }
  }
  unforce_simd();
}

// Programs compare simulated values bit by bit across hosts and compilers. Whoever changes a kernel
// changes this number on purpose.
TEST(Functions, TheBitsAreTheRecordedOnes) {
  const std::vector<float> x = mixed_values(100'000, 4);
  std::vector<float> y(x.size());
  uint64_t hash = 0;
  for (const Function f : all_functions()) {
    apply(f, x.data(), y.data(), x.size(), 0.3f);
    for (const float v : y) hash = (hash ^ bits(v)) * 0x9E3779B97F4A7C15;
  }
  EXPECT_EQ(hash, 16070526108936210068u);
}

TEST(Functions, TheResultOfAnElementDoesNotDependOnItsPlace) {
  const std::vector<float> x = mixed_values(100, 2);
  for (const Simd level : host_levels()) {
    ASSERT_TRUE(force_simd(level).ok());
    for (const Function f : all_functions()) {
      std::vector<float> one_by_one(x.size());
      for (size_t i = 0; i < x.size(); ++i) one_by_one[i] = value(f, x[i], 0.3f);
      for (size_t start = 0; start < 5; ++start) {
        for (size_t n = 0; start + n <= x.size(); n += 7) {
          std::vector<float> y(x.size(), -7.0f);
          apply(f, x.data() + start, y.data() + start, n, 0.3f);
          for (size_t i = 0; i < x.size(); ++i) {
            const bool written = i >= start && i < start + n;
            ASSERT_EQ(bits(y[i]), bits(written ? one_by_one[i] : -7.0f)) << name(f) << " " << i;
          }
        }
      }
    }
  }
  unforce_simd();
}

TEST(Functions, AFunctionMayOverwriteItsInput) {
  const std::vector<float> x = mixed_values(1001, 3);
  for (const Function f : all_functions()) {
    std::vector<float> apart(x.size()), in_place = x;
    apply(f, x.data(), apart.data(), x.size(), 0.3f);
    apply(f, in_place.data(), in_place.data(), x.size(), 0.3f);
    for (size_t i = 0; i < x.size(); ++i) ASSERT_EQ(bits(apart[i]), bits(in_place[i])) << name(f);
  }
}

TEST(Functions, ANanGivesTheOneNanAndCopyKeepsItsPayload) {
  for (const uint32_t pattern : {0x7FC00000u, 0xFFC00000u, 0x7F800001u, 0xFFFFFFFFu}) {
    const float x = std::bit_cast<float>(pattern);
    for (const Function f : all_functions()) {
      const uint32_t expected = f == Function::Copy ? pattern : kCanonicalNan;
      EXPECT_EQ(bits(value(f, x)), expected) << name(f);
    }
  }
  for (const Function f : {Function::Log, Function::Sqrt, Function::Rsqrt}) {
    EXPECT_EQ(bits(value(f, -1)), kCanonicalNan) << name(f);
    EXPECT_EQ(bits(value(f, -kInfinity)), kCanonicalNan) << name(f);
  }
  EXPECT_EQ(bits(value(Function::Prelu, -1, kNan)), kCanonicalNan);
  EXPECT_EQ(bits(value(Function::Prelu, -kInfinity, 0)), kCanonicalNan);
}

TEST(Functions, InfinitiesGiveTheLimits) {
  struct Limits {
    Function f;
    float at_minus, at_plus;
  };
  const float half_pi = 0x1.921fb6p0f;
  const Limits table[] = {
      {Function::Square, kInfinity, kInfinity},
      {Function::Sigmoid, 0.0f, 1.0f},
      {Function::Relu, 0.0f, kInfinity},
      {Function::Gelu, -0.0f, kInfinity},
      {Function::GeluDx, -0.0f, 1.0f},
      {Function::GeluApprxTanh, -0.0f, kInfinity},
      {Function::GeluApprxSigmoid, -0.0f, kInfinity},
      {Function::GeluApprxSigmoidDx, -0.0f, 1.0f},
      {Function::Silu, -0.0f, kInfinity},
      {Function::SiluDx, -0.0f, 1.0f},
      {Function::Tanh, -1.0f, 1.0f},
      {Function::Softplus, 0.0f, kInfinity},
      {Function::Mish, -0.0f, kInfinity},
      {Function::Erf, -1.0f, 1.0f},
      {Function::ErfDx, 0.0f, 0.0f},
      {Function::Exp, 0.0f, kInfinity},
      {Function::Sin, -kInfinity, kInfinity},
      {Function::Arctan, -half_pi, half_pi},
      {Function::Reciprocal, -0.0f, 0.0f},
      {Function::Sign, -1.0f, 1.0f},
      {Function::Abs, kInfinity, kInfinity},
  };
  for (const Limits& row : table) {
    EXPECT_EQ(bits(value(row.f, -kInfinity)), bits(row.at_minus)) << name(row.f);
    EXPECT_EQ(bits(value(row.f, kInfinity)), bits(row.at_plus)) << name(row.f);
  }
  EXPECT_EQ(value(Function::Log, kInfinity), kInfinity);
  EXPECT_EQ(value(Function::Sqrt, kInfinity), kInfinity);
  EXPECT_EQ(bits(value(Function::Rsqrt, kInfinity)), bits(0.0f));
}

TEST(Functions, ExpOfZeroIsOneAndOfMinusInfinityIsZero) {
  EXPECT_EQ(bits(value(Function::Exp, 0.0f)), bits(1.0f));
  EXPECT_EQ(bits(value(Function::Exp, -0.0f)), bits(1.0f));
  EXPECT_EQ(bits(value(Function::Exp, -kInfinity)), bits(0.0f));
}

TEST(Functions, OddFunctionsKeepTheSignOfZero) {
  for (const Function f :
       {Function::Copy, Function::Gelu, Function::GeluApprxTanh, Function::GeluApprxSigmoid,
        Function::Silu, Function::Tanh, Function::Mish, Function::Erf, Function::Sin,
        Function::Arctan, Function::Sqrt, Function::Sign, Function::Prelu}) {
    EXPECT_EQ(bits(value(f, 0.0f, 0.5f)), bits(0.0f)) << name(f);
    EXPECT_EQ(bits(value(f, -0.0f, 0.5f)), bits(-0.0f)) << name(f);
  }
  EXPECT_EQ(bits(value(Function::Relu, -0.0f)), bits(0.0f));
  EXPECT_EQ(bits(value(Function::Abs, -0.0f)), bits(0.0f));
}

TEST(Functions, ZeroIsAPoleOfLogRsqrtAndReciprocal) {
  EXPECT_EQ(value(Function::Log, 0.0f), -kInfinity);
  EXPECT_EQ(value(Function::Log, -0.0f), -kInfinity);
  for (const Function f : {Function::Rsqrt, Function::Reciprocal}) {
    EXPECT_EQ(value(f, 0.0f), kInfinity) << name(f);
    EXPECT_EQ(value(f, -0.0f), -kInfinity) << name(f);
  }
}

TEST(Functions, DenormalsAreKeptOnBothSides) {
  const float tiny = 0x1p-149f;
  EXPECT_EQ(value(Function::Tanh, tiny), tiny);
  EXPECT_EQ(value(Function::Arctan, -tiny), -tiny);
  EXPECT_EQ(value(Function::Sqrt, tiny), 0x1.6a09e6p-75f);
  EXPECT_EQ(value(Function::Exp, -103.5f), tiny);
  EXPECT_EQ(value(Function::Relu, tiny), tiny);
}

TEST(Functions, SinFollowsACubicOutsideItsRange) {
  EXPECT_NEAR(value(Function::Sin, 9.0f), 27.65, 0.005);
  EXPECT_NEAR(value(Function::Sin, -9.0f), -27.65, 0.005);
  EXPECT_NEAR(value(Function::Sin, 3.1415927f), -8.742278e-8, 1e-14);
  EXPECT_NEAR(value(Function::Sin, 3.1415925f), 1.5099580e-7, 1e-14);
}

TEST(Functions, PreluScalesOnlyNegativeInputs) {
  EXPECT_EQ(value(Function::Prelu, -2.0f, 0.25f), -0.5f);
  EXPECT_EQ(value(Function::Prelu, 2.0f, 0.25f), 2.0f);
  EXPECT_EQ(value(Function::Prelu, 2.0f, kNan), 2.0f);
}

TEST(Functions, NamesAreNkisAndParseBack) {
  EXPECT_EQ(all_functions().size(), 26u);
  for (const Function f : all_functions()) EXPECT_EQ(parse_function(name(f)), f);
  EXPECT_EQ(name(Function::GeluApprxSigmoidDx), "gelu_apprx_sigmoid_dx");
  EXPECT_EQ(name(Function::Arctan), "arctan");
  EXPECT_EQ(parse_function("atan"), std::nullopt);
  EXPECT_EQ(parse_function(""), std::nullopt);
}

TEST(Functions, ValidRangesAreTheDocumentedOnes) {
  EXPECT_TRUE(in_valid_range(Function::Log, 0x1p-64f));
  EXPECT_FALSE(in_valid_range(Function::Log, 0x1.fffffep-65f));
  EXPECT_TRUE(in_valid_range(Function::Log, 0x1p64f));
  EXPECT_FALSE(in_valid_range(Function::Log, 0.0f));
  EXPECT_TRUE(in_valid_range(Function::Reciprocal, -0x1p42f));
  EXPECT_FALSE(in_valid_range(Function::Reciprocal, -0x1.000002p42f));
  EXPECT_FALSE(in_valid_range(Function::Reciprocal, 0.0f));
  EXPECT_TRUE(in_valid_range(Function::Sin, -3.1415927f));
  EXPECT_FALSE(in_valid_range(Function::Sin, 3.1415930f));
  EXPECT_TRUE(in_valid_range(Function::Arctan, 1.5707964f));
  EXPECT_FALSE(in_valid_range(Function::Arctan, -1.5707965f));
  EXPECT_TRUE(in_valid_range(Function::Sqrt, 0x1p118f));
  EXPECT_FALSE(in_valid_range(Function::Sqrt, 0x1p119f));
  EXPECT_TRUE(in_valid_range(Function::Rsqrt, 0x1p-87f));
  EXPECT_FALSE(in_valid_range(Function::Rsqrt, 0x1p98f));
  EXPECT_TRUE(in_valid_range(Function::Exp, -kInfinity));
  for (const Function f : all_functions()) EXPECT_TRUE(in_valid_range(f, kNan)) << name(f);
}

}  // namespace
}  // namespace trainyard::numerics
