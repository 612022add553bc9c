// bf16 kernel for AVX512-BF16: default order, blocks of 8 x 48.
//
// Data: gemm_kernel.h, words are pairs of bf16. Sums start from dst and stay in registers over all
// instructions of a nest; vdpbf16ps adds one pair of products per step, so the order of the sum of
// one dst element is a function of the instructions' k alone. vdpbf16ps reads and writes denormals
// as zero.
// Measured on one Zen 4 core (peak 236 GFLOP/s): 227 GFLOP/s per 128 x 128 x 512 instruction in
// L2, 215 for 4096^3 one instruction at a time, 218 as a nest. 4 x 64, 6 x 64, 8 x 32, 12 x 32,
// 14 x 32 and 16 x 16 all lie within 2 % of it; 8 x 48 divides 128 rows and needs few loads.
// Lost: one kernel call per block (-2 %), masked loads and stores for ragged edges (-1 %),
// broadcasts as memory operands (-1 %), unrolling k by two (nothing). On Intel vdpbf16ps has half
// the rate of fp32 FMA: gemm_unit.cc does not choose it there.
// Guard: `gemm_bench`, lines "matmul_packed" and "matmul_nest" against "raw tile loop".
#include <immintrin.h>

#include <algorithm>
#include <bit>

#include "sim/execute/gemm_kernel.h"

#define TY_BF16 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512bf16")))

namespace trainyard::sim {
namespace {

template <int Rows, int Vectors>
TY_BF16 void run(const GemmStrip& strip) {
  PanelPrefetch prefetch(strip, Rows);
  for (size_t m = 0; m < strip.rows; m += Rows) {
    float* dst = strip.dst + m * strip.pitch;
    prefetch.next_share();
    __m512 sum[Rows][Vectors];
    TY_UNROLL for (int i = 0; i < Rows; ++i) {
      TY_UNROLL for (int j = 0; j < Vectors; ++j) {
        sum[i][j] = strip.accumulate ? _mm512_loadu_ps(dst + i * strip.pitch + 16 * j)
                                     : _mm512_setzero_ps();
      }
    }
    for (size_t t = 0; t < strip.instruction_count; ++t) {
      const GemmStep& step = strip.instructions[t];
      const uint32_t* a = step.stationary + (strip.row + m) * step.steps;
      const uint32_t* b = step.moving + strip.column * step.steps;
      for (size_t k = 0; k < step.steps; ++k, a += kPanelRows, b += Vectors * 16) {
        __m512i moving[Vectors];
        TY_UNROLL for (int j = 0; j < Vectors; ++j) { moving[j] = _mm512_load_si512(b + 16 * j); }
        TY_UNROLL for (int i = 0; i < Rows; ++i) {
          const __m512i stationary = _mm512_set1_epi32(static_cast<int>(a[i]));
          TY_UNROLL for (int j = 0; j < Vectors; ++j) {
            sum[i][j] = _mm512_dpbf16_ps(sum[i][j], (__m512bh)stationary, (__m512bh)moving[j]);
          }
        }
      }
    }
    TY_UNROLL for (int i = 0; i < Rows; ++i) {
      TY_UNROLL for (int j = 0; j < Vectors; ++j) {
        _mm512_storeu_ps(dst + i * strip.pitch + 16 * j, sum[i][j]);
      }
    }
  }
}

constexpr GemmKernel kKernels[4][3] = {{run<1, 1>, run<1, 2>, run<1, 3>},
                                       {run<2, 1>, run<2, 2>, run<2, 3>},
                                       {run<4, 1>, run<4, 2>, run<4, 3>},
                                       {run<8, 1>, run<8, 2>, run<8, 3>}};

}  // namespace

void gemm_strip_avx512_bf16(const GemmStrip& strip) {
  const size_t rows = std::min(strip.rows, kPanelRows);
  kKernels[std::countr_zero(rows)][strip.columns / kVectorColumns - 1](strip);
}

}  // namespace trainyard::sim
