// Loop-invariant code. A value has two depths: where it stands, and the outermost loop body in
// which it could stand. Work goes to the latter; views and constants stay where they are used and
// are made again outside where hoisted work reads them.
#include <algorithm>
#include <map>
#include <utility>

#include "compiler/passes/loops.h"
#include "compiler/passes/rebuild.h"

namespace trainyard::compiler {
namespace {

constexpr int64_t kSmallBytes = int64_t{16} << 20;  // memory that is worth a computation per trip

bool is_free(OpKind kind) {
  switch (kind) {
    case OpKind::Constant:
    case OpKind::BroadcastInDim:
    case OpKind::Reshape:
    case OpKind::Reverse:
    case OpKind::Slice:
    case OpKind::Transpose:
      return true;
    default:
      return false;
  }
}

int64_t bytes_of_values(const Function& function, const std::vector<ValueId>& values) {
  int64_t total = 0;
  for (const ValueId v : values) {
    const TensorType* type = function.type(v).tensor();
    if (type != nullptr) total += *type->elements() * byte_size(type->element);
  }
  return total;
}

class Hoister {
 public:
  Result<bool> visit(Rebuild& rebuild, OpId id) {
    if (blocks_.empty()) blocks_.push_back(rebuild.block);
    settle(rebuild);
    const Op& op = rebuild.source().op(id);
    if (op.kind == OpKind::While) return loop(rebuild, op);
    if (rebuild.block != blocks_.back() || blocks_.size() == 1 || !may_move(rebuild, op)) {
      return false;
    }
    const std::vector<ValueId> reads = read_by(rebuild, op);
    size_t depth = 0;
    for (const ValueId old : reads) depth = std::max(depth, could_[value_of(rebuild, old)]);
    if (depth + 1 >= blocks_.size()) return false;
    if (is_free(op.kind)) {
      const Result<OpId> made = rebuild.copy(id);
      if (!made.ok()) return made.status();
      settle(rebuild);
      for (const ValueId v : rebuild.to.op(*made).results) could_[static_cast<size_t>(v)] = depth;
      return true;
    }
    return move(rebuild, id, reads, depth);
  }

 private:
  static size_t value_of(Rebuild& rebuild, ValueId old) {
    return static_cast<size_t>(rebuild.mapped(old));
  }

  // New values stand, and so far must stand, in the loop that is being filled.
  void settle(Rebuild& rebuild) {
    stands_.resize(rebuild.to.values.size(), blocks_.size() - 1);
    could_.resize(rebuild.to.values.size(), blocks_.size() - 1);
  }

  static bool may_move(Rebuild& rebuild, const Op& op) {
    if (has_side_effect(op) || op.kind == OpKind::If || op.kind == OpKind::Case ||
        op.kind == OpKind::OptimizationBarrier || op.results.empty()) {
      return false;
    }
    const Function& source = rebuild.source();
    if (std::ranges::any_of(op.results,
                            [&](ValueId v) { return source.type(v).tensor() == nullptr; })) {
      return false;
    }
    const int64_t made = bytes_of_values(source, op.results);
    return is_free(op.kind) || made <= kSmallBytes || made <= bytes_of_values(source, op.operands);
  }

  // Values of the source from outside of the operation that it reads, its regions included.
  static std::vector<ValueId> read_by(Rebuild& rebuild, const Op& op) {
    std::vector<ValueId> out = op.operands;
    for (const BlockId region : op.regions) {
      for_each_op(rebuild.source(), region, [&](OpId inner, BlockId) {
        for (const ValueId v : rebuild.source().op(inner).operands) {
          if (rebuild.is_mapped(v)) out.push_back(v);  // inner values are not yet
        }
      });
    }
    return out;
  }

  // The value, or for a view that stands further in a copy of it, at `depth`.
  ValueId at_depth(Rebuild& rebuild, ValueId value, size_t depth) {
    if (stands_[static_cast<size_t>(value)] <= depth) return value;
    if (const auto found = copies_.find({value, depth}); found != copies_.end()) {
      return found->second;
    }
    Op op = rebuild.to.op(rebuild.to.value(value).op);
    op.results.clear();
    for (ValueId& v : op.operands) v = at_depth(rebuild, v, depth);
    const Type type = rebuild.to.type(value);
    const OpId made = add_op(rebuild.to, blocks_[depth], std::move(op), {type});
    stands_.resize(rebuild.to.values.size(), depth);
    could_.resize(rebuild.to.values.size(), depth);
    const ValueId copy = rebuild.to.op(made).results[0];
    copies_[{value, depth}] = copy;
    return copy;
  }

  Result<bool> move(Rebuild& rebuild, OpId id, const std::vector<ValueId>& reads, size_t depth) {
    std::vector<std::pair<ValueId, ValueId>> inside;
    for (const ValueId old : reads) {
      inside.emplace_back(old, rebuild.mapped(old));
      rebuild.map(old, at_depth(rebuild, rebuild.mapped(old), depth));
    }
    const BlockId here = std::exchange(rebuild.block, blocks_[depth]);
    const Result<OpId> made = rebuild.copy(id);
    rebuild.block = here;
    if (!made.ok()) return made.status();
    stands_.resize(rebuild.to.values.size(), depth);
    could_.resize(rebuild.to.values.size(), depth);
    // The first entry for a value is the one before all changes.
    std::ranges::reverse(inside);
    for (const auto& [old, now] : inside) rebuild.map(old, now);
    return true;
  }

  Result<bool> loop(Rebuild& rebuild, const Op& op) {
    Op now;
    now.kind = op.kind;
    now.operands = rebuild.mapped(op.operands);
    now.attributes = op.attributes;
    now.extra = op.extra;
    now.location = rebuild.location(op.location);
    // A loop in an arm of a branch: what it hoists stays in the arm.
    const std::vector<BlockId> around = blocks_;
    if (rebuild.block != blocks_.back()) blocks_.back() = rebuild.block;
    for (const BlockId region : op.regions) {
      const Result<BlockId> made = region_of(rebuild, region);
      if (!made.ok()) return made.status();
      now.regions.push_back(*made);
    }
    blocks_ = around;
    std::vector<Type> types;
    for (const ValueId v : op.results) types.push_back(rebuild.source().type(v));
    const OpId made = rebuild.add(std::move(now), types);
    settle(rebuild);
    for (size_t i = 0; i < op.results.size(); ++i) {
      rebuild.map(op.results[i], rebuild.to.op(made).results[i]);
    }
    return true;
  }

  Result<BlockId> region_of(Rebuild& rebuild, BlockId region) {
    const Function& source = rebuild.source();
    const Block& from = source.block(region);
    std::vector<Type> types;
    for (const ValueId v : from.arguments) types.push_back(source.type(v));
    const BlockId made = add_block(rebuild.to, types);
    blocks_.push_back(made);
    settle(rebuild);
    const BlockId outer = std::exchange(rebuild.block, made);
    const std::vector<ValueId> arguments = rebuild.to.block(made).arguments;
    auto results = rebuild.splice(region, arguments);
    if (!results.ok()) return results.status();
    Op end;
    end.kind = OpKind::Return;
    end.operands = std::move(*results);
    end.location = rebuild.location(source.op(from.ops.back()).location);
    rebuild.add(std::move(end), {});
    settle(rebuild);
    rebuild.block = outer;
    blocks_.pop_back();
    return made;
  }

  std::vector<BlockId> blocks_;  // of the new function: main's, then one per loop around
  std::vector<size_t> stands_;   // by value of the new function
  std::vector<size_t> could_;
  std::map<std::pair<ValueId, size_t>, ValueId> copies_;
};

}  // namespace

Status hoist_invariants(Module& module) {
  Hoister hoister;
  return rebuild_main(module,
                      [&](Rebuild& rebuild, OpId id) { return hoister.visit(rebuild, id); });
}

}  // namespace trainyard::compiler
