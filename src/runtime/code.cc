#include "runtime/code.h"

#include <chrono>
#include <map>

#include "compiler/compile.h"
#include "compiler/stablehlo/reader.h"
#include "runtime/compile_cache.h"
#include "runtime/dump.h"

namespace trainyard::runtime {
namespace {

// A run below this is cheaper than handing it to another thread and waking that one.
constexpr int64_t kShortRunNs = 50'000;
// Before the first run: a program without loops over this little data is short.
constexpr int64_t kShortInstructions = 64;
constexpr int64_t kShortBytes = 64 << 10;

Wiring wiring_of(const compiler::Executable& executable) {
  Wiring wiring;
  wiring.outputs.resize(executable.outputs.size());
  wiring.is_output.resize(executable.arguments.size());
  std::map<isa::TensorId, int> argument_of, output_of;
  for (size_t i = 0; i < executable.arguments.size(); ++i) {
    const compiler::Argument& argument = executable.arguments[i];
    if (argument.tensor >= 0) argument_of.try_emplace(argument.tensor, static_cast<int>(i));
    const auto k = static_cast<size_t>(argument.alias.value_or(-1));
    const bool fits = argument.donated && k < executable.outputs.size() &&
                      byte_size(argument.type) == byte_size(executable.outputs[k].type);
    if (fits && wiring.outputs[k].donor < 0) wiring.outputs[k].donor = static_cast<int>(i);
  }
  for (size_t k = 0; k < executable.outputs.size(); ++k) {
    const isa::TensorId tensor = executable.outputs[k].tensor;
    if (tensor < 0) continue;
    const auto [first, added] = output_of.try_emplace(tensor, static_cast<int>(k));
    if (!added) wiring.outputs[k].repeats = first->second;
    if (const auto found = argument_of.find(tensor); found != argument_of.end()) {
      wiring.outputs[k].argument = found->second;
      wiring.is_output[static_cast<size_t>(found->second)] = true;
    }
  }
  return wiring;
}

}  // namespace

ProgramSizes sizes_of(const compiler::Executable& executable, const hw::CoreSpec& core) {
  ProgramSizes sizes;
  sizes.instructions = static_cast<int64_t>(executable.program.insts.size());
  sizes.code_bytes = sizes.instructions * core.seq.instruction_bytes.value;
  for (const compiler::Argument& argument : executable.arguments) {
    sizes.argument_bytes += byte_size(argument.type);
    if (argument.donated && argument.alias) sizes.alias_bytes += byte_size(argument.type);
  }
  for (const compiler::Output& output : executable.outputs) {
    sizes.output_bytes += byte_size(output.type);
  }
  for (const auto& data : executable.constants) {
    sizes.constant_bytes += static_cast<int64_t>(data.bytes.size());
  }
  for (const isa::Tensor& tensor : executable.program.tensors) {
    const bool inside = tensor.memory == isa::Memory::Hbm && tensor.io == isa::Io::None;
    if (inside && !tensor.view) sizes.scratch_bytes += tensor.total_bytes();
  }
  return sizes;
}

Code::Code(compiler::ExecutableFile file, Settings settings)
    : executable_(std::move(file.executable)),
      settings_(std::move(settings)),
      name_(std::make_shared<const std::string>(executable_.name)),
      sizes_(sizes_of(executable_, settings_.machine.core)),
      wiring_(wiring_of(executable_)),
      fingerprint_(file.fingerprint),
      origin_(std::move(file.origin)) {
  for (const compiler::Argument& argument : executable_.arguments) {
    argument_types_.push_back(std::make_shared<const compiler::TensorType>(argument.type));
  }
  for (const compiler::Output& output : executable_.outputs) {
    output_types_.push_back(std::make_shared<const compiler::TensorType>(output.type));
  }
  for (compiler::ConstantData& data : executable_.constants) {
    constants_.push_back({data.tensor, std::as_writable_bytes(std::span(data.bytes))});
  }
  has_run_time_control_ = !executable_.program.branches.empty();
  for (const isa::Loop& loop : executable_.program.loops) {
    has_run_time_control_ |= loop.kind != isa::Loop::Kind::Repeat;
  }
}

Result<std::shared_ptr<Code>> Code::compile(std::span<const uint8_t> bytes,
                                            const Settings& settings) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const CompileCache cache(settings.cache);
  Dump dump(settings.dump, bytes);
  compiler::ExecutableFile file{.origin = origin_of(text, settings.machine),
                                .fingerprint = module_fingerprint(text)};
  // Who wants to see what the compiler does wants it to be done.
  if (!dump.wanted()) {
    if (std::optional<compiler::ExecutableFile> known = cache.find(file.origin)) {
      Result<std::shared_ptr<Code>> code = load(std::move(*known), settings);
      if (code.ok()) return code;
    }
  }
  Result<compiler::Module> module = compiler::read_stablehlo(bytes);
  if (!module.ok()) return module.status();
  compiler::CompileOptions options;
  if (dump.wanted()) {
    options.after_pass = [&](std::string_view pass, const compiler::Module& m) {
      dump.graph(pass, m);
    };
    dump.graph("read", *module);
  }
  Result<compiler::Executable> executable =
      compiler::compile(std::move(*module), settings.machine, options);
  if (!executable.ok()) return executable.status();
  file.executable = std::move(*executable);
  dump.program(file);
  cache.add(file);
  return make(std::move(file), settings);
}

Result<std::shared_ptr<Code>> Code::load(compiler::ExecutableFile file, const Settings& settings) {
  const std::string machine = compiler::machine_digest(settings.machine);
  if (!file.origin.machine.empty() && file.origin.machine != machine) {
    return error("TY-EXE-011",
                 "{} was compiled for {}, this client is {}. Compile it again, or set "
                 "TRAINYARD_TARGET.",
                 file.executable.name, file.origin.machine, machine);
  }
  return make(std::move(file), settings);
}

Result<std::shared_ptr<Code>> Code::load(compiler::Executable executable, const Settings& settings,
                                         uint64_t fingerprint) {
  return make({.executable = std::move(executable), .fingerprint = fingerprint}, settings);
}

Result<std::shared_ptr<Code>> Code::make(compiler::ExecutableFile file, const Settings& settings) {
  TY_TRY(compiler::verify_executable(file.executable, settings.machine.core));
  // Not make_shared: the constructor is private.
  std::shared_ptr<Code> code(new Code(std::move(file), settings));
  const hw::CoreSpec& core = code->settings_.machine.core;
  // The compiler writes every tensor before it reads it; mode check proves that.
  auto plan = sim::ValuePlan::make(code->executable_.program, core,
                                   {.flush_denormals = true, .share_memory = true});
  if (!plan.ok()) return plan.status();
  code->plan_ = std::move(*plan);
  code->sizes_.scratch_bytes = code->plan_->scratch_bytes();
  return code;
}

std::string Code::serialize(std::string caller) const {
  compiler::ExecutableFile file{.executable = executable_,
                                .origin = origin_,
                                .fingerprint = fingerprint_,
                                .caller = std::move(caller)};
  return compiler::write_executable(file);
}

bool Code::is_short() const {
  const int64_t last = last_run_ns_.load(std::memory_order_relaxed);
  if (last >= 0) return last < kShortRunNs;
  const int64_t bytes = sizes_.argument_bytes + sizes_.output_bytes + sizes_.scratch_bytes;
  return executable_.program.loops.empty() && sizes_.instructions <= kShortInstructions &&
         bytes <= kShortBytes;
}

Result<std::unique_ptr<sim::ValueRun>> Code::make_run(std::span<const sim::Binding> bindings,
                                                      const sim::ParallelFor& parallel) const {
  std::unique_ptr<sim::ValueRun> run;
  {
    const std::lock_guard lock(idle_mutex_);
    run = std::move(idle_);
  }
  if (run != nullptr && run->rebind(bindings).ok()) return run;
  return sim::ValueRun::make(plan_, bindings, parallel);
}

Result<isa::TripRecord> Code::run(std::vector<sim::Binding> bindings,
                                  const sim::ParallelFor& parallel) const {
  bindings.insert(bindings.end(), constants_.begin(), constants_.end());
  if (settings_.mode == Mode::Check) TY_TRY(check(bindings, parallel));
  const auto start = std::chrono::steady_clock::now();
  auto run = make_run(bindings, parallel);
  if (!run.ok()) return run.status();
  const sim::ValueRun::State state = (*run)->resume();
  if (state == sim::ValueRun::State::Fault) return (*run)->fault();
  if (state == sim::ValueRun::State::Rendezvous) {
    return error("TY-RUN-001",
                 "{} meets another core, but one core runs alone here. Run a program without it.",
                 *name_);
  }
  const auto taken = std::chrono::steady_clock::now() - start;
  last_run_ns_.store(std::chrono::duration_cast<std::chrono::nanoseconds>(taken).count(),
                     std::memory_order_relaxed);
  isa::TripRecord trips;
  if (has_run_time_control_) trips = (*run)->trips();
  const std::lock_guard lock(idle_mutex_);
  idle_ = std::move(*run);
  return trips;
}

}  // namespace trainyard::runtime
