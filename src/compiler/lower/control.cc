// while, if and case. The state of a loop is a set of HBM tensors declared outside of it; the body
// reads them and leaves the next state in them. Where the body may write its result straight into
// the state it does, everything else is copied at the end of an iteration.
#include <algorithm>
#include <optional>

#include "base/check.h"
#include "compiler/lower/block_uses.h"
#include "compiler/passes/notes.h"

namespace trainyard::compiler {
namespace {

constexpr int64_t kMostRepeats = int64_t{1} << 20;  // beyond, a loop with a run-time exit

bool has_memory(const Lowering& lowering, ValueId value) {
  const TensorType* type = lowering.function.type(value).tensor();
  return type != nullptr && !is_empty(*type);
}

const Op& terminator(const Lowering& lowering, BlockId block) {
  return lowering.function.op(lowering.function.block(block).ops.back());
}

void load_register(Lowering& lowering, isa::RegisterId reg, ValueId scalar,
                   std::string_view label) {
  isa::Access src = lowering.whole(scalar);
  src.dims.clear();  // one element
  lowering.body.emit(isa::RegisterLoad{.dst = {reg}, .src = src}, label);
}

// A copy of all of `from` to all of `to`.
struct Transfer {
  isa::TensorId to = -1;
  isa::TensorId from = -1;
};

// Copies that happen at the same time: no source is overwritten before it is read. A cycle (two
// states that swap) goes through a tensor of its own.
void copy_all(Lowering& lowering, std::vector<Transfer> transfers, const std::string& label) {
  while (!transfers.empty()) {
    const auto is_read = [&](isa::TensorId tensor) {
      return std::ranges::any_of(transfers, [&](const Transfer& t) { return t.from == tensor; });
    };
    const auto free =
        std::ranges::find_if(transfers, [&](const Transfer& t) { return !is_read(t.to); });
    if (free != transfers.end()) {
      lowering.copy(free->to, free->from, label);
      transfers.erase(free);
      continue;
    }
    const isa::TensorId from = transfers.front().from;
    isa::Tensor like = lowering.body.program().tensors[static_cast<size_t>(from)];
    like.io = isa::Io::None;
    like.view.reset();
    like.name += "_old";
    const isa::TensorId kept = lowering.body.declare(std::move(like));
    lowering.copy(kept, from, label);
    for (Transfer& t : transfers) {
      if (t.from == from) t.from = kept;
    }
  }
}

class WhileLowering {
 public:
  WhileLowering(Lowering& lowering, OpId id)
      : lowering_(lowering),
        op_(lowering.function.op(id)),
        label_(Lowering::label(op_, id)),
        state_(op_.results.size(), -1) {}

  Status run() {
    declare_state();
    const std::optional<int64_t> trips = trip_count(op_);
    if (trips && *trips <= kMostRepeats) {
      lowering_.body.repeat(label_, *trips);
    } else {
      lowering_.body.loop_until_exit(label_, {.min = trips, .expected = trips, .max = trips});
      bind_arguments(op_.regions[0]);
      TY_TRY(lower_block(lowering_, op_.regions[0]));
      const isa::RegisterId goes_on = lowering_.condition_register(0);
      const ValueId predicate = terminator(lowering_, op_.regions[0]).operands[0];
      load_register(lowering_, goes_on, predicate, label_ + "_condition");
      lowering_.body.exit_unless(goes_on);
    }
    bind_arguments(op_.regions[1]);
    reserve_results();
    TY_TRY(lower_block(lowering_, op_.regions[1]));
    hand_over();
    lowering_.body.end();
    return {};
  }

 private:
  void declare_state() {
    std::vector<Transfer> transfers;
    for (size_t k = 0; k < state_.size(); ++k) {
      const ValueId result = op_.results[k];
      if (!has_memory(lowering_, result)) continue;
      const ValueId first = op_.operands[k];
      if (!lowering_.is_reserved(result) && lowering_.may_take_over(first, op_)) {
        state_[k] = lowering_.hbm(first);
        lowering_.bind(result, state_[k]);
        continue;
      }
      state_[k] = lowering_.define(result);
      const isa::TensorId from = lowering_.hbm(first);
      if (from != state_[k]) transfers.push_back({state_[k], from});
    }
    copy_all(lowering_, std::move(transfers), label_ + "_start");
  }

  void bind_arguments(BlockId region) {
    const std::vector<ValueId>& arguments = lowering_.function.block(region).arguments;
    for (size_t k = 0; k < state_.size(); ++k) {
      if (state_[k] >= 0) lowering_.bind(arguments[k], state_[k]);
    }
  }

  // Lets kernels of the body write the next state in place where nobody reads the old one any more.
  void reserve_results() {
    const BlockId body = op_.regions[1];
    const BlockUses uses(lowering_, body);
    const std::vector<ValueId>& arguments = lowering_.function.block(body).arguments;
    const Op& last = terminator(lowering_, body);
    for (size_t k = 0; k < state_.size(); ++k) {
      if (state_[k] < 0) continue;
      const ValueId next = renamed_value(lowering_, last.operands[k]);
      const BlockUses::Write* write = uses.write(next);
      if (write == nullptr || lowering_.is_reserved(next)) continue;
      const bool handed_on = std::ranges::any_of(
          last.operands, [&](ValueId v) { return is_view_of(lowering_, v, arguments[k]); });
      if (handed_on) continue;
      // A lone operation on one element reads before it writes.
      const bool one =
          write->alone && lowering_.elements(next) == 1 && lowering_.maker(next)->regions.empty();
      if (uses.is_dead_at(arguments[k], write->kernel + (one ? 1 : 0))) {
        lowering_.reserve(next, state_[k]);
      }
    }
  }

  void hand_over() {
    const Op& last = terminator(lowering_, op_.regions[1]);
    std::vector<Transfer> transfers;
    for (size_t k = 0; k < state_.size(); ++k) {
      if (state_[k] < 0) continue;
      const isa::TensorId from = lowering_.hbm(last.operands[k]);
      if (from != state_[k]) transfers.push_back({state_[k], from});
    }
    copy_all(lowering_, std::move(transfers), label_ + "_next");
  }

  Lowering& lowering_;
  const Op& op_;
  std::string label_;
  std::vector<isa::TensorId> state_;  // -1: a token, or no elements
};

class BranchLowering {
 public:
  BranchLowering(Lowering& lowering, OpId id)
      : lowering_(lowering),
        op_(lowering.function.op(id)),
        label_(Lowering::label(op_, id)),
        results_(op_.results.size(), -1) {}

  Status run() {
    for (size_t i = 0; i < results_.size(); ++i) {
      if (has_memory(lowering_, op_.results[i])) results_[i] = lowering_.define(op_.results[i]);
    }
    const isa::RegisterId index = lowering_.condition_register(0);
    if (op_.regions.size() == 1) return arm(0);
    load_register(lowering_, index, op_.operands[0], label_ + "_index");
    if (op_.kind == OpKind::If) {
      lowering_.body.branch(label_, index);
      TY_TRY(arm(0));
      lowering_.body.otherwise();
      TY_TRY(arm(1));
      lowering_.body.end();
      return {};
    }
    return choose(0);
  }

 private:
  // Arm `first` if the index is it, else one of the later ones. An index outside of the range takes
  // the last. The registers are dead once an arm is entered, so two serve a whole program.
  Status choose(size_t first) {
    if (first + 1 == op_.regions.size()) return arm(first);
    const isa::RegisterId taken = lowering_.condition_register(1);
    const auto number = static_cast<int64_t>(first);
    lowering_.body.emit(isa::RegisterAlu{.dst = {taken},
                                         .a = lowering_.condition_register(0),
                                         .b = number,
                                         .op = isa::RegisterOp::Equal},
                        label_ + "_is_" + std::to_string(first));
    lowering_.body.branch(label_ + "_" + std::to_string(first), taken);
    TY_TRY(arm(first));
    lowering_.body.otherwise();
    TY_TRY(choose(first + 1));
    lowering_.body.end();
    return {};
  }

  Status arm(size_t i) {
    const BlockId block = op_.regions[i];
    const BlockUses uses(lowering_, block);
    const Op& last = terminator(lowering_, block);
    for (size_t r = 0; r < results_.size(); ++r) {
      if (results_[r] < 0) continue;
      const ValueId value = renamed_value(lowering_, last.operands[r]);
      if (uses.write(value) != nullptr && !lowering_.is_reserved(value)) {
        lowering_.reserve(value, results_[r]);
      }
    }
    TY_TRY(lower_block(lowering_, block));
    for (size_t r = 0; r < results_.size(); ++r) {
      if (results_[r] < 0) continue;
      const isa::TensorId from = lowering_.hbm(last.operands[r]);
      if (from != results_[r]) {
        lowering_.copy(results_[r], from, label_ + "_result_" + std::to_string(r));
      }
    }
    return {};
  }

  Lowering& lowering_;
  const Op& op_;
  std::string label_;
  std::vector<isa::TensorId> results_;
};

}  // namespace

Status lower_control(Lowering& lowering, const Kernel& kernel) {
  const OpId id = kernel.ops.front();
  TY_CHECK(kernel.ops.size() == 1);
  if (lowering.function.op(id).kind == OpKind::While) return WhileLowering(lowering, id).run();
  return BranchLowering(lowering, id).run();
}

}  // namespace trainyard::compiler
