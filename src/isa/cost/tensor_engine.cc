// The systolic array. It takes one moving column per cycle and pass, however many rows are used.
#include <algorithm>

#include "isa/cost/formulas.h"

namespace trainyard::isa {
namespace {

// One stationary load and one matmul, `passes` times over.
struct ArrayShape {
  int64_t rows = 0, stationary = 0, moving = 0;  // K, M, N
  int64_t passes = 1, load_passes = 1;
  double moving_slowdown = 1, stationary_slowdown = 1;
};

Cost array_cost(const ArrayShape& s, const hw::CoreSpec& core, FactReader& fact) {
  const auto& pe = core.pe;
  Cost c;
  c.work = streaming(s.passes * s.moving, 1, s.moving_slowdown);
  const Cycles columns{ceil_divide(s.stationary, fact(pe.ls_divisor))};
  c.load = streaming(s.load_passes * columns.value, 1, s.stationary_slowdown);
  // A narrow moving tile is paid for as if it were as wide as the floor, or as a narrow stationary
  // tile. The load hides behind the matmul before it, unless it is the longer of the two.
  const Cycles narrow{std::min(fact(pe.stationary_floor), s.stationary)};
  const Cycles floor = s.passes * std::max(fact(pe.mm_floor), narrow);
  // An fp32 product is several instructions, each with half of its passes.
  const int64_t instructions =
      s.passes == 1 ? 1 : ceil_divide(s.passes * fact(pe.instructions_fp32), fact(pe.passes_fp32));
  c.interval = std::max({c.work, floor, c.load}) + instructions * fact(pe.mm_extra);
  c.latency = std::max(c.interval, c.work + fact(pe.fixed_latency));
  c.turn_interval = c.interval;
  c.cell_cycles = s.rows * s.stationary * s.passes * s.moving;
  c.trust = fact.trust();
  return c;
}

double slowdown(const OperandStream& stream, const hw::CoreSpec& core, FactReader& fact) {
  if (stream.step_bytes < fact(core.pe.stride_bytes)) return 1;
  return fact(core.pe.stride_slowdown);
}

}  // namespace

Cost matmul_cost(const Program& program, const Matmul& i, const hw::CoreSpec& core) {
  const auto& pe = core.pe;
  FactReader fact;
  const OperandStream stationary = stream_of(program, i.stationary);
  const OperandStream moving = stream_of(program, i.moving);
  // Double row: the slowest free dim holds two logical rows, which the array takes at once.
  const int64_t rows_at_once = i.perf_mode == PerfMode::DoubleRow ? 2 : 1;

  ArrayShape shape{.rows = i.moving.partitions,
                   .stationary = stationary.elements / rows_at_once,
                   .moving = moving.elements / rows_at_once};
  const bool fp32 = stationary.dtype == Dtype::F32 || moving.dtype == Dtype::F32;
  if (fp32 && i.is_transpose) {
    shape.passes = fact(pe.passes_fp32_transpose);
  } else if (fp32 && (i.is_stationary_onezero || i.is_moving_onezero)) {
    shape.passes = fact(pe.passes_fp32_onezero);
  } else if (fp32) {
    shape.passes = fact(pe.passes_fp32);
  } else {
    shape.passes = fact(stationary.is8() && moving.is8() ? pe.passes_fp8 : pe.passes_16bit);
  }
  if (fp32) shape.load_passes = std::min(shape.passes, fact(pe.ls_passes_fp32));
  shape.moving_slowdown = slowdown(moving, core, fact);
  shape.stationary_slowdown = slowdown(stationary, core, fact);
  return array_cost(shape, core, fact);
}

// A transpose streams the identity past the data: as many moving columns as data has partitions.
Cost array_transpose_cost(const Transpose& i, const hw::CoreSpec& core) {
  FactReader fact;
  const int64_t p = i.data.partitions;
  ArrayShape shape{.rows = p, .stationary = i.data.free_elements(), .moving = p};
  if (i.data.dtype == Dtype::F32) {
    shape.passes = fact(core.pe.passes_fp32_transpose);
    shape.load_passes = std::min(shape.passes, fact(core.pe.ls_passes_fp32));
  }
  return array_cost(shape, core, fact);
}

}  // namespace trainyard::isa
