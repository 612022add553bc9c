// A fused nest gives the bytes of its instructions one at a time, however it is divided.
#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <thread>

#include "sim/execute/gemm_soft_tiles.h"
#include "sim/execute/gemm_test_oracle.h"

namespace trainyard::sim {
namespace {

using namespace test;

// A product of m x k x n tiles, the last tile of each axis ragged.
struct TiledProduct {
  std::vector<size_t> m, n, k;  // extents of the tiles
  std::deque<PackedA> rooms_a;
  std::deque<PackedB> rooms_b;
  std::vector<PackedStationary> stationary;
  std::vector<PackedMoving> moving;

  TiledProduct(Random& random, Dtype dtype, GemmLayout layout) {
    m = extents(random, 3, 70);
    n = extents(random, 3, 110);
    k = extents(random, 7, 70);
    for (size_t rows : k)
      for (size_t columns : m) {
        Matrix a(dtype, rows, columns);
        a.fill(random);
        rooms_a.emplace_back(a.operand(), layout);
        stationary.push_back(rooms_a.back().tile);
      }
    for (size_t rows : k)
      for (size_t columns : n) {
        Matrix b(dtype, rows, columns);
        b.fill(random);
        rooms_b.emplace_back(b.operand(), layout);
        moving.push_back(rooms_b.back().tile);
      }
  }

  static std::vector<size_t> extents(Random& random, size_t most, size_t limit) {
    std::vector<size_t> tiles(pick(random, 1, most), pick(random, 1, limit));
    tiles.back() = pick(random, 1, limit);
    return tiles;
  }
};

// Result tiles in one block of memory.
struct Result {
  std::vector<float> values;
  std::vector<PsumTile> tiles;

  Result(const TiledProduct& product, Random random) {
    size_t total = 0;
    for (size_t m : product.m)
      for (size_t n : product.n) total += m * (n + 3);
    values = random_floats(random, total);
    float* next = values.data();
    for (size_t m : product.m)
      for (size_t n : product.n) {
        tiles.push_back({next, n + 3});
        next += m * (n + 3);
      }
  }
  Result(const Result&) = delete;

  MatmulNest nest(const TiledProduct& product, PsumWrite first) const {
    return {product.m.size(),
            product.n.size(),
            product.k.size(),
            product.stationary,
            product.moving,
            tiles,
            first};
  }
};

void run_instructions(const MatmulNest& nest, const GemmRunner& runner) {
  for (size_t m = 0; m < nest.m_tiles; ++m)
    for (size_t n = 0; n < nest.n_tiles; ++n)
      for (size_t k = 0; k < nest.k_tiles; ++k)
        run_packed(nest.stationary[k * nest.m_tiles + m], nest.moving[k * nest.n_tiles + n],
                   nest.dst[m * nest.n_tiles + n], k > 0 ? PsumWrite::Accumulate : nest.first,
                   runner);
}

bool same_bytes(const Result& a, const Result& b) {
  return std::memcmp(a.values.data(), b.values.data(), a.values.size() * sizeof(float)) == 0;
}

void expect_nest_equals_instructions(const GemmRunner& runner, Dtype dtype, int cases) {
  Random random(21);
  for (int i = 0; i < cases; ++i) {
    const TiledProduct product(random, dtype, runner.layout);
    const PsumWrite first = i % 2 ? PsumWrite::Accumulate : PsumWrite::Overwrite;
    Result whole(product, Random(i)), single(product, Random(i)), parts(product, Random(i));
    run_instructions(single.nest(product, first), runner);
    const size_t m = product.m.size(), n = product.n.size();
    run_nest(whole.nest(product, first), {0, m, 0, n}, runner);
    EXPECT_TRUE(same_bytes(whole, single)) << "case " << i;
    const MatmulNest nest = parts.nest(product, first);
    const size_t m_cut = pick(random, 0, m), n_cut = pick(random, 0, n);
    run_nest(nest, {0, m_cut, 0, n}, runner);
    run_nest(nest, {m_cut, m, n_cut, n}, runner);
    run_nest(nest, {m_cut, m, 0, n_cut}, runner);
    EXPECT_TRUE(same_bytes(parts, single)) << "case " << i;
  }
}

TEST(GemmNest, HasTheBytesOfItsInstructionsOnEveryUnit) {
  for (GemmUnit unit : available_units()) {
    SCOPED_TRACE(name(unit));
    const int cases = unit == GemmUnit::Scalar ? 3 : 40;
    expect_nest_equals_instructions(runner_of(unit), Dtype::BF16, cases);
    if (!takes_bf16(unit)) expect_nest_equals_instructions(runner_of(unit), Dtype::F32, cases);
  }
}

TEST(GemmNest, HasTheBytesOfItsInstructionsOnAmxInSoftware) {
  expect_nest_equals_instructions(kSoftAmx, Dtype::BF16, 4);
}

TEST(GemmNest, TwoThreadsGiveTheBytesOfOne) {
  for (GemmUnit unit : available_units()) {
    Random random(22);
    const TiledProduct product(random, Dtype::BF16, layout_of(unit));
    Result one(product, Random(5)), two(product, Random(5));
    matmul_nest(one.nest(product, PsumWrite::Overwrite), unit);
    const MatmulNest nest = two.nest(product, PsumWrite::Overwrite);
    const size_t m = product.m.size(), n = product.n.size();
    std::thread other([&] { matmul_nest(nest, {m / 2, m, 0, n}, unit); });
    matmul_nest(nest, {0, m / 2, 0, n}, unit);
    other.join();
    EXPECT_TRUE(same_bytes(one, two)) << name(unit);
  }
}

// An element does not see which other rows and columns share its instruction.
TEST(GemmNest, CuttingAnInstructionInColumnsOrRowsKeepsEveryByte) {
  for (GemmUnit unit : available_units()) {
    Random random(23);
    for (int i = 0; i < 20; ++i) {
      Matrix a(Dtype::BF16, pick(random, 1, 128), pick(random, 2, 128));
      Matrix b(Dtype::BF16, a.k(), pick(random, 2, 512));
      a.fill(random);
      b.fill(random);
      const auto psum = random_floats(random, a.columns() * b.columns());
      std::vector<float> whole = psum, cut = psum;
      multiply(a, b, whole, b.columns(), PsumWrite::Accumulate, unit);
      const size_t m = pick(random, 1, a.columns() - 1), n = pick(random, 1, b.columns() - 1);
      for (size_t r : {size_t{0}, m})
        for (size_t c : {size_t{0}, n}) {
          const PackedA stationary(a.columns(r, r ? a.columns() - m : m), layout_of(unit));
          const PackedB moving(b.columns(c, c ? b.columns() - n : n), layout_of(unit));
          matmul_packed(stationary.tile, moving.tile, {&cut[r * b.columns() + c], b.columns()},
                        PsumWrite::Accumulate, unit);
        }
      EXPECT_EQ(std::memcmp(whole.data(), cut.data(), whole.size() * sizeof(float)), 0)
          << name(unit);
    }
  }
}

}  // namespace
}  // namespace trainyard::sim
