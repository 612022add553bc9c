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

static void add_instruction(const GemmStrip& strip, const GemmStep& step, bool accumulate) {
  const auto* moving = reinterpret_cast<const float*>(step.moving) + strip.column * step.steps;
  for (size_t i = 0; i < strip.rows; ++i) {
    const size_t m = strip.row + i;
    const auto* stationary = reinterpret_cast<const float*>(step.stationary) +
                             m / kPanelRows * kPanelRows * step.steps + m % kPanelRows;
    float sum[kPanelColumns] = {};
    for (size_t k = 0; k < step.steps; ++k) {
      const float a = stationary[k * kPanelRows];
      for (size_t n = 0; n < strip.columns; ++n)
        sum[n] = std::fma(a, moving[k * strip.columns + n], sum[n]);
    }
    float* dst = strip.dst + i * strip.pitch;
    for (size_t n = 0; n < strip.columns; ++n)
      dst[n] = one_nan(accumulate ? dst[n] + sum[n] : sum[n]);
  }
}

void gemm_strip_scalar(const GemmStrip& strip) {
  for (size_t i = 0; i < strip.instruction_count; ++i)
    add_instruction(strip, strip.instructions[i], strip.accumulate || i > 0);
}

}  // namespace trainyard::sim
