#pragma once
// The values of nc_matmul: dst[m, n] (+)= sum over k of stationary[k, m] * moving[k, n], products
// exact, sums in fp32 [neuroncore 2.1.1, 5.4; order: GemmOrder in gemm_unit.h].
//
// The order of the sum of one dst element depends on the k of its instructions and on the unit
// alone: not on the blocking, not on how a nest is divided among threads, not on the other rows
// and columns. So matmul_nest and a sequence of matmul_packed give the same bytes.
#include <cstddef>
#include <cstdint>
#include <span>

#include "sim/execute/gemm_pack.h"

namespace trainyard::sim {

// fp32 accumulators, row m at data + m * pitch. A pitch that is not a multiple of 1,024 floats
// keeps the rows out of each other's cache sets.
struct PsumTile {
  float* data = nullptr;
  size_t pitch = 0;  // floats
};

enum class PsumWrite : uint8_t { Overwrite, Accumulate };

// One instruction. Both tiles have the unit's layout and the same k; any size may be zero, and a
// product over k = 0 is zero. `dst` overlaps no operand.
void matmul_packed(const PackedStationary& stationary, const PackedMoving& moving,
                   const PsumTile& dst, PsumWrite write, GemmUnit unit);

// A loop nest of instructions. For each m and n, the instructions of all k run in order; the first
// does what `first` says and the others accumulate. Tiles of one m, n or k have equal extents.
struct MatmulNest {
  size_t m_tiles = 0;
  size_t n_tiles = 0;
  size_t k_tiles = 0;
  std::span<const PackedStationary> stationary;  // [k * m_tiles + m]
  std::span<const PackedMoving> moving;          // [k * n_tiles + n]
  std::span<const PsumTile> dst;                 // [m * n_tiles + n], disjoint
  PsumWrite first = PsumWrite::Overwrite;
};

// Tiles m_begin <= m < m_end, n_begin <= n < n_end of a nest: one thread's share.
struct NestPart {
  size_t m_begin = 0;
  size_t m_end = 0;
  size_t n_begin = 0;
  size_t n_end = 0;
};

void matmul_nest(const MatmulNest& nest, const NestPart& part, GemmUnit unit);
void matmul_nest(const MatmulNest& nest, GemmUnit unit);

}  // namespace trainyard::sim
