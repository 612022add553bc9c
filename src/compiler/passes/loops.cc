#include "compiler/passes/loops.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/check.h"
#include "compiler/passes/notes.h"
#include "compiler/passes/rebuild.h"
#include "compiler/passes/simplify.h"
#include "compiler/passes/trip_count.h"

namespace trainyard::compiler {
namespace {

// Which states of a while must stay.
class LoopState {
 public:
  LoopState(const Function& function, const std::vector<bool>& used, const Op& op)
      : function_(function),
        body_(function.block(op.regions[1])),
        next_(function.op(body_.ops.back()).operands),
        needed_(op.operands.size(), false) {
    for (size_t k = 0; k < needed_.size(); ++k) argument_[body_.arguments[k]] = k;
    read_block(op.regions[0]);  // what the condition reads decides the trips
    for (const ValueId v : function.block(op.regions[0]).arguments) {
      const auto at = static_cast<size_t>(function.value(v).index);
      if (condition_reads_.contains(v)) want(at);
    }
    for (size_t k = 0; k < needed_.size(); ++k) {
      if (used[static_cast<size_t>(op.results[k])]) want(k);
    }
    for (const OpId id : body_.ops) {
      const Op& inner = function.op(id);
      if (has_side_effect(inner) && !is_terminator(inner.kind)) want_operands(inner);
    }
  }

  // The body hands it on as it came: the same value in each trip.
  bool is_invariant(size_t k) const { return next_[k] == body_.arguments[k]; }
  bool is_needed(size_t k) const { return needed_[k]; }

 private:
  void read_block(BlockId block) {
    for (const OpId id : function_.block(block).ops) {
      for (const ValueId v : function_.op(id).operands) condition_reads_.emplace(v, true);
      for (const BlockId region : function_.op(id).regions) read_block(region);
    }
  }
  void want(size_t k) {
    if (needed_[k]) return;
    needed_[k] = true;
    want_value(next_[k]);
  }
  void want_value(ValueId v) {
    if (const auto at = argument_.find(v); at != argument_.end()) return want(at->second);
    const OpId id = function_.value(v).op;
    if (id == kNoOp || !visited_.emplace(id, true).second) return;
    want_operands(function_.op(id));
  }
  void want_operands(const Op& op) {
    for (const ValueId v : op.operands) want_value(v);
    for (const BlockId region : op.regions) {
      for (const OpId inner : function_.block(region).ops) want_operands(function_.op(inner));
    }
  }

  const Function& function_;
  const Block& body_;
  const std::vector<ValueId>& next_;
  std::vector<bool> needed_;
  std::unordered_map<ValueId, size_t> argument_;
  std::unordered_map<ValueId, bool> condition_reads_;
  std::unordered_map<OpId, bool> visited_;
};

std::vector<bool> used_values(const Function& function) {
  std::vector<bool> used(function.values.size(), false);
  for_each_op(function, function.body, [&](OpId id, BlockId) {
    for (const ValueId v : function.op(id).operands) used[static_cast<size_t>(v)] = true;
  });
  return used;
}

class Loops {
 public:
  explicit Loops(const Function& main) : used_(used_values(main)) {}

  Result<bool> visit(Rebuild& rebuild, OpId id) {
    const Op& op = rebuild.source().op(id);
    if (op.kind != OpKind::While) return false;
    const auto trips = counted_trips(rebuild.module, rebuild.source(), op);
    if (trips && *trips <= 1) return unrolled(rebuild, op, *trips == 1);
    const LoopState state(rebuild.source(), used_, op);
    std::vector<size_t> kept;
    for (size_t k = 0; k < op.operands.size(); ++k) {
      if (!state.is_invariant(k) && state.is_needed(k)) kept.push_back(k);
    }
    if (kept.empty()) return false;  // its condition never changes: leave it alone
    return loop(rebuild, op, kept, trips);
  }

 private:
  static Result<bool> unrolled(Rebuild& rebuild, const Op& op, bool once) {
    std::vector<ValueId> values = rebuild.mapped(op.operands);
    if (once) {
      auto results = rebuild.splice(op.regions[1], values);
      if (!results.ok()) return results.status();
      values = std::move(*results);
    }
    for (size_t k = 0; k < values.size(); ++k) rebuild.map(op.results[k], values[k]);
    return true;
  }

  static Result<bool> loop(Rebuild& rebuild, const Op& op, const std::vector<size_t>& kept,
                           std::optional<int64_t> trips) {
    Op now;
    now.kind = OpKind::While;
    now.location = rebuild.location(op.location);
    now.extra = op.extra;
    if (trips) set_note(now, kTripsNote, *trips);
    std::vector<Type> types;
    for (const size_t k : kept) {
      now.operands.push_back(rebuild.mapped(op.operands[k]));
      types.push_back(rebuild.source().type(op.results[k]));
    }
    for (const BlockId region : op.regions) {
      const Result<BlockId> made = region_of(rebuild, op, region, kept);
      if (!made.ok()) return made.status();
      now.regions.push_back(*made);
    }
    const std::vector<ValueId> results = rebuild.to.op(rebuild.add(std::move(now), types)).results;
    for (size_t k = 0; k < op.results.size(); ++k) {
      rebuild.map(op.results[k], rebuild.mapped(op.operands[k]));
    }
    for (size_t i = 0; i < kept.size(); ++i) rebuild.map(op.results[kept[i]], results[i]);
    return true;
  }

  // A region over the kept states; the others are what they were before the loop.
  static Result<BlockId> region_of(Rebuild& rebuild, const Op& op, BlockId region,
                                   const std::vector<size_t>& kept) {
    const Function& source = rebuild.source();
    const Block& from = source.block(region);
    std::vector<Type> types;
    for (const size_t k : kept) types.push_back(source.type(from.arguments[k]));
    const BlockId made = add_block(rebuild.to, types);
    std::vector<ValueId> arguments = rebuild.mapped(op.operands);
    for (size_t i = 0; i < kept.size(); ++i) {
      arguments[kept[i]] = rebuild.to.block(made).arguments[i];
    }
    const BlockId outer = std::exchange(rebuild.block, made);
    auto results = rebuild.splice(region, arguments);
    if (!results.ok()) return results.status();
    const Op& last = source.op(from.ops.back());
    Op end;
    end.kind = OpKind::Return;
    end.location = rebuild.location(last.location);
    if (region == op.regions[0]) {
      end.operands = *results;
    } else {
      for (const size_t k : kept) end.operands.push_back((*results)[k]);
    }
    rebuild.add(std::move(end), {});
    rebuild.block = outer;
    return made;
  }

  std::vector<bool> used_;
};

}  // namespace

Status improve_loops(Module& module) {
  const Function& main = *main_of(module);
  if (std::ranges::find(main.ops, OpKind::While, &Op::kind) == main.ops.end()) return {};
  Loops loops(*main_of(module));
  TY_TRY(rebuild_main(module, [&](Rebuild& rebuild, OpId id) { return loops.visit(rebuild, id); }));
  TY_TRY(hoist_invariants(module));
  return simplify(module);
}

}  // namespace trainyard::compiler
