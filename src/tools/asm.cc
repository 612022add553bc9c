#include <fmt/format.h>

#include "isa/text/text.h"
#include "tools/command.h"
#include "tools/program_input.h"

namespace trainyard::tools {

namespace {

// The file that came, or one without arguments, with the placed program.
std::string placed_file(const LoadedProgram& loaded) {
  compiler::ExecutableFile file = loaded.file;
  file.executable.program = loaded.kernel.program();
  file.origin.compiler = compiler::compiler_name();
  file.origin.machine = compiler::machine_digest(loaded.kernel.machine());
  return compiler::write_executable(file);
}

}  // namespace

Run declare_asm(CLI::App& app) {
  struct Options {
    ProgramInput input;
    std::string output;
  };
  const auto options = std::make_shared<Options>();
  options->input.declare(app);
  app.add_option("-o,--output", options->output,
                 "File for the placed program: text, or an executable file if it is called .tyx "
                 "(default: text on standard output)");
  return [options]() -> Result<int> {
    const Result<LoadedProgram> loaded = options->input.load();
    if (!loaded.ok()) return loaded.status();
    const runtime::Kernel* const kernel = &loaded->kernel;
    const std::string text = options->output.ends_with(kExecutableSuffix)
                                 ? placed_file(*loaded)
                                 : isa::print_text(kernel->program());
    if (options->output.empty()) {
      fmt::print("{}", text);
      return 0;
    }
    TY_TRY(write_file(options->output, text));
    const place::Report& r = kernel->placement();
    fmt::print(
        "{}: {} instructions when unrolled, SBUF {} B per partition, PSUM {} banks, HBM {} B, {} "
        "edges\n",
        options->output, r.executed, r.sbuf_bytes, r.psum_banks, r.hbm_bytes, r.edges_kept);
    return 0;
  };
}

}  // namespace trainyard::tools
