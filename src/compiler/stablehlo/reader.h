#pragma once
// Reads a StableHLO program as JAX sends it: MLIR bytecode with VHLO and Shardy inside.
#include <cstdint>
#include <span>

#include "base/status.h"
#include "compiler/ir/graph.h"

namespace trainyard::compiler {

// The module in `file`, or a TY-SHLO error that names the byte offset. Any bytes are safe: time
// and memory are bounded by a multiple of the file's size. The module keeps no reference to the
// bytes. Nothing is checked beyond the structure of the file: see verify (ir/verify.h).
Result<Module> read_stablehlo(std::span<const uint8_t> file);

}  // namespace trainyard::compiler
