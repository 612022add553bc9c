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
    const Result<runtime::Kernel> kernel = options->input.load();
    if (!kernel.ok()) return kernel.status();
    fmt::print("{}", isa::print_text(kernel->program()));
    if (options->counts > 0) print_counts(kernel->program(), options->counts);
    return 0;
  };
}

}  // namespace trainyard::tools
