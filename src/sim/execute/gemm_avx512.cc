// fp32 kernel for AVX-512: strict order, blocks of 8 x 48.
//
// Data: gemm_kernel.h. A block keeps 24 sums in registers; a step along k is 3 vector loads of the
// moving panel and 8 broadcasts of the stationary one for 24 fused multiply-adds. Each instruction
// sums from 0 and ends with one add to dst, so dst is touched once per 128 steps and stays in L1
// over the instructions of a nest.
// Measured on one Zen 4 core (1 FMA a cycle, 116 GFLOP/s peak): bench/README.md has the figures.
// Lost: 8 x 32 and 4 x 64 need more loads per multiply (as fast on Zen 4, slower where a core has
// two FMA units); 14 x 32 does not divide 128 rows; a second register set for the PSUM value
// halves the block.
// Guard: `gemm_bench`, line "fp32 share of FMA peak".
#include <immintrin.h>

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

template <int Rows, int Vectors>
TY_AVX512_INLINE void add_instruction(const GemmBlock& block, const GemmStep& step,
                                      bool accumulate) {
  const auto* a = reinterpret_cast<const float*>(step.stationary) + block.row * step.steps;
  const auto* b = reinterpret_cast<const float*>(step.moving) + block.column * step.steps;
  __m512 sum[Rows][Vectors];
  TY_UNROLL for (auto& row : sum) {
    TY_UNROLL for (auto& x : row) { x = _mm512_setzero_ps(); }
  }
  for (size_t k = 0; k < step.steps; ++k, a += kPanelRows, b += Vectors * 16) {
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
      float* dst = block.dst + i * block.pitch + 16 * j;
      const __m512 x = accumulate ? _mm512_add_ps(_mm512_loadu_ps(dst), sum[i][j]) : sum[i][j];
      _mm512_storeu_ps(dst, one_nan(x));
    }
  }
}

template <int Rows, int Vectors>
TY_AVX512 void run(const GemmBlock& block) {
  for (size_t i = 0; i < block.instruction_count; ++i)
    add_instruction<Rows, Vectors>(block, block.instructions[i], block.accumulate || i > 0);
}

constexpr GemmKernel kKernels[4][3] = {{run<1, 1>, run<1, 2>, run<1, 3>},
                                       {run<2, 1>, run<2, 2>, run<2, 3>},
                                       {run<4, 1>, run<4, 2>, run<4, 3>},
                                       {run<8, 1>, run<8, 2>, run<8, 3>}};

}  // namespace

void gemm_block_avx512(const GemmBlock& block) {
  kKernels[std::countr_zero(block.rows)][block.columns / kVectorColumns - 1](block);
}

}  // namespace trainyard::sim
