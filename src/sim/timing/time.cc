#include "sim/timing/time.h"

#include "sim/timing/time_loop.h"

namespace trainyard::sim {

Result<TimeResult> simulate_time(const isa::Program& program, const hw::CoreSpec& core,
                                 const isa::TripRecord& trips, const TimeOptions& options) {
  if (!program.placement.complete) {
    return error("TY-TIM-001", "program {} is not placed, so it has no time. Run `place` first.",
                 program.name);
  }
  const isa::Structure structure(program);
  TimeLoop loop(program, structure, core, trips, options);
  TY_TRY(loop.run());
  return loop.result();
}

}  // namespace trainyard::sim
