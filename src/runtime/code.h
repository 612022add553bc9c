#pragma once
// A compiled program, ready to run on any core of the machine it was compiled for. Immutable apart
// from what it remembers about its own speed, so that tasks, executables and the journal share it.
#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "compiler/file/executable_file.h"
#include "runtime/buffer.h"
#include "runtime/kernel.h"
#include "runtime/profile.h"
#include "runtime/settings.h"

namespace trainyard::runtime {

// Simulated time of one run.
struct ProgramTime {
  double seconds = 0;         // from the first instruction to the last completion
  double launch_seconds = 0;  // what starting a program costs besides
  double flops = 0;           // of the Tensor engine, 2 per multiply-add
  double hbm_bytes = 0;       // read and written
  hw::Trust trust = hw::Trust::Documented;
  std::shared_ptr<const Profile> profile;  // where it goes; never null
};

// Sizes of a program, for reports and for JAX's memory_analysis().
struct ProgramSizes {
  int64_t instructions = 0;  // of the body, loops not unrolled
  int64_t code_bytes = 0;    // that they take in HBM
  int64_t argument_bytes = 0, output_bytes = 0, alias_bytes = 0;
  int64_t constant_bytes = 0;
  int64_t scratch_bytes = 0;  // HBM tensors inside the program
};

ProgramSizes sizes_of(const compiler::Executable& executable, const hw::CoreSpec& core);

// Which arrays of the caller share a tensor of the program, and which results take over the device
// memory of an argument. -1 where there is none.
struct Wiring {
  struct OutputWire {
    int repeats = -1;   // an earlier result in the same tensor: one value returned twice
    int argument = -1;  // the argument in the same tensor: the program works in place
    int donor = -1;     // the argument whose memory JAX wants the result to lie in
  };
  std::vector<OutputWire> outputs;
  std::vector<bool> is_output;  // by argument: its tensor is bound through a result
};

class Code {
 public:
  // Reads, compiles, verifies and plans. The bytes are StableHLO as JAX sends it.
  static Result<std::shared_ptr<Code>> compile(std::span<const uint8_t> module,
                                               const Settings& settings);

  // The same for a program that is compiled already, whoever compiled it: TY-EXE-008 and errors of
  // isa::verify, TY-EXE-011 if it was compiled for another machine.
  static Result<std::shared_ptr<Code>> load(compiler::ExecutableFile file,
                                            const Settings& settings);
  static Result<std::shared_ptr<Code>> load(compiler::Executable executable,
                                            const Settings& settings, uint64_t fingerprint);

  // The bytes of an executable file, with what the caller wants to find again beside it.
  std::string serialize(std::string caller) const;

  const compiler::Executable& executable() const { return executable_; }
  const std::shared_ptr<const std::string>& name() const { return name_; }
  const std::vector<TypeRef>& argument_types() const { return argument_types_; }
  const std::vector<TypeRef>& output_types() const { return output_types_; }
  const ProgramSizes& sizes() const { return sizes_; }
  const Wiring& wiring() const { return wiring_; }
  const hw::Machine& machine() const { return settings_.machine; }
  const Settings& settings() const { return settings_; }
  uint64_t fingerprint() const { return fingerprint_; }
  // Whether the time depends on counts that only a run tells.
  bool has_run_time_control() const { return has_run_time_control_; }

  // Runs the values. `bindings` holds arguments and outputs; constants are added here.
  Result<isa::TripRecord> run(std::vector<sim::Binding> bindings,
                              const sim::ParallelFor& parallel) const;
  // Whether a run is so short that waking a thread for it would cost more.
  bool is_short() const;

  // The simulated time for these counts. Placed and simulated by the first call, then remembered.
  Result<ProgramTime> time(const isa::TripRecord& trips) const;
  // The same without a values run: counts are those that the program expects.
  Result<ProgramTime> expected_time() const;

 private:
  Code(compiler::ExecutableFile file, Settings settings);
  static Result<std::shared_ptr<Code>> make(compiler::ExecutableFile file,
                                            const Settings& settings);
  Status check(std::span<const sim::Binding> bindings, const sim::ParallelFor& parallel) const;
  Result<std::unique_ptr<sim::ValueRun>> make_run(std::span<const sim::Binding> bindings,
                                                  const sim::ParallelFor& parallel) const;
  Result<const Kernel*> kernel() const;  // with time_mutex_ held
  Result<ProgramTime> simulate(const isa::TripRecord& trips) const;
  ProgramTime summary(const Kernel& kernel, const sim::TimeResult& result) const;
  Status write_trace(const Kernel& kernel, const isa::TripRecord& trips, double seconds) const;

  compiler::Executable executable_;
  Settings settings_;
  std::shared_ptr<const std::string> name_;
  std::vector<TypeRef> argument_types_, output_types_;
  std::vector<sim::Binding> constants_;
  ProgramSizes sizes_;
  Wiring wiring_;
  uint64_t fingerprint_ = 0;
  compiler::Origin origin_;
  bool has_run_time_control_ = false;
  std::shared_ptr<const sim::ValuePlan> plan_;
  mutable std::atomic<int64_t> last_run_ns_ = -1;
  // A run that is over, with the memory it has for tensors inside the program: the next one takes
  // it. One is enough, for a program runs on one device at a time.
  mutable std::mutex idle_mutex_;
  mutable std::unique_ptr<sim::ValueRun> idle_;

  mutable std::mutex time_mutex_;
  mutable std::unique_ptr<Kernel> kernel_;
  mutable std::vector<std::pair<isa::TripRecord, ProgramTime>> times_;
};

}  // namespace trainyard::runtime
