#pragma once
// StableHLO as text. We read bytecode only; jaxlib's own parser turns text into it.
#include <string>

#include "base/status.h"

namespace trainyard::tools {

// The portable bytecode of the StableHLO text in `file`, made by python/trainyard/mlir_text.py.
// TRAINYARD_PYTHON names the interpreter that has jaxlib (default: python3).
Result<std::string> bytecode_of_text(const std::string& file);

}  // namespace trainyard::tools
