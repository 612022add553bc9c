// The fp32 kernel in plain C++: the meaning of strict order, and the path for hosts without AVX2.
#include <cmath>
#include <limits>

#include "sim/execute/gemm_kernel.h"

namespace trainyard::sim {

// Which NaN an fma returns depends on the host and on the compiler's choice of operand order, so
// every fp32 kernel writes one NaN.
static float one_nan(float x) {
  return std::isnan(x) ? std::numeric_limits<float>::quiet_NaN() : x;
}

static void add_instruction(const GemmBlock& block, const GemmStep& step, bool accumulate) {
  const auto* stationary = reinterpret_cast<const float*>(step.stationary) + block.row * step.steps;
  const auto* moving = reinterpret_cast<const float*>(step.moving) + block.column * step.steps;
  for (size_t m = 0; m < block.rows; ++m) {
    float sum[kPanelColumns] = {};
    for (size_t k = 0; k < step.steps; ++k) {
      const float a = stationary[k * kPanelRows + m];
      for (size_t n = 0; n < block.columns; ++n)
        sum[n] = std::fma(a, moving[k * block.columns + n], sum[n]);
    }
    float* dst = block.dst + m * block.pitch;
    for (size_t n = 0; n < block.columns; ++n)
      dst[n] = one_nan(accumulate ? dst[n] + sum[n] : sum[n]);
  }
}

void gemm_block_scalar(const GemmBlock& block) {
  for (size_t i = 0; i < block.instruction_count; ++i)
    add_instruction(block, block.instructions[i], block.accumulate || i > 0);
}

}  // namespace trainyard::sim
