#include "sim/timing/time.h"

#include "sim/timing/time_loop.h"

namespace trainyard::sim {

std::string_view words(WaitCause cause) {
  switch (cause) {
    case WaitCause::None:
      return "";
    case WaitCause::Edge:
      return "result";
    case WaitCause::Semaphore:
      return "semaphore";
    case WaitCause::Barrier:
      return "barrier";
    case WaitCause::PortConflict:
      return "SBUF port";
    case WaitCause::BankConflict:
      return "PSUM bank";
    case WaitCause::TableLoad:
      return "function table";
  }
  return "";
}

Result<TimeResult> simulate_time(const isa::Program& program, const hw::CoreSpec& core,
                                 const isa::TripRecord& trips, const TimeOptions& options) {
  if (!program.placement.complete) {
    return error("TY-TIM-001", "program {} is not placed, so it has no time. Run `place` first.",
                 program.name);
  }
  const isa::Structure structure(program);
  if (options.progress != nullptr) options.progress->begin("time", structure.executed(program));
  TimeLoop loop(program, structure, core, trips, options);
  TY_TRY(loop.run());
  return loop.result();
}

}  // namespace trainyard::sim
