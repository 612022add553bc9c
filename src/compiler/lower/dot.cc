#include "compiler/lower/kernels.h"

namespace trainyard::compiler {

Status lower_dot(Lowering& lowering, const Kernel& kernel) {
  const Op& op = lowering.function.op(kernel.ops.front());
  return error("TY-LOW-001", "{} on {} has no kernel; compute it on the CPU back end",
               name(op.kind),
               op.results.empty() ? "nothing" : str(lowering.function.type(op.results[0])));
}

}  // namespace trainyard::compiler
