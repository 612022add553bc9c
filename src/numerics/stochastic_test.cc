#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "numerics/convert.h"
#include "numerics/simd.h"

namespace trainyard::numerics {
namespace {

constexpr Dtype kRounded[] = {Dtype::TF32,   Dtype::BF16,     Dtype::F16,   Dtype::F8E5M2,
                              Dtype::F8E4M3, Dtype::F8E4M3FN, Dtype::F8E3M4};

ConvertOptions stochastic(uint64_t seed, uint64_t counter = 0) {
  return {.rounding = {.mode = Rounding::Stochastic, .seed = seed, .counter = counter}};
}

std::vector<unsigned char> narrowed(Dtype to, const std::vector<float>& values,
                                    const ConvertOptions& options) {
  std::vector<unsigned char> codes(values.size() * size_of(to));
  narrow(to, values.data(), codes.data(), values.size(), options);
  return codes;
}

std::vector<float> random_values(size_t n) {
  std::mt19937 random(3);
  std::vector<float> values(n);
  for (float& value : values) value = std::bit_cast<float>(static_cast<uint32_t>(random()));
  return values;
}

// f16 has steps of 1 from 1024 on. [neuroncore 5.3: the vendor's sample ends at 2056]
float add_half_2048_times(const ConvertOptions& first) {
  ConvertOptions options = first;
  float a = 1024.0f;
  for (int i = 0; i < 2048; ++i, ++options.rounding.counter) {
    uint16_t code = 0;
    const float sum = a + 0.5f;
    narrow(Dtype::F16, &sum, &code, 1, options);
    widen(Dtype::F16, &code, &a, 1);
  }
  return a;
}

TEST(StochasticRounding, HalfStepsAddUpWhereNearestEvenStandsStill) {
  EXPECT_EQ(add_half_2048_times({}), 1024.0f);
  // 2048 coin throws have a standard deviation of 22.6.
  for (const uint64_t seed : {0, 1, 2, 12345}) {
    EXPECT_NEAR(add_half_2048_times(stochastic(seed)), 2048.0f, 4 * 22.7f) << seed;
  }
}

TEST(StochasticRounding, EveryLevelAndTheScalarFunctionGiveTheSameBits) {
  const std::vector<float> values = random_values(5003);
  for (const Dtype dtype : kRounded) {
    for (const bool ftz : {false, true}) {
      ConvertOptions options = stochastic(99, 1'000'000'007);
      options.ftz = ftz;
      std::vector<unsigned char> expected(values.size() * size_of(dtype));
      ConvertOptions one = options;
      for (size_t i = 0; i < values.size(); ++i, ++one.rounding.counter) {
        from_f32(dtype, values[i], &expected[i * size_of(dtype)], one);
      }
      for (const Simd level : usable_simd()) {
        ASSERT_TRUE(force_simd(level).ok());
        EXPECT_EQ(narrowed(dtype, values, options), expected) << name(dtype) << name(level);
      }
    }
  }
  unforce_simd();
}

TEST(StochasticRounding, ACallInPartsGivesTheSameBitsEvenWhereTheLowCounterWraps) {
  const std::vector<float> values = random_values(3000);
  const uint64_t start = (uint64_t{5} << 32) - 1234;
  for (const Simd level : usable_simd()) {
    ASSERT_TRUE(force_simd(level).ok());
    const auto whole = narrowed(Dtype::BF16, values, stochastic(4, start));
    std::vector<unsigned char> parts;
    for (size_t at = 0; at < values.size();) {
      const size_t n = std::min<size_t>(7 + at % 101, values.size() - at);
      const std::vector<float> part(values.begin() + at, values.begin() + at + n);
      const auto codes = narrowed(Dtype::BF16, part, stochastic(4, start + at));
      parts.insert(parts.end(), codes.begin(), codes.end());
      at += n;
    }
    EXPECT_EQ(parts, whole) << name(level);
  }
  unforce_simd();
}

TEST(StochasticRounding, ConvertMovesTheCounterFromBlockToBlock) {
  const std::vector<float> values = random_values(3000);
  std::vector<unsigned char> codes(values.size());
  convert(Dtype::F32, values.data(), Dtype::F8E4M3, codes.data(), codes.size(), stochastic(8, 77));
  EXPECT_EQ(codes, narrowed(Dtype::F8E4M3, values, stochastic(8, 77)));
}

TEST(StochasticRounding, SeedsAndCountersGiveDifferentBits) {
  const std::vector<float> values(4096, 1.0f + 0x1p-9f);  // half a step of bf16 above 1
  const auto base = narrowed(Dtype::BF16, values, stochastic(1));
  EXPECT_NE(narrowed(Dtype::BF16, values, stochastic(2)), base);
  EXPECT_NE(narrowed(Dtype::BF16, values, stochastic(1, 1)), base);
  EXPECT_NE(narrowed(Dtype::BF16, values, stochastic(1, uint64_t{1} << 32)), base);
}

TEST(StochasticRounding, ValuesOfTheFormatAndSpecialValuesStay) {
  for (const Dtype dtype : kRounded) {
    const uint32_t step = dtype == Dtype::TF32 ? 1u << 13 : 1;
    const uint64_t end =
        size_of(dtype) == 4 ? uint64_t{1} << 32 : uint64_t{1} << (8 * size_of(dtype));
    for (uint64_t code = 0; code < end; code += step) {
      const uint32_t word = static_cast<uint32_t>(code);
      const float value = to_f32(dtype, &word);
      uint32_t stochastic_code = 0, nearest_code = 0;
      from_f32(dtype, value, &stochastic_code, stochastic(code));
      from_f32(dtype, value, &nearest_code);
      ASSERT_EQ(stochastic_code, nearest_code) << name(dtype) << " " << code;
    }
  }
}

TEST(StochasticRounding, IntegersStillRoundToEven) {
  for (uint64_t seed = 0; seed < 64; ++seed) {
    int8_t code = 0;
    from_f32(Dtype::S8, 2.5f, &code, stochastic(seed));
    EXPECT_EQ(code, 2);
  }
}

TEST(RandomBits, EachBitIsSetHalfOfTheTime) {
  constexpr int kCount = 1 << 16;
  for (int bit = 0; bit < 32; ++bit) {
    int set = 0;
    for (int i = 0; i < kCount; ++i) set += random_bits(uint64_t{0}, uint64_t(i)) >> bit & 1;
    EXPECT_NEAR(set, kCount / 2.0, 4 * std::sqrt(kCount / 4.0)) << bit;
  }
}

TEST(RandomBits, NeighboursInCounterAndSeedDifferInHalfOfTheirBits) {
  constexpr int kCount = 1 << 14;
  const double sigma = std::sqrt(kCount * 32 / 4.0);
  int by_counter = 0, by_seed = 0;
  for (uint64_t i = 0; i < kCount; ++i) {
    by_counter += std::popcount(random_bits(uint64_t{6}, i) ^ random_bits(uint64_t{6}, i + 1));
    by_seed += std::popcount(random_bits(i, uint64_t{6}) ^ random_bits(i + 1, uint64_t{6}));
  }
  EXPECT_NEAR(by_counter, kCount * 16, 4 * sigma);
  EXPECT_NEAR(by_seed, kCount * 16, 4 * sigma);
}

}  // namespace
}  // namespace trainyard::numerics
