#pragma once
// The register-block kernels behind matmul_packed and matmul_nest. Internal to gemm_*.
//
// Shape of the data, for all units but AMX: packed operands are 32-bit words, one fp32 value or
// a pair of bf16 values of neighbouring k. `steps` counts words along k (K, or K/2 rounded up).
//   stationary: panels of 8 rows     word[m / 8][step][m % 8]
//   moving:     panels of 48 columns word[n / 48][step][n % 48], the last one only as wide as
//               needed, in whole vectors of 16
// so the panel that starts at row m or column n lies `m * steps` or `n * steps` words into the
// tile, and a kernel reads both operands front to back. AMX tiles are described in gemm_amx.h.
#include <cstddef>
#include <cstdint>

#include "sim/execute/gemm_matmul.h"

// Before a loop over registers: an array of sums lives in registers only where every index into it
// is a constant. GCC 12 leaves such loops alone otherwise, even at -O3.
#if defined(__clang__)
#define TY_UNROLL _Pragma("unroll")
#else
#define TY_UNROLL _Pragma("GCC unroll 16")
#endif

namespace trainyard::sim {

inline constexpr size_t kPanelRows = 8;
inline constexpr size_t kPanelColumns = 48;
inline constexpr size_t kVectorColumns = 16;

// The operands of one matmul instruction, packed.
struct GemmStep {
  const uint32_t* stationary;
  const uint32_t* moving;
  size_t steps;
};

// One block of dst and the instructions that add to it, in program order. Row and column are the
// block's place inside the instruction's tile.
struct GemmBlock {
  const GemmStep* instructions;
  size_t instruction_count;
  size_t row, rows;
  size_t column, columns;
  float* dst;  // of the block's first element
  size_t pitch;
  bool accumulate;  // false: the first instruction overwrites
};

using GemmKernel = void (*)(const GemmBlock&);

// How to run a unit. A kernel gets whole blocks only: 16, 32 or 48 columns, and a power of two of
// rows, at least `min_rows` and at most `rows`. A ragged block goes through a copy.
struct GemmRunner {
  GemmLayout layout;
  GemmKernel kernel;
  size_t rows;
  size_t columns;
  size_t min_rows;
  // Instructions of k that one call of the kernel adds up.
  size_t chunk;
  // Around the kernel calls of one thread.
  void (*enter)();
  void (*leave)();
};

inline constexpr size_t kMaxChunk = 4;
inline constexpr size_t kMaxBlockRows = 32;

const GemmRunner& runner_of(GemmUnit unit);

// matmul_packed and matmul_nest on a given runner.
void run_packed(const PackedStationary& stationary, const PackedMoving& moving, const PsumTile& dst,
                PsumWrite write, const GemmRunner& runner);
void run_nest(const MatmulNest& nest, const NestPart& part, const GemmRunner& runner);

void gemm_block_scalar(const GemmBlock& block);
void gemm_block_avx2(const GemmBlock& block);
void gemm_block_avx512(const GemmBlock& block);
void gemm_block_avx512_bf16(const GemmBlock& block);

}  // namespace trainyard::sim
