// The worked values of neuroncore 5, on every SIMD level. tests/numerics/test_convert.py compares
// all patterns with NumPy and ml_dtypes.
#include "numerics/convert.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "numerics/simd.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace trainyard::numerics {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

uint32_t low_bytes(const void* element, Dtype dtype) {
  uint32_t code = 0;
  std::memcpy(&code, element, size_of(dtype));
  return code;
}

// The code of `value`, which must be the same from every level, in a long run, in a run of one and
// from the scalar function.
uint32_t code_of(Dtype to, float value, const ConvertOptions& options = {}) {
  uint32_t expected = 0;
  from_f32(to, value, &expected, options);
  for (const Simd level : usable_simd()) {
    EXPECT_TRUE(force_simd(level).ok());
    for (const size_t n : {size_t{1}, size_t{67}}) {
      const std::vector<float> values(n, value);
      std::vector<unsigned char> codes(n * size_of(to));
      narrow(to, values.data(), codes.data(), n, options);
      for (size_t i = 0; i < n; ++i) {
        EXPECT_EQ(low_bytes(&codes[i * size_of(to)], to), expected)
            << value << " to " << name(to) << " at " << i << " on " << name(level);
      }
    }
  }
  unforce_simd();
  return expected;
}

// The value of `code`, from every level and from the scalar function; compared by bits.
float value_of(Dtype from, uint32_t code) {
  const float expected = to_f32(from, &code);
  for (const Simd level : usable_simd()) {
    EXPECT_TRUE(force_simd(level).ok());
    float value = 0;
    widen(from, &code, &value, 1);
    EXPECT_EQ(std::bit_cast<uint32_t>(value), std::bit_cast<uint32_t>(expected))
        << code << " of " << name(from) << " on " << name(level);
  }
  unforce_simd();
  return expected;
}

struct FormatRow {
  Dtype dtype;
  float max_finite;
  float min_normal;
  float min_subnormal;
  uint32_t max_code;
  uint32_t inf_code;  // 0 where there is none
  uint32_t nan_code;
};

// The table of neuroncore 5.1.
const FormatRow kRows[] = {
    {Dtype::BF16, 3.38953139e38f, 0x1p-126f, 0x1p-133f, 0x7F7F, 0x7F80, 0x7FC0},
    {Dtype::F16, 65504.0f, 0x1p-14f, 0x1p-24f, 0x7BFF, 0x7C00, 0x7E00},
    {Dtype::F8E5M2, 57344.0f, 0x1p-14f, 0x1p-16f, 0x7B, 0x7C, 0x7E},
    {Dtype::F8E4M3, 240.0f, 0x1p-6f, 0x1p-9f, 0x77, 0x78, 0x7C},
    {Dtype::F8E4M3FN, 448.0f, 0x1p-6f, 0x1p-9f, 0x7E, 0, 0x7F},
    {Dtype::F8E3M4, 15.5f, 0x1p-2f, 0x1p-6f, 0x6F, 0x70, 0x78},
};

TEST(Convert, TheLimitsOfEachFormatAreThoseOfTheTable) {
  for (const FormatRow& row : kRows) {
    EXPECT_EQ(value_of(row.dtype, row.max_code), row.max_finite) << name(row.dtype);
    EXPECT_EQ(code_of(row.dtype, row.max_finite), row.max_code) << name(row.dtype);
    EXPECT_EQ(value_of(row.dtype, 1), row.min_subnormal) << name(row.dtype);
    EXPECT_EQ(code_of(row.dtype, row.min_subnormal), 1u) << name(row.dtype);
    EXPECT_EQ(value_of(row.dtype, code_of(row.dtype, row.min_normal)), row.min_normal);
  }
}

TEST(Convert, InfAndNanHaveTheEncodingsOfTheTable) {
  for (const FormatRow& row : kRows) {
    const uint32_t sign = 1u << (8 * size_of(row.dtype) - 1);
    EXPECT_EQ(code_of(row.dtype, kNan), row.nan_code) << name(row.dtype);
    EXPECT_EQ(code_of(row.dtype, -kNan), row.nan_code | sign) << name(row.dtype);
    EXPECT_TRUE(std::isnan(value_of(row.dtype, row.nan_code))) << name(row.dtype);
    if (row.inf_code == 0) continue;
    EXPECT_EQ(value_of(row.dtype, row.inf_code), kInf) << name(row.dtype);
    EXPECT_EQ(code_of(row.dtype, -kInf), row.inf_code | sign) << name(row.dtype);
  }
}

TEST(Convert, TheLowestFp32ValueBecomesMinusInf) {
  const float lowest = std::numeric_limits<float>::lowest();
  EXPECT_EQ(code_of(Dtype::F16, lowest), 0xFC00u);
  EXPECT_EQ(code_of(Dtype::BF16, lowest), 0xFF80u);
  EXPECT_EQ(code_of(Dtype::F8E5M2, lowest), 0xFCu);
  EXPECT_EQ(code_of(Dtype::F8E4M3, lowest), 0xF8u);
  EXPECT_EQ(code_of(Dtype::F8E3M4, lowest), 0xF0u);
}

TEST(Convert, OcpPatternsAbove240ReadAsInfAndNanInTheLegacyFormat) {
  EXPECT_EQ(value_of(Dtype::F8E4M3, 0x78), kInf);
  EXPECT_EQ(value_of(Dtype::F8E4M3, 0xF8), -kInf);
  for (uint32_t code = 0x79; code <= 0x7F; ++code) {
    EXPECT_TRUE(std::isnan(value_of(Dtype::F8E4M3, code))) << code;
    EXPECT_EQ(std::isnan(value_of(Dtype::F8E4M3FN, code)), code == 0x7F) << code;
  }
}

TEST(Convert, E4m3RoundsUpTo248To240AndBeyondToInf) {
  EXPECT_EQ(code_of(Dtype::F8E4M3, std::nextafter(248.0f, 0.0f)), 0x77u);
  EXPECT_EQ(code_of(Dtype::F8E4M3, 248.0f), 0x78u);  // the tie goes to the even code, which is Inf
  EXPECT_EQ(code_of(Dtype::F8E4M3, 240.0f), 0x77u);
}

TEST(Convert, E4m3fnOverflowIsNanUnlessItSaturates) {
  const ConvertOptions saturate{.fp8fn_saturate = true};
  EXPECT_EQ(code_of(Dtype::F8E4M3FN, 464.0f), 0x7Eu);  // the tie between 448 and 480
  EXPECT_EQ(code_of(Dtype::F8E4M3FN, std::nextafter(464.0f, 500.0f)), 0x7Fu);
  EXPECT_EQ(code_of(Dtype::F8E4M3FN, -kInf), 0xFFu);
  EXPECT_EQ(code_of(Dtype::F8E4M3FN, 1e9f, saturate), 0x7Eu);
  EXPECT_EQ(code_of(Dtype::F8E4M3FN, -kInf, saturate), 0xFEu);
  EXPECT_EQ(code_of(Dtype::F8E4M3FN, kNan, saturate), 0x7Fu);
}

TEST(Convert, FormatsWithInfSaturateOnlyWhenAsked) {
  const ConvertOptions saturate{.fp8_saturate = true};
  EXPECT_EQ(code_of(Dtype::F8E4M3, 1000.0f, saturate), 0x77u);
  EXPECT_EQ(code_of(Dtype::F8E5M2, -kInf, saturate), 0xFBu);
  EXPECT_EQ(code_of(Dtype::F8E3M4, 16.0f, saturate), 0x6Fu);
  EXPECT_EQ(code_of(Dtype::F16, 1e9f, saturate), 0x7C00u);
  EXPECT_EQ(code_of(Dtype::F8E4M3FN, 1e9f, saturate), 0x7Fu);
}

TEST(Convert, SubnormalResultsAreKeptUnlessFlushed) {
  const ConvertOptions flush{.ftz = true};
  EXPECT_EQ(code_of(Dtype::F16, 0x1p-15f), 0x0200u);
  EXPECT_EQ(code_of(Dtype::F16, -0x1p-15f, flush), 0x8000u);
  EXPECT_EQ(code_of(Dtype::F16, 0x1p-14f, flush), 0x0400u);
  // Rounds up to the smallest normal value first, then nothing is left to flush.
  EXPECT_EQ(code_of(Dtype::F16, std::nextafter(0x1p-14f, 0.0f), flush), 0x0400u);
  EXPECT_EQ(code_of(Dtype::BF16, 0x1p-130f), 0x0008u);
  EXPECT_EQ(code_of(Dtype::BF16, 0x1p-130f, flush), 0x0000u);
  EXPECT_EQ(code_of(Dtype::TF32, -0x1p-130f, flush), 0x80000000u);
  EXPECT_EQ(code_of(Dtype::F32, -0x1p-130f), 0x80080000u);
  EXPECT_EQ(code_of(Dtype::F32, -0x1p-130f, flush), 0x80000000u);
}

TEST(Convert, Tf32IgnoresTheLow13BitsWhenReadAndClearsThemWhenWritten) {
  EXPECT_EQ(value_of(Dtype::TF32, 0x3F801FFF), 1.0f);
  EXPECT_EQ(value_of(Dtype::TF32, 0x3F802000), 1.0f + 0x1p-10f);
  EXPECT_EQ(code_of(Dtype::TF32, 1.0f + 0x1p-11f), 0x3F800000u);             // tie to even
  EXPECT_EQ(code_of(Dtype::TF32, 1.0f + 3 * 0x1p-11f), 0x3F804000u);         // tie to even
  EXPECT_EQ(code_of(Dtype::TF32, 1.0f + 0x1p-11f + 0x1p-23f), 0x3F802000u);  // just above
  EXPECT_EQ(code_of(Dtype::TF32, std::bit_cast<float>(0x7F800001u)), 0x7FC00000u);
}

TEST(Convert, Bf16TiesGoToEvenAndCarriesReachInf) {
  EXPECT_EQ(code_of(Dtype::BF16, std::bit_cast<float>(0x3F808000u)), 0x3F80u);
  EXPECT_EQ(code_of(Dtype::BF16, std::bit_cast<float>(0x3F818000u)), 0x3F82u);
  EXPECT_EQ(code_of(Dtype::BF16, std::bit_cast<float>(0x7F7F7FFFu)), 0x7F7Fu);
  EXPECT_EQ(code_of(Dtype::BF16, std::bit_cast<float>(0x7F7F8000u)), 0x7F80u);
  EXPECT_EQ(code_of(Dtype::BF16, std::bit_cast<float>(0xFFFFFFFFu)), 0xFFC0u);
  EXPECT_EQ(code_of(Dtype::BF16, std::bit_cast<float>(0x7F800001u)), 0x7FC0u);
}

TEST(Convert, IntegersRoundToEvenSaturateAndTakeNanAsZero) {
  EXPECT_EQ(code_of(Dtype::S8, 2.5f), 2u);
  EXPECT_EQ(code_of(Dtype::S8, 3.5f), 4u);
  EXPECT_EQ(code_of(Dtype::S8, -2.5f), 0xFEu);
  EXPECT_EQ(code_of(Dtype::S8, 1e9f), 127u);
  EXPECT_EQ(code_of(Dtype::S8, -kInf), 0x80u);
  EXPECT_EQ(code_of(Dtype::U8, -1.0f), 0u);
  EXPECT_EQ(code_of(Dtype::U8, 254.5f), 254u);
  EXPECT_EQ(code_of(Dtype::U8, 255.5f), 255u);
  EXPECT_EQ(code_of(Dtype::S16, 32767.5f), 32767u);
  EXPECT_EQ(code_of(Dtype::U16, kInf), 65535u);
  EXPECT_EQ(code_of(Dtype::S32, 0x1p31f), 0x7FFFFFFFu);
  EXPECT_EQ(code_of(Dtype::S32, -0x1p31f), 0x80000000u);
  EXPECT_EQ(code_of(Dtype::S32, 0.49999997f), 0u);
  EXPECT_EQ(code_of(Dtype::U32, 0x1p31f), 0x80000000u);
  EXPECT_EQ(code_of(Dtype::U32, std::nextafter(0x1p32f, 0.0f)), 0xFFFFFF00u);
  EXPECT_EQ(code_of(Dtype::U32, 0x1p32f), 0xFFFFFFFFu);
  for (const Dtype dtype : {Dtype::S8, Dtype::U8, Dtype::S16, Dtype::U16, Dtype::S32, Dtype::U32}) {
    EXPECT_EQ(code_of(dtype, kNan), 0u) << name(dtype);
    EXPECT_EQ(code_of(dtype, -kNan), 0u) << name(dtype);
  }
}

TEST(Convert, WideIntegersBeyond24BitsRoundToEven) {
  EXPECT_EQ(value_of(Dtype::S32, 16777217), 16777216.0f);
  EXPECT_EQ(value_of(Dtype::S32, 16777219), 16777220.0f);
  EXPECT_EQ(value_of(Dtype::S32, 0x80000000u), -0x1p31f);
  EXPECT_EQ(value_of(Dtype::U32, 0xFFFFFFFFu), 0x1p32f);
  EXPECT_EQ(value_of(Dtype::U32, 0x80000080u), 0x1p31f);           // tie to even
  EXPECT_EQ(value_of(Dtype::U32, 0x80000081u), 0x1p31f + 256.0f);  // just above
}

TEST(Convert, AnyPairOfTypesGoesThroughFp32) {
  std::mt19937 random(7);
  constexpr size_t kCount = 2500;  // more than two blocks and a rest
  std::vector<uint32_t> source(kCount);
  for (uint32_t& word : source) word = random();
  for (const Dtype from : kAllDtypes) {
    std::vector<float> wide(kCount);
    widen(from, source.data(), wide.data(), kCount);
    for (const Dtype to : kAllDtypes) {
      if (from == to) continue;
      std::vector<uint32_t> expected(kCount), actual(kCount);
      narrow(to, wide.data(), expected.data(), kCount);
      convert(from, source.data(), to, actual.data(), kCount);
      EXPECT_EQ(actual, expected) << name(from) << " to " << name(to);
    }
  }
}

TEST(Convert, EqualTypesAreCopiedBitByBit) {
  const ConvertOptions everything{.rounding = {.mode = Rounding::Stochastic},
                                  .fp8fn_saturate = true,
                                  .fp8_saturate = true,
                                  .ftz = true};
  const std::vector<uint32_t> source = {0x7F800001, 0xFFFFFFFF, 0x00000001, 0x12345678, 0x80000000};
  for (const Dtype dtype : kAllDtypes) {
    std::vector<uint32_t> copy(source.size());
    convert(dtype, source.data(), dtype, copy.data(), 4 * source.size() / size_of(dtype),
            everything);
    EXPECT_EQ(copy, source) << name(dtype);
  }
}

TEST(Convert, NoElementsTouchNothing) {
  for (const Dtype dtype : kAllDtypes) {
    widen(dtype, nullptr, nullptr, 0);
    narrow(dtype, nullptr, nullptr, 0);
    convert(dtype, nullptr, Dtype::F32, nullptr, 0);
  }
}

TEST(Convert, EveryLengthEndsWhereItShould) {
  constexpr unsigned char kGuard = 0xA5;
  const std::vector<float> ones(200, 1.0f);
  for (const Simd level : usable_simd()) {
    ASSERT_TRUE(force_simd(level).ok());
    for (const Dtype dtype : kAllDtypes) {
      uint32_t one = 0;
      from_f32(dtype, 1.0f, &one);
      for (size_t n = 0; n <= 130; ++n) {
        // An odd start: nothing needs to be aligned.
        std::vector<unsigned char> codes(1 + 4 * 200, kGuard);
        narrow(dtype, ones.data(), &codes[1], n);
        const size_t end = 1 + n * size_of(dtype);
        for (size_t i = 0; i < n; ++i) {
          ASSERT_EQ(low_bytes(&codes[1 + i * size_of(dtype)], dtype), one) << name(dtype) << n;
        }
        for (size_t i = end; i < codes.size(); ++i) ASSERT_EQ(codes[i], kGuard) << name(dtype) << n;
        std::vector<float> back(200, -7.0f);
        widen(dtype, &codes[1], back.data(), n);
        for (size_t i = 0; i < back.size(); ++i) {
          ASSERT_EQ(back[i], i < n ? 1.0f : -7.0f) << name(dtype) << n;
        }
      }
    }
  }
  unforce_simd();
}

#if defined(__x86_64__)
// Libraries built with -ffast-math put the whole process into these modes.
TEST(Convert, TheHostsFlushToZeroModeChangesNoBit) {
  std::mt19937 random(11);
  constexpr size_t kCount = 4096;
  std::vector<float> source(kCount);
  for (float& value : source) {
    // All exponents around the subnormals of fp32, bf16, f16 and the 8-bit formats.
    const uint32_t exponent = random() % 128;
    value = std::bit_cast<float>((static_cast<uint32_t>(random()) & 0x807FFFFFu) | exponent << 23);
  }
  for (const Simd level : usable_simd()) {
    ASSERT_TRUE(force_simd(level).ok());
    for (const Dtype dtype : kAllDtypes) {
      std::vector<uint32_t> codes[2] = {std::vector<uint32_t>(kCount),
                                        std::vector<uint32_t>(kCount)};
      std::vector<float> wide[2] = {std::vector<float>(kCount), std::vector<float>(kCount)};
      const unsigned mode = _mm_getcsr();
      for (const int flushing : {0, 1}) {
        _mm_setcsr(flushing ? mode | 0x8040u : mode);
        narrow(dtype, source.data(), codes[flushing].data(), kCount);
        widen(dtype, codes[0].data(), wide[flushing].data(), kCount);
      }
      _mm_setcsr(mode);
      EXPECT_EQ(codes[0], codes[1]) << name(dtype) << " on " << name(level);
      for (size_t k = 0; k < kCount; ++k) {
        ASSERT_EQ(std::bit_cast<uint32_t>(wide[0][k]), std::bit_cast<uint32_t>(wide[1][k]))
            << name(dtype) << " on " << name(level);
      }
    }
  }
  unforce_simd();
}
#endif

}  // namespace
}  // namespace trainyard::numerics
