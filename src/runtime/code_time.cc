// The simulated time of a compiled program, and the proof of its placement.
#include <fstream>

#include "runtime/code.h"
#include "sim/trace/perfetto_trace.h"

namespace trainyard::runtime {
Result<const Kernel*> Code::kernel() const {
  if (kernel_ == nullptr) {
    Result<Kernel> made = Kernel::make(executable_.program, settings_.machine);
    if (!made.ok()) return made.status();
    kernel_ = std::make_unique<Kernel>(std::move(*made));
  }
  return kernel_.get();
}

Result<ProgramTime> Code::time(const isa::TripRecord& trips) const {
  const std::lock_guard lock(time_mutex_);
  for (const auto& [known, time] : times_) {
    if (known == trips) return time;
  }
  Result<ProgramTime> time = simulate(trips);
  if (time.ok()) times_.emplace_back(trips, *time);
  return time;
}

ProgramTime Code::summary(const Kernel& kernel, const sim::TimeResult& result) const {
  const hw::CoreSpec& core = settings_.machine.core;
  return {
      .seconds = hw::seconds(core, result.total),
      .launch_seconds = hw::seconds(core, result.kernel_overhead),
      .flops = 2.0 * static_cast<double>(result.macs),
      .hbm_bytes = static_cast<double>(result.hbm_read + result.hbm_written),
      .trust = result.trust,
      .profile = std::make_shared<const Profile>(runtime::profile(kernel.program(), core, result))};
}

Result<ProgramTime> Code::simulate(const isa::TripRecord& given) const {
  const Result<const Kernel*> placed = kernel();
  if (!placed.ok()) return placed.status();
  const isa::Program& program = (*placed)->program();
  isa::TripRecord trips = given;  // empty where no count matters
  trips.loops.resize(program.loops.size());
  trips.branches.resize(program.branches.size());
  const hw::CoreSpec& core = settings_.machine.core;
  const Result<sim::TimeResult> result = sim::simulate_time(program, core, trips, {});
  if (!result.ok()) return result.status();
  const ProgramTime time = summary(**placed, *result);
  if (settings_.trace != nullptr) TY_TRY(write_trace(**placed, trips, time.seconds));
  return time;
}

Result<ProgramTime> Code::expected_time() const {
  const std::lock_guard lock(time_mutex_);
  const Result<const Kernel*> placed = kernel();
  if (!placed.ok()) return placed.status();
  RunOptions options;
  options.mode = Mode::Time;
  const Result<RunResult> result = (*placed)->run({}, options);
  if (!result.ok()) return result.status();
  return summary(**placed, *result->time);
}

Status Code::write_trace(const Kernel& kernel, const isa::TripRecord& trips, double seconds) const {
  TraceFile& file = *settings_.trace;
  const std::lock_guard lock(file.mutex);
  if (seconds <= file.longest_seconds) return {};
  file.longest_seconds = seconds;
  const hw::CoreSpec& core = settings_.machine.core;
  sim::PerfettoTrace trace(kernel.program(), core);
  const auto traced = sim::simulate_time(kernel.program(), core, trips, {.trace = &trace});
  if (!traced.ok()) return traced.status();
  const std::string bytes = trace.finish();
  std::ofstream out(file.path, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!out.flush()) {
    return error("TY-RUN-025", "cannot write {}, which TRAINYARD_TRACE names. Check the path.",
                 file.path);
  }
  return {};
}

Status Code::check(std::span<const sim::Binding> bindings, const sim::ParallelFor& parallel) const {
  const std::lock_guard lock(time_mutex_);
  const Result<const Kernel*> placed = kernel();
  if (!placed.ok()) return placed.status();
  RunOptions options;
  options.mode = Mode::Check;
  const Result<RunResult> result = (*placed)->run(bindings, options, parallel);
  if (!result.ok()) return result.status();
  for (const sim::ValueEvent& event : result->events) return event.status;
  for (const sim::Finding& finding : result->check->findings) return finding.status;
  return {};
}

}  // namespace trainyard::runtime
