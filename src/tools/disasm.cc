// Shows body and placement side by side and, with --counts, what the symbolic edges come to: the
// first instructions of each stream with the counts that they wait for.
#include <fmt/format.h>

#include "isa/stream.h"
#include "isa/text/text.h"
#include "tools/command.h"
#include "tools/program_input.h"

namespace trainyard::tools {
namespace {

void print_counts(const isa::Program& program, int64_t most) {
  const isa::Structure structure(program);
  isa::TripRecord trips;
  trips.loops.assign(program.loops.size(), {{1, 1}});
  trips.branches.assign(program.branches.size(), {{1, 1}});
  for (const hw::Engine engine : hw::kEngines) {
    isa::StreamWalker walker(program, structure, engine, trips);
    fmt::print("\n# stream {}\n", hw::name(engine));
    for (int64_t n = 0; n < most && walker.next();) {
      if (walker.item().kind != isa::StreamItem::Kind::Instruction) continue;
      ++n;
      const isa::Inst& inst = program.insts[walker.item().id];
      std::string waits;
      for (const isa::Need& need : walker.needs()) {
        waits += fmt::format("{}{} >= {}", waits.empty() ? "waits " : ", ",
                             program.insts[need.producer].label, need.count);
      }
      const std::string name = fmt::format("#   {:<16} #{}", inst.label, walker.item().instance);
      fmt::print("{}\n", waits.empty() ? name : fmt::format("{:<30}{}", name, waits));
    }
  }
}

std::string_view tensor_name(const isa::Program& program, isa::TensorId id) {
  const bool known = id >= 0 && static_cast<size_t>(id) < program.tensors.size();
  return known ? std::string_view(program.tensors[static_cast<size_t>(id)].name) : "no tensor";
}

// What an executable file says besides its program, as comments of the text form.
void print_interface(const compiler::ExecutableFile& file, const isa::Program& program) {
  const auto line = [](const compiler::Origin& o) {
    return fmt::format("# made by {}\n# for machine {}\n", o.compiler, o.machine);
  };
  if (!file.origin.compiler.empty()) fmt::print("{}", line(file.origin));
  for (size_t i = 0; i < file.executable.arguments.size(); ++i) {
    const compiler::Argument& a = file.executable.arguments[i];
    fmt::print("# argument {}: {} in {}{}\n", i, compiler::str(a.type),
               tensor_name(program, a.tensor),
               a.alias     ? fmt::format(", its memory becomes result {}", *a.alias)
               : a.donated ? ", donated"
                           : "");
  }
  for (size_t i = 0; i < file.executable.outputs.size(); ++i) {
    const compiler::Output& o = file.executable.outputs[i];
    fmt::print("# result {}: {} in {}\n", i, compiler::str(o.type), tensor_name(program, o.tensor));
  }
  for (const compiler::ConstantData& c : file.executable.constants) {
    fmt::print("# constant: {} bytes in {}\n", c.bytes.size(), tensor_name(program, c.tensor));
  }
}

}  // namespace

Run declare_disasm(CLI::App& app) {
  struct Options {
    ProgramInput input;
    int64_t counts = 0;
  };
  const auto options = std::make_shared<Options>();
  options->input.declare(app);
  app.add_option("--counts", options->counts,
                 "Also list the first N instructions of each stream with their waits")
      ->check(CLI::Range(int64_t{0}, int64_t{1} << 40));
  return [options]() -> Result<int> {
    const Result<LoadedProgram> loaded = options->input.load();
    if (!loaded.ok()) return loaded.status();
    const isa::Program& program = loaded->kernel.program();
    print_interface(loaded->file, program);
    fmt::print("{}", isa::print_text(program));
    if (options->counts > 0) print_counts(program, options->counts);
    return 0;
  };
}

}  // namespace trainyard::tools
