#include <fmt/format.h>

#include <charconv>

#include "runtime/threads.h"
#include "sim/trace/perfetto_trace.h"
#include "tools/command.h"
#include "tools/program_input.h"
#include "tools/progress_line.h"
#include "tools/quantities.h"
#include "tools/run_screen.h"
#include "tools/tensors.h"

namespace trainyard::tools {
namespace {

struct Options {
  ProgramInput input;
  std::vector<std::string> inputs, outputs, trips;
  std::string mode = "both", level = "C", trace;
  std::optional<uint64_t> random;
  bool strict = false, no_shortcuts = false, json = false, stochastic = false;
  uint64_t seed = 0;
  int threads = 1;
  int sharing = 1;
  int64_t max_instructions = runtime::kDefaultMaxInstructions;
};

Status parse_trips(const std::vector<std::string>& texts, std::map<std::string, int64_t>& out) {
  for (const std::string& text : texts) {
    const size_t at = text.find('=');
    int64_t n = -1;
    const char* end = text.data() + text.size();
    if (at != std::string::npos) {
      const auto parsed = std::from_chars(text.data() + at + 1, end, n);
      if (parsed.ec != std::errc() || parsed.ptr != end) n = -1;
    }
    if (at == 0 || n < 0) {
      return error(
          "TY-TOOL-010",
          "--trips {} is not of the form NAME=N with N from 0 on. Write for example newton=12.",
          text);
    }
    out[text.substr(0, at)] = n;
  }
  return Status();
}

Result<runtime::RunOptions> run_options(const Options& o) {
  runtime::RunOptions options;
  options.mode = *runtime::parse_mode(o.mode);
  options.level = o.level == "D" ? isa::Level::D : isa::Level::C;
  options.sharing_cores = o.sharing;
  options.max_instructions = o.max_instructions;
  options.values.strict = o.strict;
  options.values.shortcuts = !o.no_shortcuts;
  if (o.stochastic) {
    options.values.convert.rounding.mode = numerics::Rounding::Stochastic;
    options.values.convert.rounding.seed = o.seed;
  }
  TY_TRY(parse_trips(o.trips, options.trips));
  return options;
}

Result<int> run(const Options& o) {
  const Result<LoadedProgram> loaded = o.input.load();
  if (!loaded.ok()) return loaded.status();
  const runtime::Kernel* const kernel = &loaded->kernel;
  Result<runtime::RunOptions> given = run_options(o);
  if (!given.ok()) return given.status();
  runtime::RunOptions& options = *given;
  TensorFiles files;
  files.random = o.random;
  files.constants = loaded->file.executable.constants;
  for (const std::string& text : o.inputs) TY_TRY(add_file(files.inputs, text));
  for (const std::string& text : o.outputs) TY_TRY(add_file(files.outputs, text));

  const bool data = options.mode == runtime::Mode::Values || options.mode == runtime::Mode::Both ||
                    (options.mode == runtime::Mode::Check && (o.random || !o.inputs.empty()));
  std::optional<Tensors> tensors;
  std::vector<sim::Binding> bindings;
  if (data) {
    Result<Tensors> made = Tensors::make(kernel->program(), files);
    if (!made.ok()) return made.status();
    tensors = std::move(*made);
    bindings = tensors->bindings();
  }
  const runtime::Threads threads(o.threads);
  std::optional<sim::PerfettoTrace> trace;
  if (!o.trace.empty()) {
    trace.emplace(kernel->program(), kernel->core());
    options.trace = &*trace;
  }
  Progress progress;
  options.progress = &progress;
  const Result<runtime::RunResult> result = [&] {
    const ProgressLine line(progress);
    return kernel->run(bindings, options, threads.parallel_for());
  }();
  if (!result.ok()) return result.status();
  RunSummary summary{*kernel, *result, options.mode, options.level, threads.count(), {}, {}};
  if (tensors && result->ran_values) {
    TY_TRY(tensors->save(kernel->program(), files));
    summary.digests = tensors->digests(kernel->program());
  }
  if (trace && result->time) {
    TY_TRY(write_file(o.trace, trace->finish()));
    summary.trace_file = o.trace;
  }
  if (o.json) {
    fmt::print("{}\n", summary.json().dump(2));
  } else {
    summary.print();
  }
  const bool clean = result->events.empty() && (!result->check || result->check->findings.empty());
  return options.mode == runtime::Mode::Check && !clean ? kExitFailed : 0;
}

}  // namespace

Run declare_run(CLI::App& app) {
  const auto o = std::make_shared<Options>();
  o->input.declare(app);
  app.add_option("--input,-i", o->inputs, "NAME=FILE.npy, values of an input; may be repeated");
  app.add_option("--output", o->outputs, "NAME=FILE.npy, where an output goes; may be repeated");
  app.add_option("--random", o->random, "Fill inputs that have no file from this seed")
      ->check(from_zero);
  app.add_option("--mode", o->mode, "values, time, both, or check (hazards, then time)")
      ->check(CLI::IsMember({"values", "time", "both", "check"}))
      ->capture_default_str();
  app.add_option("--level", o->level, "Timing model: D documented only, C calibrated")
      ->check(CLI::IsMember({"D", "C"}))
      ->capture_default_str();
  app.add_option("--trips", o->trips,
                 "NAME=N, how often a run-time loop goes round where no values run");
  app.add_option("--trace", o->trace, "Write a Perfetto trace here");
  app.add_flag("--strict", o->strict,
               "Sums in the order of the specification: the same bits on every host");
  app.add_flag("--no-shortcuts", o->no_shortcuts, "One instruction at a time, same bits, slower");
  app.add_flag("--stochastic", o->stochastic, "Stochastic instead of nearest-even rounding");
  app.add_option("--seed", o->seed, "Seed of stochastic rounding")
      ->check(from_zero)
      ->capture_default_str();
  app.add_option("--threads", o->threads, "Host threads; 0 takes all")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  app.add_option("--sharing-cores", o->sharing,
                 "Cores that load the same HBM stack at the same time")
      ->check(CLI::Range(1, 8))
      ->capture_default_str();
  app.add_option("--max-instructions", o->max_instructions,
                 "Refuse a program that executes more, loops unrolled")
      ->check(from_one)
      ->capture_default_str();
  app.add_flag("--json", o->json, "Print one JSON object");
  return [o] { return run(*o); };
}

}  // namespace trainyard::tools
