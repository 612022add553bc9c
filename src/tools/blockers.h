#pragma once
// Everything in a module that the compiler refuses, not only the first.
#include <vector>

#include "compiler/compile.h"

namespace trainyard::tools {

// Compiles; each operation that is refused is noted and replaced by zeros, until the rest compiles.
// Empty if the module compiles as it is. The list is cut short where a refusal does not name its
// line, and after `most`.
std::vector<Status> find_blockers(const compiler::Module& module, const hw::Machine& machine,
                                  size_t most = 32);

}  // namespace trainyard::tools
