#include <fmt/format.h>

#include "isa/text/text.h"
#include "tools/command.h"
#include "tools/program_input.h"

namespace trainyard::tools {

Run declare_asm(CLI::App& app) {
  struct Options {
    ProgramInput input;
    std::string output;
  };
  const auto options = std::make_shared<Options>();
  options->input.declare(app);
  app.add_option("-o,--output", options->output,
                 "File for the placed program (default: standard output)");
  return [options]() -> Result<int> {
    const Result<runtime::Kernel> kernel = options->input.load();
    if (!kernel.ok()) return kernel.status();
    const std::string text = isa::print_text(kernel->program());
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
