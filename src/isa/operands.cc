#include "isa/operands.h"

namespace trainyard::isa {

HiddenState hidden_state(const Instruction& inst) {
  const auto* act = std::get_if<Activation>(&inst);
  if (act == nullptr) return {};
  // `reset` and `reset_reduce` begin a new sum, so they do not depend on the old one. Reading out
  // right after a reset sees what this instruction itself put there. [nki 1.18]
  const bool writes = act->reduce_cmd != ReduceCmd::Idle;
  const bool resets =
      act->reduce_cmd == ReduceCmd::Reset || act->reduce_cmd == ReduceCmd::ResetReduce;
  const bool reads = act->reduce_cmd == ReduceCmd::Reduce || act->reduce_res.has_value();
  return {.act_reduce_read = reads && !resets, .act_reduce_write = writes};
}

}  // namespace trainyard::isa
