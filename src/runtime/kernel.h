#pragma once
// One program on one core: load or take it, place it, bind tensors, run it, read values, times and
// faults. This is the C++ interface for the compiler's callers, the bindings and the command line.
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/status.h"
#include "hw/catalogue.h"
#include "isa/program.h"
#include "place/place.h"
#include "sim/check/check.h"
#include "sim/timing/time.h"
#include "sim/values.h"

namespace trainyard::runtime {

// What to find out. Values come from the body, time from the placement.
enum class Mode : uint8_t { Values, Time, Both, Check };
std::optional<Mode> parse_mode(std::string_view name);  // values, time, both, check
std::string_view name(Mode mode);

// About a quarter of an hour of time mode.
inline constexpr int64_t kDefaultMaxInstructions = 2'000'000'000;

struct RunOptions {
  Mode mode = Mode::Both;
  isa::Level level = isa::Level::C;
  sim::ValueOptions values;
  sim::CheckOptions check;
  int sharing_cores = 1;  // that use the same HBM stack
  std::map<std::string, int64_t>
      trips;  // of run-time loops and branches by name, where no values run
  sim::TraceSink* trace = nullptr;
  // A program that executes more instructions, or has more turns of loops, is refused: TY-RUN-015.
  int64_t max_instructions = kDefaultMaxInstructions;
  Progress* progress = nullptr;  // told how far time and check are
};

struct RunResult {
  std::optional<sim::TimeResult> time;
  std::optional<sim::CheckResult> check;
  bool ran_values = false;
  int64_t executed = 0;                  // body instructions of the values run
  isa::TripRecord trips;                 // counted by the values run, or assumed
  std::vector<std::string> assumptions;  // about them, in words
  std::vector<std::string> notes;        // options that had no effect
  std::vector<sim::ValueEvent> events;
  double values_seconds = 0;  // of the host
};

// Immutable once made, so threads may run it at the same time, each with its own bindings.
class Kernel {
 public:
  // Verifies and places. What the author pinned stays.
  static Result<Kernel> make(isa::Program program, hw::Machine machine,
                             const place::Options& options = {});
  static Result<Kernel> from_text(std::string_view text, std::string file, hw::Machine machine,
                                  const place::Options& options = {});

  const isa::Program& program() const { return *program_; }
  const hw::CoreSpec& core() const { return machine_->core; }
  const hw::Machine& machine() const { return *machine_; }
  const place::Report& placement() const { return placement_; }

  // `bindings` may be empty in mode Time, and in mode Check, which then does without the data's
  // findings.
  Result<RunResult> run(std::span<const sim::Binding> bindings, const RunOptions& options,
                        const sim::ParallelFor& parallel = sim::serial()) const;

 private:
  Status check_amount(const isa::TripRecord& trips, const RunOptions& options) const;
  Status find_trips(std::span<const sim::Binding> bindings, const RunOptions& options,
                    const sim::ParallelFor& parallel, RunResult& result) const;
  Status run_values(std::span<const sim::Binding> bindings, const RunOptions& options,
                    const sim::ParallelFor& parallel, RunResult& result) const;

  // Behind pointers: a Kernel may move while plans refer to its program.
  std::shared_ptr<const isa::Program> program_;
  std::shared_ptr<const hw::Machine> machine_;
  place::Report placement_;
};

}  // namespace trainyard::runtime
