#pragma once
// Makes a function anew, operation by operation in order. Passes that replace or drop operations
// are rules over this walk: one visit an operation, whatever it becomes, so a pass is linear in the
// size of the function, and what nobody uses any more is gone afterwards.
#include <functional>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "compiler/ir/graph.h"

namespace trainyard::compiler {

class Rebuild {
 public:
  // What becomes of an operation of the old function. True: the rule has mapped all results (or
  // there are none) and the operation is gone. False: it is copied.
  using Rule = std::function<Result<bool>(Rebuild& rebuild, OpId id)>;

  Rebuild(Module& module, const Function& from, Rule rule);

  // Runs over the whole function and returns the new one.
  Result<Function> run();

  Module& module;
  // The function that is read: `from`, or one that `inline_function` is in.
  const Function& source() const { return *frame_->source; }
  // The function that is made, and the block of it that is being filled.
  Function to;
  BlockId block = 0;

  // The value of the new function that stands for `old`.
  ValueId mapped(ValueId old) const { return frame_->map[static_cast<size_t>(old)]; }
  std::vector<ValueId> mapped(std::span<const ValueId> old) const;
  bool is_mapped(ValueId old) const { return mapped(old) >= 0; }
  void map(ValueId old, ValueId now) { frame_->map[static_cast<size_t>(old)] = now; }

  // Copies an operation with its operands mapped and its regions rebuilt by the rule.
  Result<OpId> copy(OpId id);
  // Rebuilds a region of the source as a new block.
  Result<BlockId> copy_block(BlockId old);
  // Puts the operations of a region here, without its terminator, whose operands are returned in
  // the new function. The block's arguments stand for `arguments`.
  Result<std::vector<ValueId>> splice(BlockId old, std::span<const ValueId> arguments);
  // The same for a whole function of the module. Operations without a line get that of `call`.
  Result<std::vector<ValueId>> inline_function(const Function& callee,
                                               std::span<const ValueId> arguments, LocationId call);

  // Visits operations of the source, one after the other.
  Status visit_all(std::span<const OpId> ops);

  // Adds an operation of the pass's own at the current place.
  OpId add(Op op, const std::vector<Type>& results) {
    return add_op(to, block, std::move(op), results);
  }
  // The location in the new function for something at `old` in the source.
  LocationId location(LocationId old);

 private:
  struct Frame {
    const Function* source = nullptr;
    std::vector<ValueId> map;
    LocationId call = 0;
  };
  Status visit(OpId id);

  const Function* from_;
  Rule rule_;
  Frame* frame_ = nullptr;
  std::unordered_map<uint64_t, LocationId> merged_;  // (call, own) -> location
};

// Rebuilds `main` of the module by a rule.
Status rebuild_main(Module& module, const Rebuild::Rule& rule);

// The operations of a block and of all blocks inside it, in order.
void for_each_op(const Function& function, BlockId block,
                 const std::function<void(OpId id, BlockId in)>& visit);

Function* main_of(Module& module);

}  // namespace trainyard::compiler
