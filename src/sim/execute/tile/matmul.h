#pragma once
// nc_matmul on views: packs the operands for the host's best unit and lets gemm_* multiply.
#include "sim/execute/gemm_matmul.h"
#include "sim/execute/tile/context.h"
#include "sim/execute/tile/host_buffer.h"

namespace trainyard::sim {

// One operand of the instruction. In double-row form the pattern is that of the first half, and the
// second lies `fold_pitch` bytes behind it: row k of both is (k / rows) * fold_pitch + (k % rows)
// * pitch. [neuroncore 2.1.5]
struct MatmulTile {
  Pattern pattern;
  bool double_row = false;
  int64_t fold_pitch = 0;

  int64_t k() const { return pattern.rows * (double_row ? 2 : 1); }
};

PackedStationary pack_stationary(const MatmulTile& tile, const std::byte* data, GemmLayout layout,
                                 std::span<std::byte> buffer);
PackedMoving pack_moving(const MatmulTile& tile, const std::byte* data, GemmLayout layout,
                         std::span<std::byte> buffer);

// dst rows are the array's columns. Whether each element is overwritten or added to:
enum class PsumState : uint8_t {
  Fresh,    // nothing was written: overwrite
  Written,  // everything was: add
  Mixed,    // by `written`, one byte per element in row-major order
};

// One instruction on packed operands.
struct MatmulWork {
  PackedStationary stationary;
  PackedMoving moving;
  GemmUnit unit = GemmUnit::Scalar;
};
void matmul(const MatmulWork& work, const View& dst, PsumState state, const uint8_t* written,
            ExecContext& context);

// dst = transpose of `stationary`, bit by bit; an 8-bit element fills 16 bits with zeros above.
// [neuroncore 2.1.7]
void matmul_transpose(const View& dst, const View& stationary);

// The same on a core whose array has no transpose mode: a product with the identity, so that a NaN
// or Inf spoils its row of sums. [neuroncore 2.1.7]
void transpose_by_identity(const View& dst, const View& data, ExecContext& context);

// Whether gemm_* may write the rows of `dst` itself.
inline bool is_psum_tile(const Pattern& p) { return is_direct(p) && p.pitch % 4 == 0; }

}  // namespace trainyard::sim
