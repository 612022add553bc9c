// Strict order: the same bits from every fp32 unit as from the definition.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "sim/execute/gemm_test_oracle.h"

namespace trainyard::sim {
namespace {

using namespace test;

bool same_bytes(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

// Small sizes, block edges and the machine's own limits, each now and then.
size_t random_extent(Random& random, size_t limit) {
  switch (pick(random, 0, 3)) {
    case 0:
      return pick(random, 1, std::min<size_t>(limit, 20));
    case 1:
      return pick(random, 1, limit);
    case 2:
      return std::min(limit, 8 * pick(random, 1, 16));
    default:
      return std::min(limit, 48 * pick(random, 1, 4) + pick(random, 0, 2) - 1);
  }
}

struct Case {
  Matrix a;
  Matrix b;
  size_t pitch;
  std::vector<float> psum;
  PsumWrite write;
};

enum class Values { Moderate, AnyFinite, AnyBits };

Case random_case(Random& random, Dtype stationary, Dtype moving, Values values) {
  const size_t k = random_extent(random, 128);
  Case c{Matrix(stationary, k, random_extent(random, 40)),
         Matrix(moving, k, random_extent(random, 110)),
         0,
         {},
         pick(random, 0, 1) ? PsumWrite::Accumulate : PsumWrite::Overwrite};
  for (Matrix* matrix : {&c.a, &c.b}) {
    if (values == Values::Moderate)
      matrix->fill(random);
    else
      matrix->fill_bits(random, values == Values::AnyFinite);
  }
  c.pitch = c.b.columns() + pick(random, 0, 5);
  c.psum = random_floats(random, c.a.columns() * c.pitch);
  return c;
}

void expect_strict_bits(const Case& c, const char* what) {
  std::vector<float> expected = c.psum;
  multiply_strictly(c.a, c.b, expected, c.pitch, c.write);
  for (GemmUnit unit : available_units()) {
    if (takes_bf16(unit)) continue;
    std::vector<float> dst = c.psum;
    multiply(c.a, c.b, dst, c.pitch, c.write, unit);
    EXPECT_TRUE(same_bytes(dst, expected)) << what << " on " << name(unit) << ", k " << c.a.k()
                                           << " m " << c.a.columns() << " n " << c.b.columns();
  }
}

TEST(GemmStrict, EveryTypeHasTheBitsOfTheDefinitionOnEveryUnit) {
  Random random(1);
  for (Dtype stationary : kMatmulDtypes)
    for (Dtype moving : kMatmulDtypes)
      for (Values values :
           {Values::Moderate, Values::Moderate, Values::Moderate, Values::Moderate,
            Values::AnyFinite, Values::AnyFinite, Values::AnyFinite, Values::AnyBits})
        expect_strict_bits(random_case(random, stationary, moving, values),
                           std::string(numerics::name(stationary)).c_str());
}

TEST(GemmStrict, TheUnitsThatTheHostHasAreNamed) {
  for (GemmUnit unit : kGemmUnits)
    std::printf("[ unit     ] %s: %s\n", std::string(name(unit)).c_str(),
                is_available(unit) ? "ran" : "not on this host, or not in use");
  EXPECT_TRUE(is_available(GemmUnit::Scalar));
}

TEST(GemmStrict, DenormalOperandsAndSumsAreKept) {
  Random random(2);
  Matrix a(Dtype::BF16, 40, 9), b(Dtype::BF16, 40, 50);
  a.fill(random, -3e-39f, 3e-39f);
  b.fill(random, -0.5f, 0.5f);
  const Case c{a, b, 50, std::vector<float>(9 * 50, 1e-40f), PsumWrite::Accumulate};
  expect_strict_bits(c, "denormals");
  std::vector<float> dst = c.psum;
  multiply(a, b, dst, 50, PsumWrite::Overwrite,
           choose_unit(Dtype::F32, Dtype::F32, GemmOrder::Strict));
  EXPECT_TRUE(std::any_of(dst.begin(), dst.end(), [](float x) { return x != 0; }));
}

TEST(GemmStrict, FullMatmulTileHasTheBitsOfTheDefinition) {
  Random random(3);
  Matrix a(Dtype::F32, 128, 128), b(Dtype::F32, 128, 512);
  a.fill(random);
  b.fill(random);
  expect_strict_bits({a, b, 528, random_floats(random, 128 * 528), PsumWrite::Accumulate}, "tile");
}

TEST(GemmStrict, TheSumStartsFromZeroAndMeetsThePsumValueLast) {
  // 1 + 2^-24 rounds to 1, but the sum 2^-24 + 2^-24 added at the end does not.
  Matrix a(Dtype::F32, 2, 1), b(Dtype::F32, 2, 1);
  for (size_t k = 0; k < 2; ++k) {
    a.set(k, 0, 0x1p-24f);
    b.set(k, 0, 1.0f);
  }
  for (GemmUnit unit : available_units()) {
    if (takes_bf16(unit)) continue;
    std::vector<float> dst = {1.0f};
    multiply(a, b, dst, 1, PsumWrite::Accumulate, unit);
    EXPECT_EQ(dst[0], 1.0f + 0x1p-23f) << name(unit);
  }
}

TEST(GemmStrict, AnFp32ProductIsNotRoundedBeforeItIsAdded) {
  // (1 + e)(1 - e) - 1 = -e^2 with e = 2^-13: the product alone would round to 1.
  Matrix a(Dtype::F32, 2, 1), b(Dtype::F32, 2, 1);
  a.set(0, 0, -1.0f);
  b.set(0, 0, 1.0f);
  a.set(1, 0, 1.0f + 0x1p-13f);
  b.set(1, 0, 1.0f - 0x1p-13f);
  for (GemmUnit unit : available_units()) {
    if (takes_bf16(unit)) continue;
    std::vector<float> dst = {0.0f};
    multiply(a, b, dst, 1, PsumWrite::Overwrite, unit);
    EXPECT_EQ(dst[0], -0x1p-26f) << name(unit);
  }
}

TEST(GemmStrict, Tf32IgnoresTheLow13Bits) {
  Matrix a(Dtype::TF32, 1, 1), b(Dtype::F32, 1, 1);
  Matrix bits(Dtype::F32, 1, 1);
  bits.set(0, 0, std::bit_cast<float>(0x3f801fffu));
  b.set(0, 0, 1.0f);
  MatmulOperand tf32 = bits.operand();
  tf32.dtype = Dtype::TF32;
  const PackedA stationary(tf32, GemmLayout::F32);
  const PackedB moving(b.operand(), GemmLayout::F32);
  float dst = 0;
  matmul_packed(stationary.tile, moving.tile, {&dst, 1}, PsumWrite::Overwrite, GemmUnit::Scalar);
  EXPECT_EQ(dst, 1.0f);
}

TEST(GemmStrict, ChosenUnitIsStrictForFp32AndForStrictOrder) {
  for (Dtype dtype : kMatmulDtypes) {
    EXPECT_FALSE(takes_bf16(choose_unit(dtype, dtype, GemmOrder::Strict)));
    const GemmUnit unit = choose_unit(dtype, dtype, GemmOrder::Default);
    EXPECT_TRUE(fits_bf16(dtype) || !takes_bf16(unit)) << numerics::name(dtype);
  }
  EXPECT_FALSE(takes_bf16(choose_unit(Dtype::BF16, Dtype::F16, GemmOrder::Default)));
}

}  // namespace
}  // namespace trainyard::sim
