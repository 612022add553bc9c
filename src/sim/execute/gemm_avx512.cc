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

TY_AVX512_INLINE void add_to_dst(float* dst, __m512 sum, __mmask16 mask, bool accumulate) {
  if (accumulate) sum = _mm512_add_ps(_mm512_maskz_loadu_ps(mask, dst), sum);
  _mm512_mask_storeu_ps(dst, mask, one_nan(sum));
}

// Rows: registers per column vector, at least block.rows. Vectors: of 16 columns.
template <int Rows, int Vectors>
TY_AVX512 void instruction(const GemmBlock& block, const GemmStep& step, bool accumulate) {
  const auto* a = reinterpret_cast<const float*>(step.stationary) + block.row * step.steps;
  const auto* b = reinterpret_cast<const float*>(step.moving) + block.column * step.steps;
  __m512 sum[Rows][Vectors];
  TY_UNROLL for (auto& row : sum) TY_UNROLL for (auto& x : row) x = _mm512_setzero_ps();
  for (size_t k = 0; k < step.steps; ++k, a += kPanelRows, b += Vectors * 16) {
    __m512 moving[Vectors];
    TY_UNROLL for (int j = 0; j < Vectors; ++j) moving[j] = _mm512_load_ps(b + 16 * j);
    TY_UNROLL for (int i = 0; i < Rows; ++i) {
      const __m512 stationary = _mm512_set1_ps(a[i]);
      TY_UNROLL for (int j = 0; j < Vectors; ++j) sum[i][j] =
          _mm512_fmadd_ps(stationary, moving[j], sum[i][j]);
    }
  }
  const size_t last = block.columns - (Vectors - 1) * 16;
  const __mmask16 tail = static_cast<__mmask16>(0xffffu >> (16 - last));
  TY_UNROLL for (int i = 0; i < Rows; ++i) {
    const __mmask16 here = static_cast<size_t>(i) < block.rows ? 0xffff : 0;
    float* dst = block.dst + i * block.pitch;
    TY_UNROLL for (int j = 0; j < Vectors; ++j)
        add_to_dst(dst + 16 * j, sum[i][j], j + 1 < Vectors ? here : here & tail, accumulate);
  }
}

template <int Rows, int Vectors>
void run(const GemmBlock& block) {
  for (size_t i = 0; i < block.instruction_count; ++i)
    instruction<Rows, Vectors>(block, block.instructions[i], block.accumulate || i > 0);
}

template <int Rows>
constexpr GemmKernel kByVectors[] = {run<Rows, 1>, run<Rows, 2>, run<Rows, 3>};

}  // namespace

void gemm_block_avx512(const GemmBlock& block) {
  const size_t vectors = (block.columns - 1) / kVectorColumns;
  if (block.rows > 4) return kByVectors<8>[vectors](block);
  if (block.rows > 2) return kByVectors<4>[vectors](block);
  return block.rows == 2 ? kByVectors<2>[vectors](block) : kByVectors<1>[vectors](block);
}

}  // namespace trainyard::sim
