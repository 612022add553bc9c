// Notes for the lowering: updates in place, and windows that are running sums.
#include <algorithm>

#include "compiler/passes/loops.h"
#include "compiler/passes/notes.h"
#include "compiler/passes/rebuild.h"

namespace trainyard::compiler {
namespace {

struct Use {
  OpId op = kNoOp;
  BlockId block = -1;
  size_t position = 0;  // in its block
};

class InPlace {
 public:
  explicit InPlace(Function& function)
      : function_(function),
        uses_(function.values.size()),
        block_of_(function.ops.size(), -1),
        loop_body_(function.blocks.size(), false) {
    for (size_t b = 0; b < function.blocks.size(); ++b) {
      const std::vector<OpId>& ops = function.blocks[b].ops;
      for (size_t i = 0; i < ops.size(); ++i) {
        const Op& op = function.op(ops[i]);
        block_of_[static_cast<size_t>(ops[i])] = static_cast<BlockId>(b);
        if (op.kind == OpKind::While) loop_body_[static_cast<size_t>(op.regions[1])] = true;
        for (const ValueId v : op.operands) {
          uses_[static_cast<size_t>(v)].push_back({ops[i], static_cast<BlockId>(b), i});
        }
      }
    }
  }

  // True when operand 0 of the update is its own tensor and nobody reads it afterwards.
  bool may_overwrite(OpId id) const {
    const Op& op = function_.op(id);
    const ValueId target = op.operands[0];
    const BlockId block = block_of_[static_cast<size_t>(id)];
    if (!is_own_tensor(target, block)) return false;
    const auto& uses = uses_[static_cast<size_t>(target)];
    const auto self = std::ranges::find(uses, id, &Use::op);
    return std::ranges::all_of(uses, [&](const Use& use) {
      if (use.op == id) return use.position == self->position && count(op, target) == 1;
      const OpKind kind = function_.op(use.op).kind;
      const bool copies = kind == OpKind::DynamicSlice || kind == OpKind::Gather;
      return copies && use.block == block && use.position < self->position;
    });
  }

 private:
  static int64_t count(const Op& op, ValueId value) {
    return std::ranges::count(op.operands, value);
  }
  bool is_own_tensor(ValueId value, BlockId block) const {
    const OpId made = function_.value(value).op;
    if (made == kNoOp) {
      const auto& arguments = function_.block(block).arguments;
      return loop_body_[static_cast<size_t>(block)] &&
             std::ranges::find(arguments, value) != arguments.end();
    }
    switch (function_.op(made).kind) {
      case OpKind::Constant:
      case OpKind::OptimizationBarrier:
      case OpKind::Reshape:
      case OpKind::BroadcastInDim:
      case OpKind::Transpose:
      case OpKind::Slice:
      case OpKind::Reverse:
        return false;  // may be another value's bytes
      default:
        return block_of_[static_cast<size_t>(made)] == block;
    }
  }

  const Function& function_;
  std::vector<std::vector<Use>> uses_;
  std::vector<BlockId> block_of_;
  std::vector<bool> loop_body_;
};

bool all_are(const Dims& dims, int64_t value) {
  return std::ranges::all_of(dims, [&](int64_t d) { return d == value; });
}

struct Running {
  int64_t dim = 0;
  bool reverse = false;
};

// A window as long as the dimension that begins n - 1 before it: one more element each step.
std::optional<Running> running(const WindowAttributes& window, const Dims& shape) {
  if (!all_are(window.strides, 1) || !all_are(window.base_dilations, 1) ||
      !all_are(window.window_dilations, 1) || window.padding_low.size() != shape.size() ||
      window.padding_high.size() != shape.size()) {
    return std::nullopt;
  }
  std::optional<Running> found;
  for (size_t d = 0; d < shape.size(); ++d) {
    const int64_t size = window.dimensions[d];
    const int64_t low = window.padding_low[d];
    const int64_t high = window.padding_high[d];
    if (size == 1 && low == 0 && high == 0) continue;
    const bool forward = low == size - 1 && high == 0;
    const bool backward = low == 0 && high == size - 1;
    if (found || size != shape[d] || (!forward && !backward)) return std::nullopt;
    found = Running{.dim = static_cast<int64_t>(d), .reverse = backward};
  }
  return found;
}

}  // namespace

Status mark_in_place(Module& module) {
  Function& main = *main_of(module);
  const InPlace in_place(main);
  for (size_t i = 0; i < main.ops.size(); ++i) {
    const auto id = static_cast<OpId>(i);
    const Op& op = main.op(id);
    const bool updates = op.kind == OpKind::DynamicUpdateSlice ||
                         (op.kind == OpKind::Scatter && op.results.size() == 1);
    if (updates && in_place.may_overwrite(id)) set_note(main.op(id), kInPlaceNote, 0);
  }
  return {};
}

Status mark_cumulative(Module& module) {
  Function& main = *main_of(module);
  for (Op& op : main.ops) {
    if (op.kind != OpKind::ReduceWindow) continue;
    const auto found = running(std::get<WindowAttributes>(op.attributes),
                               main.type(op.operands[0]).tensor()->shape);
    if (!found) continue;
    set_note(op, kCumulativeNote, found->dim);
    set_note(op, kReverseNote, found->reverse ? 1 : 0);
  }
  return {};
}

}  // namespace trainyard::compiler
