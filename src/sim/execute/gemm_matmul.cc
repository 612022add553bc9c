// Blocking of packed products. A kernel call computes one register block over a chunk of a nest's
// k instructions.
//
// Order of loops in a nest: n tile, chunk of k, m tile, then blocks. The moving tiles of a chunk
// (512 columns x 512 k of bf16: 512 KiB) stay in L2 for all m; the stationary panel of a block is
// in L1; dst is read and written once per chunk instead of once per instruction.
// Measured on one Zen 4 core: see the table of bench/README.md.
// Guard: `gemm_bench`, lines "matmul_packed" and "matmul_nest" against "raw tile loop".
#include "sim/execute/gemm_matmul.h"

#include <algorithm>

#include "base/check.h"
#include "sim/execute/gemm_amx.h"
#include "sim/execute/gemm_kernel.h"

namespace trainyard::sim {
namespace {

inline constexpr size_t kMaxChunk = 4;

// How to run a unit: its kernel, the block that the kernel takes, and how many instructions of k
// one kernel call adds up. AMX reads both operands at the full L1 rate, so its chunk must leave a
// moving panel in L1; the others can read it from L2.
struct Runner {
  GemmKernel kernel;
  size_t rows;
  size_t columns;
  size_t chunk;
};

constexpr Runner kRunners[] = {
    {gemm_block_scalar, kPanelRows, kPanelColumns, 1},
    {gemm_block_avx2, kPanelRows, kPanelColumns, 1},
    {gemm_block_avx512, kPanelRows, kPanelColumns, 4},
    {gemm_block_avx512_bf16, kPanelRows, kPanelColumns, 4},
    {gemm_block_amx, kAmxBlock, kAmxBlock, 2},
};

const Runner& runner_of(GemmUnit unit) { return kRunners[static_cast<size_t>(unit)]; }

// Tile registers belong to the calling thread while this lives.
class UnitScope {
 public:
  explicit UnitScope(GemmUnit unit) : uses_tiles_(unit == GemmUnit::AmxBf16) {
    if (uses_tiles_) amx_enter();
  }
  ~UnitScope() {
    if (uses_tiles_) amx_leave();
  }
  UnitScope(const UnitScope&) = delete;
  UnitScope& operator=(const UnitScope&) = delete;

 private:
  bool uses_tiles_;
};

// The instructions of one dst tile and the tile's extents.
struct TileProduct {
  std::span<const GemmStep> instructions;
  size_t m;
  size_t n;
};

void run_tile(const Runner& runner, const TileProduct& product, const PsumTile& dst,
              bool accumulate) {
  for (size_t n = 0; n < product.n; n += runner.columns)
    for (size_t m = 0; m < product.m; m += runner.rows)
      runner.kernel({.instructions = product.instructions.data(),
                     .instruction_count = product.instructions.size(),
                     .row = m,
                     .rows = std::min(product.m - m, runner.rows),
                     .column = n,
                     .columns = std::min(product.n - n, runner.columns),
                     .dst = dst.data + m * dst.pitch + n,
                     .pitch = dst.pitch,
                     .accumulate = accumulate});
}

GemmStep step_of(const PackedStationary& stationary, const PackedMoving& moving, GemmUnit unit) {
  const GemmLayout layout = layout_of(unit);
  TY_CHECK(stationary.layout == layout && moving.layout == layout);
  TY_CHECK(stationary.k == moving.k);
  return {stationary.words, moving.words, packed_steps(layout, stationary.k)};
}

void check_part(const MatmulNest& nest, const NestPart& part) {
  TY_CHECK(nest.stationary.size() == nest.k_tiles * nest.m_tiles);
  TY_CHECK(nest.moving.size() == nest.k_tiles * nest.n_tiles);
  TY_CHECK(nest.dst.size() == nest.m_tiles * nest.n_tiles);
  TY_CHECK(part.m_begin <= part.m_end && part.m_end <= nest.m_tiles);
  TY_CHECK(part.n_begin <= part.n_end && part.n_end <= nest.n_tiles);
}

// Instructions k_begin ... k_end - 1 of the dst tile (m, n).
void run_chunk(const MatmulNest& nest, size_t m, size_t n, size_t k_begin, size_t k_end,
               GemmUnit unit) {
  GemmStep steps[kMaxChunk];
  const size_t rows = nest.stationary[m].columns;
  const size_t columns = nest.moving[n].columns;
  for (size_t k = k_begin; k < k_end; ++k) {
    const PackedStationary& stationary = nest.stationary[k * nest.m_tiles + m];
    const PackedMoving& moving = nest.moving[k * nest.n_tiles + n];
    TY_CHECK(stationary.columns == rows && moving.columns == columns);
    steps[k - k_begin] = step_of(stationary, moving, unit);
  }
  const bool accumulate = k_begin > 0 || nest.first == PsumWrite::Accumulate;
  run_tile(runner_of(unit), {{steps, k_end - k_begin}, rows, columns},
           nest.dst[m * nest.n_tiles + n], accumulate);
}

}  // namespace

void matmul_packed(const PackedStationary& stationary, const PackedMoving& moving,
                   const PsumTile& dst, PsumWrite write, GemmUnit unit) {
  const GemmStep step = step_of(stationary, moving, unit);
  const UnitScope scope(unit);
  run_tile(runner_of(unit), {{&step, 1}, stationary.columns, moving.columns}, dst,
           write == PsumWrite::Accumulate);
}

void matmul_nest(const MatmulNest& nest, const NestPart& part, GemmUnit unit) {
  check_part(nest, part);
  const size_t chunk = runner_of(unit).chunk;
  const UnitScope scope(unit);
  for (size_t n = part.n_begin; n < part.n_end; ++n)
    for (size_t k = 0; k < nest.k_tiles; k += chunk)
      for (size_t m = part.m_begin; m < part.m_end; ++m)
        run_chunk(nest, m, n, k, std::min(k + chunk, nest.k_tiles), unit);
}

void matmul_nest(const MatmulNest& nest, GemmUnit unit) {
  matmul_nest(nest, {0, nest.m_tiles, 0, nest.n_tiles}, unit);
}

}  // namespace trainyard::sim
