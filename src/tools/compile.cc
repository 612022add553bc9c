// Compiles StableHLO to a body: what `jax.jit` would send, from a file.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "compiler/compile.h"
#include "compiler/ir/print.h"
#include "compiler/passes/pass.h"
#include "compiler/stablehlo/reader.h"
#include "isa/text/text.h"
#include "runtime/compile_cache.h"
#include "tools/command.h"
#include "tools/mlir_text.h"
#include "tools/program_input.h"

namespace trainyard::tools {
namespace {

struct CompileCommand {
  std::string file;
  std::string output;
  std::string target;
  std::string machine;
  std::string print_after;
  bool time_passes = false;
  bool remarks = false;
  bool verify_passes = false;
};

bool is_pass(std::string_view name) {
  const auto passes = compiler::pipeline();
  return std::ranges::find(passes, name, &compiler::Pass::name) != passes.end();
}

Result<std::string> read_bytes(const std::string& file) {
  return file.ends_with(".mlir") ? bytecode_of_text(file) : read_file(file);
}

// Writes the graph after each pass and the body to the folder that TRAINYARD_DUMP names.
class Dump {
 public:
  Dump() {
    const char* folder = std::getenv("TRAINYARD_DUMP");
    if (folder != nullptr) folder_ = folder;
  }
  bool wanted() const { return !folder_.empty(); }
  void write(std::string_view name, std::string_view text) {
    if (!wanted() || !status_.ok()) return;
    std::error_code made;
    std::filesystem::create_directories(folder_, made);
    status_ = write_file(fmt::format("{}/{:02}_{}", folder_, count_++, name), text);
  }
  const Status& status() const { return status_; }

 private:
  std::string folder_;
  int count_ = 0;
  Status status_;
};

void print_times(const std::vector<compiler::PassTime>& times) {
  double total = 0;
  for (const compiler::PassTime& t : times) {
    fmt::print("{:<16} {:>10.3f} ms\n", t.name, t.seconds * 1e3);
    total += t.seconds;
  }
  fmt::print("{:<16} {:>10.3f} ms\n", "total", total * 1e3);
}

Result<int> run_compile(const CompileCommand& command) {
  if (!command.print_after.empty() && command.print_after != "read" &&
      !is_pass(command.print_after)) {
    std::string names = "read";
    for (const compiler::Pass& pass : compiler::pipeline()) names += fmt::format(", {}", pass.name);
    return error("TY-TOOL-021", "there is no pass \"{}\"; the passes are {}", command.print_after,
                 names);
  }
  const Result<std::string> bytes = read_bytes(command.file);
  if (!bytes.ok()) return bytes.status();
  Result<compiler::Module> module =
      compiler::read_stablehlo({reinterpret_cast<const uint8_t*>(bytes->data()), bytes->size()});
  if (!module.ok()) return module.status();
  const ProgramInput machine{.target = command.target, .machine = command.machine};
  const Result<hw::Machine> found = machine.find_machine("trn2");
  if (!found.ok()) return found.status();

  Dump dump;
  const auto show = [&](std::string_view pass, const compiler::Module& m) {
    if (pass == command.print_after) fmt::print("{}", compiler::print(m));
    if (dump.wanted()) dump.write(fmt::format("{}.mlir", pass), compiler::print(m));
  };
  show("read", *module);
  std::vector<compiler::PassTime> times;
  compiler::CompileOptions options{.after_pass = show};
  options.verify_passes = command.verify_passes;
  options.times = &times;
  Result<compiler::Executable> exe = compiler::compile(std::move(*module), *found, options);
  if (!exe.ok()) return exe.status();
  const bool binary = command.output.ends_with(kExecutableSuffix);
  const bool wants_text = dump.wanted() || (!command.output.empty() && !binary) ||
                          (command.print_after.empty() && !command.time_passes && !command.remarks);
  const std::string text = wants_text ? isa::print_text(exe->program) : std::string();
  dump.write("body.tya", text);
  TY_TRY(dump.status());
  if (command.time_passes) print_times(times);
  if (command.remarks) {
    for (const std::string& remark : exe->remarks) fmt::print("{}\n", remark);
  }
  if (binary) {
    compiler::ExecutableFile file{.executable = std::move(*exe),
                                  .origin = runtime::origin_of(*bytes, *found)};
    file.fingerprint = runtime::module_fingerprint(*bytes);
    TY_TRY(write_file(command.output, compiler::write_executable(file)));
  } else if (!command.output.empty()) {
    TY_TRY(write_file(command.output, text));
  } else if (command.print_after.empty() && !command.time_passes && !command.remarks) {
    fmt::print("{}", text);
  }
  return 0;
}

}  // namespace

Run declare_compile(CLI::App& app) {
  const auto command = std::make_shared<CompileCommand>();
  app.add_option("module", command->file,
                 "StableHLO: bytecode (.mlirbc), or text (.mlir, needs jaxlib)")
      ->required();
  app.add_option("-o,--output", command->output,
                 "File for the program: an executable file if it is called .tyx, else text (.tya)");
  app.add_option("--target", command->target, "Machine to compile for (default: trn2)");
  app.add_option("--machine", command->machine, "Machine file (TOML) instead of a target");
  app.add_option("--print-after", command->print_after,
                 "Print the graph after this pass; \"read\" is the graph as it came. "
                 "TRAINYARD_DUMP=folder writes them all, and the body");
  app.add_flag("--time-passes", command->time_passes, "Print how long each pass took");
  app.add_flag("--remarks", command->remarks, "Print what was not put on a fast engine, and why");
  app.add_flag("--verify-passes", command->verify_passes, "Check the graph after each pass");
  return [command] { return run_compile(*command); };
}

}  // namespace trainyard::tools
