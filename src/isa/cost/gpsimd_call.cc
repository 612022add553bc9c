#include "isa/gpsimd_call.h"

#include <cmath>

#include "isa/cost/formulas.h"
#include "isa/gpsimd/cost.h"

namespace trainyard::isa {

// The engine is busy until the last window is written back.
Cost call_cost(const Program& program, const GpsimdCall& call, const hw::CoreSpec& core) {
  const gpsimd::Program& p = program.gpsimd[call.program];
  // All engines work on a queue's transfer.
  const double queue_rate =
      static_cast<double>(core.dma.engines.value) * core.dma.sustained_bytes_per_ns.value;
  const gpsimd::CallCost cost = gpsimd::call_cost(p, gpsimd::most_cycles(p, core), core, queue_rate,
                                                  windows_in_hbm(program, call));
  const auto hz = static_cast<double>(hw::clock_hz(core, Engine::Gpsimd).value);
  const Cycles total(static_cast<int64_t>(std::ceil(cost.time.value * hz)));
  Cost c{.interval = total, .latency = total, .work = total - core.pool.startup.value};
  c.turn_interval = total;
  c.trust = hw::Trust::Assumed;  // the weights of operations are
  return c;
}

}  // namespace trainyard::isa
