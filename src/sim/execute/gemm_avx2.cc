// fp32 kernel for AVX2 with FMA: strict order. A panel of 48 columns is cut into sub-blocks of
// 4 x 24, each with 12 sums, 3 moving vectors and 1 broadcast in the 16 registers. Same panels and
// same bits as gemm_avx512.cc; the upper half of a moving row is skipped over.
// Measured on one Zen 4 core: 112 GFLOP/s per instruction, 95 % of peak.
// Lost: masked stores for ragged edges (92 GFLOP/s). Not taken: 6 x 16 needs 8 loads for 12
// multiplies instead of 7 and does not divide 128 rows.
// Guard: `gemm_bench`, line "avx2".
#include <immintrin.h>

#include <algorithm>

#include "sim/execute/gemm_kernel.h"

#define TY_AVX2 __attribute__((target("avx2,fma")))
#define TY_AVX2_INLINE TY_AVX2 __attribute__((always_inline)) inline

namespace trainyard::sim {
namespace {

inline constexpr size_t kRows = 4;
inline constexpr size_t kColumns = 24;
inline constexpr size_t kLanes = 8;

// One instruction's panels at the sub-block's first row and column.
struct Operands {
  const float* a;
  const float* b;
  size_t steps;
  size_t width;  // of a row of the moving panel
};

struct Target {
  float* dst;
  size_t pitch;
  bool accumulate;
};

// See one_nan in gemm_scalar.cc.
TY_AVX2_INLINE __m256 one_nan(__m256 x) {
  const __m256 quiet = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fc00000));
  return _mm256_blendv_ps(x, quiet, _mm256_cmp_ps(x, x, _CMP_UNORD_Q));
}

template <int Vectors>
TY_AVX2 void sub_block(const Operands& in, const Target& out) {
  __m256 sum[kRows][Vectors];
  TY_UNROLL for (auto& row : sum) {
    TY_UNROLL for (auto& x : row) { x = _mm256_setzero_ps(); }
  }
  const float* a = in.a;
  const float* b = in.b;
  for (size_t k = 0; k < in.steps; ++k, a += kPanelRows, b += in.width) {
    __m256 moving[Vectors];
    TY_UNROLL for (int j = 0; j < Vectors; ++j) { moving[j] = _mm256_load_ps(b + kLanes * j); }
    TY_UNROLL for (size_t i = 0; i < kRows; ++i) {
      const __m256 stationary = _mm256_broadcast_ss(a + i);
      TY_UNROLL for (int j = 0; j < Vectors; ++j) {
        sum[i][j] = _mm256_fmadd_ps(stationary, moving[j], sum[i][j]);
      }
    }
  }
  TY_UNROLL for (size_t i = 0; i < kRows; ++i) {
    TY_UNROLL for (int j = 0; j < Vectors; ++j) {
      float* dst = out.dst + i * out.pitch + kLanes * j;
      const __m256 x = out.accumulate ? _mm256_add_ps(_mm256_loadu_ps(dst), sum[i][j]) : sum[i][j];
      _mm256_storeu_ps(dst, one_nan(x));
    }
  }
}

constexpr void (*kByVectors[])(const Operands&, const Target&) = {sub_block<1>, sub_block<2>,
                                                                  sub_block<3>};

}  // namespace

void gemm_strip_avx2(const GemmStrip& strip) {
  for (size_t t = 0; t < strip.instruction_count; ++t) {
    const GemmStep& step = strip.instructions[t];
    const auto* stationary = reinterpret_cast<const float*>(step.stationary);
    const auto* b = reinterpret_cast<const float*>(step.moving) + strip.column * step.steps;
    for (size_t m = 0; m < strip.rows; m += kRows) {
      const size_t row = strip.row + m;
      const float* a = stationary + row / kPanelRows * kPanelRows * step.steps + row % kPanelRows;
      for (size_t n = 0; n < strip.columns; n += kColumns)
        kByVectors[std::min(strip.columns - n, kColumns) / kLanes - 1](
            {a, b + n, step.steps, strip.columns},
            {strip.dst + m * strip.pitch + n, strip.pitch, strip.accumulate || t > 0});
    }
  }
}

}  // namespace trainyard::sim
