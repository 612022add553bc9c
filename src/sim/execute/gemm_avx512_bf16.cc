// bf16 kernel for AVX512-BF16: default order, blocks of 8 x 48.
//
// Data: gemm_kernel.h, words are pairs of bf16. Sums start from dst and stay in registers over all
// instructions of a nest; vdpbf16ps adds one pair of products per step, so the order of the sum of
// one dst element is a function of the instructions' k alone. vdpbf16ps reads and writes denormals
// as zero.
// Measured on one Zen 4 core: peak 232 GFLOP/s, one 128 x 128 x 512 instruction 223 GFLOP/s with
// dst accumulated, 225 overwritten. All of 4 x 64, 6 x 64, 8 x 32, 12 x 32, 14 x 32 and 16 x 16 lie
// within 2 % of it; 8 x 48 divides 128 rows and needs the fewest loads. On Intel vdpbf16ps has half
// the rate of fp32 FMA: gemm_unit.cc does not choose it there.
// Guard: `gemm_bench`, lines "matmul_packed" and "matmul_nest" against "raw tile loop".
#include <immintrin.h>

#include "sim/execute/gemm_kernel.h"

#define TY_BF16 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512bf16")))

namespace trainyard::sim {
namespace {

template <int Rows, int Vectors>
TY_BF16 void run(const GemmBlock& block) {
  const size_t last = block.columns - (Vectors - 1) * 16;
  const __mmask16 tail = static_cast<__mmask16>(0xffffu >> (16 - last));
  __m512 sum[Rows][Vectors];
  TY_UNROLL for (int i = 0; i < Rows; ++i) {
    const __mmask16 read = block.accumulate && static_cast<size_t>(i) < block.rows ? 0xffff : 0;
    const float* dst = block.dst + i * block.pitch;
    TY_UNROLL for (int j = 0; j < Vectors; ++j) sum[i][j] =
        _mm512_maskz_loadu_ps(j + 1 < Vectors ? read : read & tail, dst + 16 * j);
  }
  for (size_t t = 0; t < block.instruction_count; ++t) {
    const GemmStep& step = block.instructions[t];
    const uint32_t* a = step.stationary + block.row * step.steps;
    const uint32_t* b = step.moving + block.column * step.steps;
    for (size_t k = 0; k < step.steps; ++k, a += kPanelRows, b += Vectors * 16) {
      __m512i moving[Vectors];
      TY_UNROLL for (int j = 0; j < Vectors; ++j) moving[j] = _mm512_load_si512(b + 16 * j);
      TY_UNROLL for (int i = 0; i < Rows; ++i) {
        const __m512i stationary = _mm512_set1_epi32(static_cast<int>(a[i]));
        TY_UNROLL for (int j = 0; j < Vectors; ++j) sum[i][j] =
            _mm512_dpbf16_ps(sum[i][j], (__m512bh)stationary, (__m512bh)moving[j]);
      }
    }
  }
  TY_UNROLL for (int i = 0; i < Rows; ++i) {
    const __mmask16 write = static_cast<size_t>(i) < block.rows ? 0xffff : 0;
    float* dst = block.dst + i * block.pitch;
    TY_UNROLL for (int j = 0; j < Vectors; ++j)
        _mm512_mask_storeu_ps(dst + 16 * j, j + 1 < Vectors ? write : write & tail, sum[i][j]);
  }
}

template <int Rows>
constexpr GemmKernel kByVectors[] = {run<Rows, 1>, run<Rows, 2>, run<Rows, 3>};

}  // namespace

void gemm_block_avx512_bf16(const GemmBlock& block) {
  const size_t vectors = (block.columns - 1) / kVectorColumns;
  if (block.rows > 4) return kByVectors<8>[vectors](block);
  if (block.rows > 2) return kByVectors<4>[vectors](block);
  return block.rows == 2 ? kByVectors<2>[vectors](block) : kByVectors<1>[vectors](block);
}

}  // namespace trainyard::sim
