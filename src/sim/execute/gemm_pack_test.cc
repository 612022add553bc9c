// Packed tiles hold every value once, at the place that the layout names, and zeros elsewhere.
#include <gtest/gtest.h>

#include "numerics/simd.h"
#include "sim/execute/gemm_amx.h"
#include "sim/execute/gemm_kernel.h"
#include "sim/execute/gemm_test_oracle.h"

namespace trainyard::sim {
namespace {

using namespace test;

// The word of element (k, column), and whether it is the upper half of a pair.
struct Place {
  size_t word;
  bool high;
};

Place place_of(GemmLayout layout, GemmSide side, const MatmulOperand& o, size_t k, size_t c) {
  const size_t steps = packed_steps(layout, o.k);
  if (layout == GemmLayout::Bf16Tiles) {
    const size_t tile = (c / 16 * steps + k / 32) * 256, pair = k % 32 / 2;
    const size_t inside = side == GemmSide::Stationary ? c % 16 * 16 + pair : pair * 16 + c % 16;
    return {tile + inside, k % 2 == 1};
  }
  const size_t step = layout == GemmLayout::F32 ? k : k / 2;
  const bool high = layout != GemmLayout::F32 && k % 2 == 1;
  if (side == GemmSide::Stationary) return {c / 8 * 8 * steps + step * 8 + c % 8, high};
  const size_t panel = c / 48 * 48;
  const size_t width = std::min<size_t>(48, (o.columns - panel + 15) / 16 * 16);
  return {panel * steps + step * width + c % 48, high};
}

template <GemmSide Side>
void expect_every_value_in_place(const Matrix& matrix, const MatmulOperand& operand,
                                 GemmLayout layout, size_t first_column, size_t column_step) {
  const PackedMatrix<Side> packed(operand, layout);
  const size_t words = packed_bytes(layout, Side, operand.k, operand.columns) / 4;
  std::vector<uint32_t> expected(words, 0);
  for (size_t k = 0; k < operand.k; ++k)
    for (size_t c = 0; c < operand.columns; ++c) {
      const auto bits = std::bit_cast<uint32_t>(matrix.value(k, first_column + c * column_step));
      const Place place = place_of(layout, Side, operand, k, c);
      ASSERT_LT(place.word, words);
      if (layout == GemmLayout::F32)
        expected[place.word] = bits;
      else
        expected[place.word] |= place.high ? bits & 0xffff0000u : bits >> 16;
    }
  const std::vector<uint32_t> got(packed.tile.words, packed.tile.words + words);
  EXPECT_EQ(got, expected) << numerics::name(operand.dtype) << " layout "
                           << static_cast<int>(layout) << " k " << operand.k << " columns "
                           << operand.columns;
}

constexpr GemmLayout kLayouts[] = {GemmLayout::F32, GemmLayout::Bf16Pairs, GemmLayout::Bf16Tiles};

void expect_all_layouts(Random& random) {
  for (Dtype dtype : kMatmulDtypes)
    for (GemmLayout layout : kLayouts) {
      if (layout != GemmLayout::F32 && !fits_bf16(dtype)) continue;
      for (size_t columns : {size_t{1}, size_t{8}, size_t{16}, size_t{48}, pick(random, 1, 128),
                             pick(random, 100, 900)}) {
        Matrix matrix(dtype, pick(random, 1, 70), columns);
        matrix.fill(random);
        expect_every_value_in_place<GemmSide::Stationary>(matrix, matrix.operand(), layout, 0, 1);
        expect_every_value_in_place<GemmSide::Moving>(matrix, matrix.operand(), layout, 0, 1);
      }
    }
}

TEST(GemmPack, EveryTypeAndShapeLandsWhereTheLayoutSays) {
  Random random(31);
  expect_all_layouts(random);
}

TEST(GemmPack, HostsWithoutVectorUnitsPackTheSame) {
  ASSERT_TRUE(numerics::force_simd(numerics::Simd::Scalar).ok());
  Random random(32);
  expect_all_layouts(random);
  numerics::unforce_simd();
}

TEST(GemmPack, AStepBetweenColumnsIsFollowed) {
  Random random(33);
  for (Dtype dtype : {Dtype::F32, Dtype::BF16, Dtype::F8E4M3})
    for (GemmLayout layout : kLayouts) {
      if (layout != GemmLayout::F32 && !fits_bf16(dtype)) continue;
      Matrix matrix(dtype, 9, 200);
      matrix.fill(random);
      MatmulOperand operand = matrix.columns(2, 60);
      operand.column_step = 3;
      expect_every_value_in_place<GemmSide::Stationary>(matrix, operand, layout, 2, 3);
      expect_every_value_in_place<GemmSide::Moving>(matrix, operand, layout, 2, 3);
    }
}

TEST(GemmPack, DoubleRowOperandsFoldKOverThePartitions) {
  // [8 partitions, 2, 20]: logical k = r * 8 + partition.
  Random random(34);
  Matrix folded(Dtype::F8E4M3, 8, 40), flat(Dtype::F8E4M3, 16, 20);
  folded.fill(random);
  for (size_t k = 0; k < 16; ++k)
    for (size_t c = 0; c < 20; ++c) flat.set(k, c, folded.value(k % 8, k / 8 * 20 + c));
  MatmulOperand operand = folded.operand();
  operand.k = 16;
  operand.columns = 20;
  operand.fold = 8;
  operand.fold_pitch = 20;
  for (GemmLayout layout : kLayouts)
    expect_every_value_in_place<GemmSide::Moving>(flat, operand, layout, 0, 1);
}

TEST(GemmPack, EveryEightBitFloatIsExactInBf16) {
  for (Dtype dtype : kMatmulDtypes) {
    if (numerics::size_of(dtype) != 1) continue;
    for (uint32_t code = 0; code < 256; ++code) {
      const auto byte = static_cast<uint8_t>(code);
      float value;
      numerics::widen(dtype, &byte, &value, 1);
      EXPECT_EQ(std::bit_cast<uint32_t>(value) & 0xffffu, 0u) << numerics::name(dtype);
    }
  }
}

}  // namespace
}  // namespace trainyard::sim
