#include "runtime/kernel.h"

#include <chrono>

#include "base/nearest.h"
#include "isa/text/text.h"
#include "isa/verify.h"

namespace trainyard::runtime {

std::string_view name(Mode mode) {
  switch (mode) {
    case Mode::Values:
      return "values";
    case Mode::Time:
      return "time";
    case Mode::Both:
      return "both";
    case Mode::Check:
      return "check";
  }
  return "";
}

std::optional<Mode> parse_mode(std::string_view text) {
  for (const Mode m : {Mode::Values, Mode::Time, Mode::Both, Mode::Check}) {
    if (name(m) == text) return m;
  }
  return std::nullopt;
}

Result<Kernel> Kernel::make(isa::Program program, hw::Machine machine,
                            const place::Options& options) {
  program.placement.tensors.resize(program.tensors.size());
  program.placement.insts.resize(program.insts.size());
  TY_TRY(isa::verify(program, machine.core));
  Kernel kernel;
  Result<place::Report> report = place::place(program, machine.core, options);
  if (!report.ok()) return report.status();
  TY_TRY(isa::verify(program, machine.core));  // the placement, too
  kernel.placement_ = *report;
  kernel.program_ = std::make_shared<const isa::Program>(std::move(program));
  kernel.machine_ = std::make_shared<const hw::Machine>(std::move(machine));
  return kernel;
}

Result<Kernel> Kernel::from_text(std::string_view text, std::string file, hw::Machine machine,
                                 const place::Options& options) {
  Result<isa::Program> program = isa::parse_text(text, std::move(file));
  if (!program.ok()) return program.status();
  return make(std::move(*program), std::move(machine), options);
}

// Without values, run-time loops go round as often as the user says, or as the program expects.
Result<isa::TripRecord> Kernel::assumed_trips(const RunOptions& options,
                                              std::vector<std::string>& assumptions) const {
  isa::TripRecord record;
  record.loops.resize(program_->loops.size());
  record.branches.resize(program_->branches.size());
  std::map<std::string, int64_t> left = options.trips;
  Status missing;
  const auto fill = [&](const std::string& loop, const isa::Trips& trips,
                        const isa::SourceRef& source, std::vector<isa::TripRecord::Run>& runs,
                        std::string_view what) {
    int64_t n = 0;
    if (const auto given = left.find(loop); given != left.end()) {
      n = given->second;
      left.erase(given);
      assumptions.push_back(fmt::format("{} {}: {} trips, given", what, loop, n));
    } else if (trips.expected) {
      n = *trips.expected;
      assumptions.push_back(fmt::format("{} {}: {} trips, expected by the program", what, loop, n));
    } else if (missing.ok()) {
      missing =
          error(
              "TY-TIM-002",
              "the time depends on how often {} {} goes round, which only the data tells. Run with "
              "values (--mode both), or give --trips {}=N.",
              what, loop, loop)
              .at(isa::place_of(*program_, source));
    }
    runs = {{n, 1}};
  };
  for (size_t i = 0; i < program_->loops.size(); ++i) {
    const isa::Loop& loop = program_->loops[i];
    if (loop.kind != isa::Loop::Kind::Repeat)
      fill(loop.name, loop.trips, loop.source, record.loops[i], "loop");
  }
  for (size_t i = 0; i < program_->branches.size(); ++i) {
    const isa::Branch& branch = program_->branches[i];
    fill(branch.name, branch.taken, branch.source, record.branches[i], "branch");
  }
  // A misspelt name first: it is why the right one is missing.
  if (!left.empty()) {
    std::vector<std::string> names;
    for (const isa::Loop& loop : program_->loops) {
      if (loop.kind != isa::Loop::Kind::Repeat) names.push_back(loop.name);
    }
    for (const isa::Branch& branch : program_->branches) names.push_back(branch.name);
    const std::string& name = left.begin()->first;
    return error(
        "TY-TIM-003",
        "--trips names {}, which is no run-time loop or branch of {}{}. Take the name that stands "
        "after `loop` or `if`.",
        name, program_->name, did_you_mean(name, names));
  }
  TY_TRY(missing);
  return record;
}

Status Kernel::run_values(std::span<const sim::Binding> bindings, const RunOptions& options,
                          const sim::ParallelFor& parallel, RunResult& result) const {
  sim::ValueOptions values = options.values;
  values.watch |= options.mode == Mode::Check;
  const auto plan = sim::ValuePlan::make(*program_, core(), values);
  if (!plan.ok()) return plan.status();
  auto run = sim::ValueRun::make(*plan, bindings, parallel);
  if (!run.ok()) return run.status();
  const auto start = std::chrono::steady_clock::now();
  const sim::ValueRun::State state = (*run)->resume();
  result.values_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  result.events.assign((*run)->events().begin(), (*run)->events().end());
  if (state == sim::ValueRun::State::Fault) return (*run)->fault();
  if (state == sim::ValueRun::State::Rendezvous) {
    const isa::Inst& inst = program_->insts[(*run)->waiting_at()];
    return error(
               "TY-RUN-001",
               "{} {} meets another core, but one core runs alone here. Run a program without it.",
               isa::name(inst.op), inst.label)
        .at(isa::place_of(*program_, inst.source));
  }
  result.ran_values = true;
  result.executed = (*run)->executed();
  result.trips = (*run)->trips();
  return Status();
}

Result<RunResult> Kernel::run(std::span<const sim::Binding> bindings, const RunOptions& options,
                              const sim::ParallelFor& parallel) const {
  RunResult result;
  std::vector<std::string> assumptions;
  const bool wants_values =
      options.mode != Mode::Time && !(options.mode == Mode::Check && bindings.empty());
  if (wants_values) {
    TY_TRY(run_values(bindings, options, parallel, result));
  } else {
    Result<isa::TripRecord> trips = assumed_trips(options, assumptions);
    if (!trips.ok()) return trips.status();
    result.trips = std::move(*trips);
  }
  if (options.mode == Mode::Check) {
    Result<sim::CheckResult> checked = sim::check(*program_, core(), result.trips, options.check);
    if (!checked.ok()) return checked.status();
    result.check = std::move(*checked);
    // A placement that deadlocks or races has no time worth telling.
    if (!result.check->findings.empty()) return result;
  }
  if (options.mode == Mode::Values) return result;
  Result<sim::TimeResult> time = sim::simulate_time(
      *program_, core(), result.trips, {options.level, options.sharing_cores, options.trace});
  if (!time.ok()) return time.status();
  result.time = std::move(*time);
  if (!assumptions.empty()) result.time->trust = hw::Trust::Assumed;
  for (std::string& a : assumptions) result.time->assumptions.push_back(std::move(a));
  return result;
}

}  // namespace trainyard::runtime
