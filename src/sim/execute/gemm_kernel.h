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

// A strip of dst and the instructions that add to it, in program order. Row and column are the
// strip's place inside the instruction's tile.
struct GemmStrip {
  const GemmStep* instructions;
  size_t instruction_count;
  size_t row, rows;
  size_t column, columns;
  float* dst;  // of the strip's first element
  size_t pitch;
  bool accumulate;  // false: the first instruction overwrites
};

using GemmKernel = void (*)(const GemmStrip&);

// How to run a unit. A kernel gets a strip of whole blocks: 16, 32 or 48 columns, at most
// `columns`, and either a multiple of `rows` or a smaller power of two, at least `min_rows`. The
// ragged rest of a tile goes through a copy.
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
inline constexpr size_t kMaxRows = 32;

const GemmRunner& runner_of(GemmUnit unit);

// matmul_packed and matmul_nest on a given runner.
void run_packed(const PackedStationary& stationary, const PackedMoving& moving, const PsumTile& dst,
                PsumWrite write, const GemmRunner& runner);
void run_nest(const MatmulNest& nest, const NestPart& part, const GemmRunner& runner);

// Fetches the next moving panel in equal shares, one per block of a strip, so that the panel is in
// L1 when its strip starts. The panels of several instructions do not fit there and are left alone.
// Past the last panel of a tile it fetches what lies behind, which is harmless.
class PanelPrefetch {
 public:
  PanelPrefetch(const GemmStrip& strip, size_t block_rows) {
    const GemmStep& step = strip.instructions[0];
    next_ =
        reinterpret_cast<const char*>(step.moving + (strip.column + strip.columns) * step.steps);
    if (strip.instruction_count == 1)
      share_ = strip.columns * step.steps * sizeof(uint32_t) / (strip.rows / block_rows);
  }
  void next_share() {
    for (size_t i = 0; i < share_; i += 64) __builtin_prefetch(next_ + i);
    next_ += share_;
  }

 private:
  const char* next_;
  size_t share_ = 0;
};

void gemm_strip_scalar(const GemmStrip& strip);
void gemm_strip_avx2(const GemmStrip& strip);
void gemm_strip_avx512(const GemmStrip& strip);
void gemm_strip_avx512_bf16(const GemmStrip& strip);

}  // namespace trainyard::sim
