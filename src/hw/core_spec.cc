#include "hw/core_spec.h"

#include <cmath>

#include "base/check.h"

namespace trainyard::hw {

const Fact<int64_t>& clock_hz(const CoreSpec& core, Engine engine) {
  switch (engine) {
    case Engine::Tensor:
      return core.clock.tensor_hz;
    case Engine::Vector:
      return core.clock.vector_hz;
    case Engine::Scalar:
      return core.clock.scalar_hz;
    case Engine::Gpsimd:
      return core.clock.gpsimd_hz;
    case Engine::Sync:
      return core.clock.sync_hz;
  }
  TY_CHECK(false);
}

Ticks ticks_from_ns(const CoreSpec& core, double ns) {
  return Ticks{std::llround(ns * static_cast<double>(core.tick_hz) * 1e-9)};
}

double seconds(const CoreSpec& core, Ticks ticks) {
  return static_cast<double>(ticks.value) / static_cast<double>(core.tick_hz);
}

double peak_flops(const CoreSpec& core, MatmulMode mode) {
  const double base = 2.0 * static_cast<double>(core.pe.rows.value) *
                      static_cast<double>(core.pe.cols.value) *
                      static_cast<double>(core.clock.tensor_hz.value);
  switch (mode) {
    case MatmulMode::Bits16:
      return base / static_cast<double>(core.pe.passes_16bit.value);
    case MatmulMode::Fp8:
      return base / static_cast<double>(core.pe.passes_fp8.value);
    case MatmulMode::Fp32:
      return base / static_cast<double>(core.pe.passes_fp32.value);
    case MatmulMode::DoubleRow:
      return base * static_cast<double>(core.pe.macs_double_row.value);
    case MatmulMode::Mx:
      return base * static_cast<double>(core.pe.macs_mx.value);
    case MatmulMode::Sparse:
      return base * static_cast<double>(core.pe.macs_sparse.value);
    case MatmulMode::Int8:
      return base * static_cast<double>(core.pe.macs_int8.value);
  }
  TY_CHECK(false);
}

const CoreSpec& core_spec(Generation generation) {
  switch (generation) {
    case Generation::V2:
      return kNeuronCoreV2;
    case Generation::V3:
      return kNeuronCoreV3;
    case Generation::V4:
      return kNeuronCoreV4;
  }
  TY_CHECK(false);
}

}  // namespace trainyard::hw
