#include "runtime/kernel.h"

#include <algorithm>
#include <chrono>

#include "isa/structure.h"
#include "isa/text/text.h"
#include "isa/verify.h"
#include "runtime/assumed_trips.h"

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

// Repeats cost a few characters and may mean more than anybody can wait for.
Status Kernel::check_amount(const isa::TripRecord& trips, const RunOptions& options) const {
  const isa::Amount amount =
      isa::Structure(*program_).amount(*program_, turns_by_loop(*program_, trips));
  const bool many = amount.instructions > options.max_instructions;
  if (!many && amount.turns <= options.max_instructions) return Status();
  const int64_t most = many ? amount.instructions : amount.turns;
  return error("TY-RUN-015",
               "{} executes {}{} {} with its loops unrolled, the limit is {}. Lower the counts of "
               "its repeats{}, or raise the limit with --max-instructions.",
               program_->name, most == INT64_MAX ? "more than " : "", most,
               many ? "instructions" : "turns of loops", options.max_instructions,
               options.trips.empty() ? "" : " or give fewer --trips");
}

Status Kernel::run_values(std::span<const sim::Binding> bindings, const RunOptions& options,
                          const sim::ParallelFor& parallel, RunResult& result) const {
  sim::ValueOptions values = options.values;
  values.max_instructions = options.max_instructions;
  values.watch |= options.mode == Mode::Check;
  const auto plan = sim::ValuePlan::make(*program_, core(), values);
  if (!plan.ok()) return plan.status();
  auto run = sim::ValueRun::make(*plan, bindings, parallel);
  if (!run.ok()) return run.status();
  const auto start = std::chrono::steady_clock::now();
  if (options.progress != nullptr) options.progress->begin("values", 0);
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

// The trips that time and check go by: counted by a values run, or assumed.
Status Kernel::find_trips(std::span<const sim::Binding> bindings, const RunOptions& options,
                          const sim::ParallelFor& parallel, RunResult& result) const {
  const bool wants_values =
      options.mode != Mode::Time && !(options.mode == Mode::Check && bindings.empty());
  if (!wants_values) {
    Result<AssumedTrips> trips = assume_trips(*program_, options.trips);
    if (!trips.ok()) return trips.status();
    result.trips = std::move(trips->record);
    result.assumptions = std::move(trips->assumptions);
    return check_amount(result.trips, options);
  }
  TY_TRY(check_given(*program_, options.trips));
  if (!options.trips.empty()) {
    result.notes.push_back(
        "--trips has no effect where values run: the data says how often loops go round");
  }
  TY_TRY(check_amount({}, options));
  return run_values(bindings, options, parallel, result);
}

Result<RunResult> Kernel::run(std::span<const sim::Binding> bindings, const RunOptions& options,
                              const sim::ParallelFor& parallel) const {
  RunResult result;
  TY_TRY(find_trips(bindings, options, parallel, result));
  if (options.mode == Mode::Check) {
    sim::CheckOptions check = options.check;
    check.progress = options.progress;
    Result<sim::CheckResult> checked = sim::check(*program_, core(), result.trips, check);
    if (!checked.ok()) return checked.status();
    result.check = std::move(*checked);
    // A placement that deadlocks or races has no time worth telling.
    if (!result.check->findings.empty()) return result;
  }
  if (options.mode == Mode::Values) return result;
  Result<sim::TimeResult> time =
      sim::simulate_time(*program_, core(), result.trips,
                         {options.level, options.sharing_cores, options.trace, options.progress});
  if (!time.ok()) return time.status();
  result.time = std::move(*time);
  if (!result.assumptions.empty()) result.time->trust = hw::Trust::Assumed;
  for (const std::string& a : result.assumptions) result.time->assumptions.push_back(a);
  return result;
}

}  // namespace trainyard::runtime
