#pragma once
// Operands of nc_matmul in the form that the kernels read. A tile is packed once and multiplied
// many times. The caller owns the memory: 64-byte aligned, packed_bytes() long, alive and unchanged
// as long as the packed tile is used.
#include <cstddef>
#include <cstdint>
#include <span>

#include "numerics/dtype.h"
#include "sim/execute/gemm_unit.h"

namespace trainyard::sim {

// An operand as it lies in SBUF or HBM: row = partition = k, columns = the free axis.
struct MatmulOperand {
  const std::byte* data = nullptr;
  numerics::Dtype dtype = numerics::Dtype::F32;
  size_t k = 0;
  size_t columns = 0;
  ptrdiff_t pitch = 0;        // bytes from row k to row k + 1
  ptrdiff_t column_step = 1;  // elements from column to column
  // Double-row operands [neuroncore 2.1.5]: row k lies at (k / fold) * fold_pitch + (k % fold) *
  // pitch. 0: no fold.
  size_t fold = 0;
  ptrdiff_t fold_pitch = 0;  // bytes
};

// The layouts of gemm_kernel.h and gemm_amx.h. All fp32 units share one.
enum class GemmLayout : uint8_t { F32, Bf16Pairs, Bf16Tiles };
GemmLayout layout_of(GemmUnit unit);

enum class GemmSide : uint8_t { Stationary, Moving };

// A packed tile. Side is part of the type, so that the operands cannot be swapped.
template <GemmSide Side>
struct PackedTile {
  const uint32_t* words = nullptr;
  size_t k = 0;
  size_t columns = 0;  // m of a stationary tile, n of a moving one
  GemmLayout layout = GemmLayout::F32;
};
using PackedStationary = PackedTile<GemmSide::Stationary>;
using PackedMoving = PackedTile<GemmSide::Moving>;

// Words along k, per row or column, that a kernel steps over (AMX: tiles).
size_t packed_steps(GemmLayout layout, size_t k);
size_t packed_bytes(GemmLayout layout, GemmSide side, size_t k, size_t columns);

// Fills `buffer` and returns the tile in it. Every value is kept exactly; padding is zero. A bf16
// layout takes only types that fit_bf16(); integers are not matmul operands.
PackedStationary pack_stationary(const MatmulOperand& operand, GemmLayout layout,
                                 std::span<std::byte> buffer);
PackedMoving pack_moving(const MatmulOperand& operand, GemmLayout layout,
                         std::span<std::byte> buffer);

}  // namespace trainyard::sim
