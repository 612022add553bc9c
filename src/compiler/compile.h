#pragma once
// StableHLO to a body: checks, the passes in their order, then lowering. One call, one core.
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "compiler/executable.h"
#include "compiler/ir/graph.h"
#include "hw/catalogue.h"

namespace trainyard::compiler {

struct PassTime {
  std::string_view name;
  double seconds = 0;
};

struct CompileOptions {
  // Called after each pass with its name and the module: --print-after, TRAINYARD_DUMP.
  std::function<void(std::string_view pass, const Module& module)> after_pass;
  bool verify_passes = false;              // verify the module after each pass; for tests
  std::vector<PassTime>* times = nullptr;  // receives one entry per pass and one for lowering
};

// Errors carry the user's line. The module must be the reader's; it is verified here.
Result<Executable> compile(Module module, const hw::Machine& machine,
                           const CompileOptions& options = {});

}  // namespace trainyard::compiler
