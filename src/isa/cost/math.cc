#include "isa/cost/math.h"

#include <cmath>

namespace trainyard::isa {

int64_t millionths(double value) { return std::llround(value * static_cast<double>(kMillion)); }

Cycles streaming(int64_t elements, double rate, double factor) {
  const Wide scaled = Wide{elements} * millionths(rate) * millionths(factor);
  return Cycles{ceil_divide_wide(scaled, Wide{kMillion} * kMillion)};
}

Cycles cycles_from_ns(const hw::CoreSpec& core, Engine engine, double ns) {
  const Wide scale = Wide{kMillion} * 1'000'000'000;
  const Wide scaled = Wide{millionths(ns)} * hw::clock_hz(core, engine).value;
  return Cycles{static_cast<int64_t>((2 * scaled + scale) / (2 * scale))};
}

Cycles cycles_from_ticks(const hw::CoreSpec& core, Engine engine, Ticks ticks) {
  return Cycles{ceil_divide(ticks.value, core.period(engine).value)};
}

}  // namespace trainyard::isa
