// What a module would do on a core, before anybody runs it: what is refused, where each operation
// runs, memory by kind, time and what bounds it.
#include <fmt/format.h>

#include "compiler/stablehlo/reader.h"
#include "runtime/code.h"
#include "runtime/profile_json.h"
#include "tools/blockers.h"
#include "tools/command.h"
#include "tools/mlir_text.h"
#include "tools/program_input.h"
#include "tools/progress_line.h"
#include "tools/run_screen.h"
#include "tools/table.h"

namespace trainyard::tools {
namespace {

using nlohmann::ordered_json;

struct Options {
  ProgramInput input;
  bool json = false, all = false;
};

constexpr size_t kRows = 20;  // of the table, unless --all

Result<compiler::Module> read_module(const std::string& file) {
  const Result<std::string> bytes =
      file.ends_with(".mlir") ? bytecode_of_text(file) : read_file(file);
  if (!bytes.ok()) return bytes.status();
  return compiler::read_stablehlo({reinterpret_cast<const uint8_t*>(bytes->data()), bytes->size()});
}

struct Kind {
  const char* name;
  int64_t bytes;
};

// Device memory by what it is for.
std::vector<Kind> memory_kinds(const runtime::ProgramSizes& sizes, const place::Report& placed) {
  return {{"arguments", sizes.argument_bytes}, {"results", sizes.output_bytes - sizes.alias_bytes},
          {"in_place", sizes.alias_bytes},     {"constants", sizes.constant_bytes},
          {"inside", sizes.scratch_bytes},     {"code", placed.instruction_bytes},
          {"rings", placed.ring_bytes}};
}

struct Shares {
  double tensor = 1, fast = 1;  // of products; of float work element by element
  double contraction = 0, floats = 0;
};

Shares shares(const runtime::Profile& p) {
  Shares out;
  double tensor = 0, fast = 0;
  for (const hw::Engine e : hw::kEngines) {
    const runtime::EngineWork& work = p.engines[hw::index(e)];
    out.contraction += work.contraction;
    out.floats += work.floats;
    if (e == hw::Engine::Tensor) tensor += work.contraction;
    if (e != hw::Engine::Gpsimd) fast += p.compiled_floats[hw::index(e)];
  }
  if (out.contraction > 0) out.tensor = tensor / out.contraction;
  if (out.floats > 0) out.fast = fast / out.floats;
  return out;
}

std::string mib(int64_t bytes) {
  return fmt::format("{:.2f} MiB", static_cast<double>(bytes) / static_cast<double>(MiB));
}

void print_operations(const runtime::Profile& p, size_t most) {
  std::vector<Row> rows = {{"busy", "of time", "runs on", "operation", "where"}};
  for (const runtime::OperationProfile& o : p.operations) {
    if (rows.size() > most) break;
    rows.push_back({in_words(o.busy_seconds()),
                    fmt::format("{:.1f} %", 100 * o.busy_seconds() / std::max(p.seconds, 1e-12)),
                    std::string(o.runs_on()), o.operation, o.place.empty() ? "?" : o.place});
  }
  fmt::print("\n{}", plain_table(rows));
  if (p.operations.size() + 1 > rows.size()) {
    fmt::print("and {} more; --all shows them\n", p.operations.size() + 1 - rows.size());
  }
}

void print(const RunSummary& summary, const runtime::Profile& p, const std::vector<Kind>& memory,
           const std::vector<std::string>& remarks, size_t most) {
  fmt::print("program  {} on {}: nothing is refused\n", summary.kernel.program().name,
             summary.kernel.machine().name);
  std::string line;
  for (const Kind& kind : memory) {
    if (kind.bytes > 0)
      line += fmt::format("{}{} {}", line.empty() ? "" : "   ", kind.name, mib(kind.bytes));
  }
  fmt::print("device   {}\n", line);
  const Shares s = shares(p);
  fmt::print(
      "work     products {:.2f} GFLOP, {:.1f} % on Tensor   floats {:.3f} GFLOP, {:.1f} % for "
      "Vector and Scalar\n",
      s.contraction / 1e9, 100 * s.tensor, s.floats / 1e9, 100 * s.fast);
  summary.print();
  print_operations(p, most);
  for (const std::string& remark : remarks) fmt::print("remark   {}\n", remark);
}

ordered_json refused_json(const std::vector<Status>& blockers) {
  ordered_json rows = ordered_json::array();
  for (const Status& s : blockers)
    rows.push_back({{"code", s.code()}, {"place", s.place().str()}, {"message", s.message()}});
  return rows;
}

int tell_refused(const std::vector<Status>& blockers, bool json) {
  if (json) {
    fmt::print("{}\n", ordered_json{{"blockers", refused_json(blockers)}}.dump(2));
  } else {
    fmt::print("refused  {} {}\n", blockers.size(), blockers.size() == 1 ? "place" : "places");
    for (const Status& s : blockers) fmt::print("  {}\n", s.str());
  }
  return kExitFailed;
}

Result<int> report(const compiler::Executable& exe, const hw::Machine& machine, const Options& o) {
  const Result<runtime::Kernel> kernel = runtime::Kernel::make(exe.program, machine);
  if (!kernel.ok()) return kernel.status();
  runtime::RunOptions options;
  options.mode = runtime::Mode::Time;
  Progress progress;
  options.progress = &progress;
  const Result<runtime::RunResult> result = [&] {
    const ProgressLine line(progress);
    return kernel->run({}, options);
  }();
  if (!result.ok()) return result.status();
  const runtime::Profile p = runtime::profile(kernel->program(), kernel->core(), *result->time);
  const std::vector<Kind> memory =
      memory_kinds(runtime::sizes_of(exe, machine.core), kernel->placement());
  const RunSummary summary{*kernel, *result, options.mode, options.level, 1, {}, {}};
  if (!o.json) {
    print(summary, p, memory, exe.remarks, o.all ? p.operations.size() : kRows);
    return 0;
  }
  ordered_json out = {{"program", exe.name}, {"machine", machine.name}};
  out["blockers"] = ordered_json::array();
  for (const Kind& kind : memory) out["device_bytes"][kind.name] = kind.bytes;
  const Shares s = shares(p);
  out["work"] = {{"contraction_flops", s.contraction},
                 {"on_tensor", s.tensor},
                 {"float_flops", s.floats},
                 {"on_vector_and_scalar", s.fast}};
  out["remarks"] = exe.remarks;
  out["memory"] = summary.json()["memory"];
  out["profile"] = runtime::as_json(p, p.operations.size());
  fmt::print("{}\n", out.dump(2));
  return 0;
}

Result<int> run(const Options& o) {
  const Result<compiler::Module> module = read_module(o.input.file);
  if (!module.ok()) return module.status();
  const Result<hw::Machine> machine = o.input.find_machine("trn2");
  if (!machine.ok()) return machine.status();
  const Result<compiler::Executable> exe = compiler::compile(*module, *machine);
  if (!exe.ok()) return tell_refused(find_blockers(*module, *machine), o.json);
  return report(*exe, *machine, o);
}

}  // namespace

Run declare_preflight(CLI::App& app) {
  const auto o = std::make_shared<Options>();
  app.add_option("module", o->input.file,
                 "StableHLO: bytecode (.mlirbc), or text (.mlir, needs jaxlib)")
      ->required();
  app.add_option("--target", o->input.target, "Machine to compile for (default: trn2)");
  app.add_option("--machine", o->input.machine, "Machine file (TOML) instead of a target");
  app.add_flag("--all", o->all, "Every operation, not only the longest");
  app.add_flag("--json", o->json, "Print one JSON object");
  return [o] { return run(*o); };
}

}  // namespace trainyard::tools
