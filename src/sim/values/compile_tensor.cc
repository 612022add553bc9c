// The array and the Scalar engine.
#include "sim/execute/tile/activation.h"
#include "sim/execute/tile/copy.h"
#include "sim/values/column_ref.h"
#include "sim/values/compile.h"
#include "sim/values/matmul_step.h"

namespace trainyard::sim {
namespace {

std::unique_ptr<Step> compile_transpose_mode(const Compiler& c, const isa::Matmul& i) {
  const OperandRef dst = c.operand(i.dst), data = c.operand(i.stationary);
  if (i.dst.dtype != i.stationary.dtype)
    return make_step([=](Lane& l) { matmul_transpose(dst.view(l), data.view(l)); });
  const CopyPlan plan = plan_transpose(dst.pattern, data.pattern);
  return make_step([=](Lane& l) { run_copy(plan, dst.data(l), data.data(l), l.exec); });
}

}  // namespace

std::unique_ptr<Step> compile_op(const Compiler& c, const isa::Matmul& i) {
  if (i.is_transpose && c.core.has.transpose_mode.value) return compile_transpose_mode(c, i);
  return std::make_unique<MatmulStep>(c, i);
}

std::unique_ptr<Step> compile_op(const Compiler& c, const isa::Transpose& i, isa::Engine engine) {
  const isa::InstId taken = c.taken != nullptr ? (*c.taken)[i.dst.tensor] : -1;
  const OperandRef data = c.operand(i.data);
  const OperandRef dst =
      c.operand(taken < 0 ? i.dst : std::get<isa::TensorCopy>(c.program.insts[taken].op).dst);
  const bool exact = engine != isa::Engine::Tensor || c.core.has.transpose_mode.value;
  if (!exact && numerics::is_float(i.data.dtype)) {
    return make_step([=](Lane& l) { transpose_by_identity(dst.view(l), data.view(l), l.exec); });
  }
  const CopyPlan plan = plan_transpose(dst.pattern, data.pattern);
  return make_step([=](Lane& l) { run_copy(plan, dst.data(l), data.data(l), l.exec); });
}

std::unique_ptr<Step> compile_op(const Compiler& c, const isa::Activation& i) {
  OperandRef dst = c.operand(i.dst), data = c.operand(i.data);
  const ColumnRef scale(c, i.scale), bias(c, i.bias.value_or(isa::Operand(0.0f)));
  const ActivationOp op{.function = i.op,
                        .param = i.relu_param,
                        .reduce = i.reduce_cmd,
                        .has_bias = i.bias.has_value()};
  if (!scale.is_tile() && !bias.is_tile() && i.reduce_cmd == isa::ReduceCmd::Idle)
    fold_rows({&dst.pattern, &data.pattern});
  const isa::Affine lane = i.data.partition;
  std::optional<OperandRef> result;
  if (i.reduce_res) result = c.operand(*i.reduce_res);
  return make_step([=](Lane& l) {
    ActivationOp at = op;
    at.first_lane = lane.value(l.counters.data(), l.registers.data());
    activation(at, dst.view(l), data.view(l), scale.column(l), bias.column(l), l.exec);
    if (result) read_registers(result->view(l), at.first_lane, l.exec);
  });
}

}  // namespace trainyard::sim
