#include "compiler/lower/kernels.h"

#include <algorithm>
#include <array>

namespace trainyard::compiler {

std::string_view name(KernelKind kind) {
  constexpr std::array<std::string_view, 7> kNames = {"nothing",     "move",   "tile",   "dot",
                                                      "convolution", "gpsimd", "control"};
  return kNames[static_cast<size_t>(kind)];
}

namespace {

// What the array multiplies. Integers are exact on it only below 2^24.
bool is_array_float(ElementType type) {
  switch (type) {
    case ElementType::F32:
    case ElementType::BF16:
    case ElementType::F16:
    case ElementType::F8E5M2:
    case ElementType::F8E4M3:
    case ElementType::F8E4M3FN:
    case ElementType::F8E3M4:
      return true;
    default:
      return false;
  }
}

}  // namespace

KernelKind kind_of(const Lowering& lowering, const Op& op) {
  switch (op.kind) {
    case OpKind::Constant:
    case OpKind::Reshape:
    case OpKind::OptimizationBarrier:
    case OpKind::CreateToken:
    case OpKind::AfterAll:
      return KernelKind::Nothing;
    case OpKind::While:
    case OpKind::If:
    case OpKind::Case:
      return KernelKind::Control;
    case OpKind::DotGeneral: {
      const bool floats = is_array_float(lowering.type(op.operands[0]).element) &&
                          is_array_float(lowering.type(op.operands[1]).element) &&
                          is_array_float(lowering.type(op.results[0]).element);
      return floats ? KernelKind::Dot : KernelKind::Gpsimd;
    }
    default:
      return KernelKind::Gpsimd;
  }
}

namespace {

// The operations of `block` whose results are used, in it or further in.
std::vector<bool> live_ops(const Function& function, BlockId block) {
  std::vector<bool> live(function.ops.size(), false);
  std::vector<bool> used(function.values.size(), false);
  const auto use = [&](const auto& self, const Op& op) -> void {
    for (const ValueId v : op.operands) used[static_cast<size_t>(v)] = true;
    for (const BlockId region : op.regions) {
      for (const OpId inner : function.block(region).ops) self(self, function.op(inner));
    }
  };
  const std::vector<OpId>& ops = function.block(block).ops;
  for (auto id = ops.rbegin(); id != ops.rend(); ++id) {
    const Op& op = function.op(*id);
    const bool wanted = has_side_effect(op) || std::ranges::any_of(op.results, [&](ValueId v) {
                          return used[static_cast<size_t>(v)];
                        });
    if (!wanted) continue;
    live[static_cast<size_t>(*id)] = true;
    use(use, op);
  }
  return live;
}

}  // namespace

std::vector<Kernel> plan_kernels(const Lowering& lowering, BlockId block) {
  const Function& function = lowering.function;
  const std::vector<bool> live = live_ops(function, block);
  std::vector<Kernel> kernels;
  for (const OpId id : function.block(block).ops) {
    const Op& op = function.op(id);
    if (!live[static_cast<size_t>(id)] || is_terminator(op.kind)) continue;
    kernels.push_back({kind_of(lowering, op), {id}});
  }
  return kernels;
}

}  // namespace trainyard::compiler
