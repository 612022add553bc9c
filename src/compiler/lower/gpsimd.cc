#include "compiler/lower/gpsimd/emitter.h"
#include "compiler/lower/gpsimd/lowerings.h"

namespace trainyard::compiler {
namespace {

bool is_top_k(const Op& op) {
  return op.kind == OpKind::Composite &&
         std::get<CompositeAttributes>(op.attributes).name == "chlo.top_k";
}

Status refuse(const Lowering& lowering, const Op& op) {
  return error("TY-LOW-001", "{} on {} has no kernel; compute it on the CPU back end",
               name(op.kind),
               op.results.empty() ? "nothing" : str(lowering.function.type(op.results[0])));
}

bool has_complex(const Function& function, const Op& op) {
  for (const auto* list : {&op.operands, &op.results}) {
    for (const ValueId v : *list) {
      const TensorType* type = function.type(v).tensor();
      if (type != nullptr && is_complex(type->element)) return true;
    }
  }
  return false;
}

}  // namespace

Status lower_gpsimd(Lowering& lowering, const Kernel& kernel) {
  const OpId id = kernel.ops.front();
  const Op& op = lowering.function.op(id);
  if (is_elementwise(lowering.function, op)) return lower_elementwise(lowering, kernel);
  if (has_complex(lowering.function, op)) return refuse(lowering, op);
  switch (op.kind) {
    case OpKind::Reduce:
      return lower_reduce(lowering, op, id);
    case OpKind::ReduceWindow:
      return lower_reduce_window(lowering, op, id);
    case OpKind::SelectAndScatter:
      return lower_select_and_scatter(lowering, op, id);
    case OpKind::Sort:
      return lower_sort(lowering, op, id);
    case OpKind::Gather:
      return lower_gather(lowering, op, id);
    case OpKind::Scatter:
      return lower_scatter(lowering, op, id);
    case OpKind::DotGeneral:
      return lower_gpsimd_dot(lowering, op, id);
    case OpKind::Convolution:
      return lower_gpsimd_convolution(lowering, op, id);
    default:
      return is_top_k(op) ? lower_top_k(lowering, op, id) : refuse(lowering, op);
  }
}

}  // namespace trainyard::compiler
