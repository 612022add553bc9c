#include "compiler/lower/block_uses.h"

#include "compiler/lower/views.h"

namespace trainyard::compiler {

ValueId renamed_value(const Lowering& lowering, ValueId value) {
  for (const Op* op = lowering.maker(value); op != nullptr; op = lowering.maker(value)) {
    const bool renames = op->kind == OpKind::Reshape || op->kind == OpKind::OptimizationBarrier;
    if (!renames) break;
    value = op->operands[static_cast<size_t>(lowering.function.value(value).index)];
  }
  return value;
}

BlockUses::BlockUses(const Lowering& lowering, BlockId block) : lowering_(lowering) {
  const std::vector<Kernel> kernels = plan_kernels(lowering, block);
  for (size_t i = 0; i < kernels.size(); ++i) {
    if (kernels[i].kind == KernelKind::Nothing) continue;
    for (const OpId id : kernels[i].ops) {
      const Op& op = lowering.function.op(id);
      read(op, i);
      for (const ValueId result : op.results) writes_[result] = {i, kernels[i].ops.size() == 1};
    }
  }
}

const BlockUses::Write* BlockUses::write(ValueId value) const {
  const auto found = writes_.find(value);
  return found == writes_.end() ? nullptr : &found->second;
}

bool BlockUses::is_dead_at(ValueId value, size_t kernel) const {
  const auto found = last_read_.find(value);
  return found == last_read_.end() || found->second < kernel;
}

bool is_view_of(const Lowering& lowering, ValueId value, ValueId base) {
  while (value != base) {
    const Op* op = lowering.maker(value);
    if (op == nullptr) return false;
    if (!is_view_op(op->kind) && op->kind != OpKind::OptimizationBarrier) return false;
    value = op->operands[static_cast<size_t>(lowering.function.value(value).index)];
  }
  return true;
}

void BlockUses::read(const Op& op, size_t kernel) {
  for (ValueId value : op.operands) {
    last_read_[value] = kernel;
    for (const Op* made = lowering_.maker(value);
         made != nullptr && (is_view_op(made->kind) || made->kind == OpKind::OptimizationBarrier);
         made = lowering_.maker(value)) {
      value = made->operands[static_cast<size_t>(lowering_.function.value(value).index)];
      last_read_[value] = kernel;
    }
  }
  for (const BlockId region : op.regions) {
    for (const OpId inner : lowering_.function.block(region).ops) {
      read(lowering_.function.op(inner), kernel);
    }
  }
}

}  // namespace trainyard::compiler
