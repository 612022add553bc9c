// fp32 kernel for AVX-512: strict order, blocks of 8 x 48.
//
// Data: gemm_kernel.h. A block keeps 24 sums in registers; a step along k is 3 vector loads of the
// moving panel and 8 broadcasts of the stationary one for 24 fused multiply-adds. Each instruction
// sums from 0 and ends with one add to dst, so dst is touched once per 128 steps and stays in L1
// over the instructions of a nest.
// Measured on one Zen 4 core: 115 GFLOP/s per instruction in L2, 93 % of FMA peak for packed 2048^3
// (bench/README.md). 88 % before each block fetched its share of the next moving panel.
// Not taken: 8 x 32 and 4 x 64 (measured in bf16: as fast on Zen 4) need more loads per multiply;
// 14 x 32 does not divide 128 rows; keeping the PSUM value in registers too would halve the block.
// Guard: `gemm_bench`, part "fp32".
#include <immintrin.h>

#include <algorithm>
#include <bit>

#include "sim/execute/gemm_kernel.h"

#define TY_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#define TY_AVX512_INLINE TY_AVX512 __attribute__((always_inline)) inline

namespace trainyard::sim {
namespace {

// See one_nan in gemm_scalar.cc: the bits of a NaN must not depend on the path.
TY_AVX512_INLINE __m512 one_nan(__m512 x) {
  const __mmask16 nan = _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q);
  return _mm512_mask_mov_ps(x, nan, _mm512_castsi512_ps(_mm512_set1_epi32(0x7fc00000)));
}

// One block of one instruction; a and b are its panels.
template <int Rows, int Vectors>
TY_AVX512_INLINE void add_block(const float* a, const float* b, size_t steps, const PsumTile& dst,
                                bool accumulate) {
  __m512 sum[Rows][Vectors];
  TY_UNROLL for (auto& row : sum) {
    TY_UNROLL for (auto& x : row) { x = _mm512_setzero_ps(); }
  }
  for (size_t k = 0; k < steps; ++k, a += kPanelRows, b += Vectors * 16) {
    __m512 moving[Vectors];
    TY_UNROLL for (int j = 0; j < Vectors; ++j) { moving[j] = _mm512_load_ps(b + 16 * j); }
    TY_UNROLL for (int i = 0; i < Rows; ++i) {
      const __m512 stationary = _mm512_set1_ps(a[i]);
      TY_UNROLL for (int j = 0; j < Vectors; ++j) {
        sum[i][j] = _mm512_fmadd_ps(stationary, moving[j], sum[i][j]);
      }
    }
  }
  TY_UNROLL for (int i = 0; i < Rows; ++i) {
    TY_UNROLL for (int j = 0; j < Vectors; ++j) {
      float* to = dst.data + i * dst.pitch + 16 * j;
      const __m512 x = accumulate ? _mm512_add_ps(_mm512_loadu_ps(to), sum[i][j]) : sum[i][j];
      _mm512_storeu_ps(to, one_nan(x));
    }
  }
}

template <int Rows, int Vectors>
TY_AVX512 void run(const GemmStrip& strip) {
  PanelPrefetch prefetch(strip, Rows);
  for (size_t m = 0; m < strip.rows; m += Rows) {
    prefetch.next_share();
    for (size_t t = 0; t < strip.instruction_count; ++t) {
      const GemmStep& step = strip.instructions[t];
      add_block<Rows, Vectors>(
          reinterpret_cast<const float*>(step.stationary) + (strip.row + m) * step.steps,
          reinterpret_cast<const float*>(step.moving) + strip.column * step.steps, step.steps,
          {strip.dst + m * strip.pitch, strip.pitch}, strip.accumulate || t > 0);
    }
  }
}

constexpr GemmKernel kKernels[4][3] = {{run<1, 1>, run<1, 2>, run<1, 3>},
                                       {run<2, 1>, run<2, 2>, run<2, 3>},
                                       {run<4, 1>, run<4, 2>, run<4, 3>},
                                       {run<8, 1>, run<8, 2>, run<8, 3>}};

}  // namespace

void gemm_strip_avx512(const GemmStrip& strip) {
  const size_t rows = std::min(strip.rows, kPanelRows);
  kKernels[std::countr_zero(rows)][strip.columns / kVectorColumns - 1](strip);
}

}  // namespace trainyard::sim
