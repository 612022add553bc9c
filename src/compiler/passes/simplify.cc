#include "compiler/passes/simplify.h"

#include <algorithm>

#include "base/check.h"
#include "compiler/ir/element_value.h"
#include "compiler/passes/emit.h"
#include "compiler/passes/notes.h"
#include "compiler/passes/op_key.h"
#include "compiler/passes/simplifier.h"

namespace trainyard::compiler {

const Op* Simplifier::maker(ValueId value) const {
  const OpId id = to().value(value).op;
  return id == kNoOp ? nullptr : &to().op(id);
}

const Op* Simplifier::maker(ValueId value, OpKind kind) const {
  const Op* op = maker(value);
  return op != nullptr && op->kind == kind ? op : nullptr;
}

const Constant* Simplifier::constant(ValueId value) const {
  const Op* op = maker(value, OpKind::Constant);
  if (op == nullptr) return nullptr;
  return &module_
              .constants[static_cast<size_t>(std::get<ConstantAttributes>(op->attributes).value)];
}

bool Simplifier::is_all(ValueId value, double number) const {
  const Constant* data = constant(value);
  return data != nullptr && compiler::is_all(*data, number);
}

ValueId Simplifier::find(const std::string& key) const {
  const auto found = seen_.find(key);
  return found == seen_.end() ? -1 : found->second;
}

void Simplifier::remember(std::string key, ValueId value) {
  if (seen_.emplace(key, value).second) entered_.push_back(std::move(key));
}

ValueId Simplifier::add_constant_op(Constant data, LocationId location) {
  // Kept short: equal elements are a splat. One element is stored as itself.
  const auto size = static_cast<size_t>(byte_size(data.type.element));
  const bool uniform = !data.splat && data.bytes.size() > size &&
                       std::equal(data.bytes.begin() + static_cast<ptrdiff_t>(size),
                                  data.bytes.end(), data.bytes.begin());
  if (uniform) data.bytes.resize(size);
  data.splat = (data.splat || uniform) && data.type.elements() != 1;
  const TensorType type = data.type;
  Op op;
  op.kind = OpKind::Constant;
  op.location = location;
  op.attributes = ConstantAttributes{add_constant(module_, std::move(data))};
  return make(std::move(op), type);
}

ValueId Simplifier::splat(const TensorType& type, double value) {
  Constant data{.type = type, .splat = true};
  const uint64_t bits = bits_of(type.element, value);
  for (int64_t i = 0; i < byte_size(type.element); ++i) {
    data.bytes.push_back(static_cast<uint8_t>(bits >> (8 * i)));
  }
  return add_constant_op(std::move(data), location_);
}

ValueId Simplifier::make(OpKind kind, std::vector<ValueId> operands, OpAttributes attributes,
                         const TensorType& result) {
  Op op;
  op.kind = kind;
  op.operands = std::move(operands);
  op.attributes = std::move(attributes);
  op.location = location_;
  return make(std::move(op), TensorType(result));
}

ValueId Simplifier::make(Op op, const TensorType& result) {
  if (op.kind != OpKind::Constant) {
    std::vector<const Constant*> data;
    for (const ValueId v : op.operands) data.push_back(constant(v));
    if (std::ranges::all_of(data, [](const Constant* c) { return c != nullptr; })) {
      std::optional<Constant> known = folded(op, data, result);
      if (known) return add_constant_op(std::move(*known), op.location);
    }
    for (const auto rule : {simplified_move, simplified_arithmetic, simplified_indexing}) {
      if (const ValueId same = rule(*this, op, result); same >= 0) return same;
    }
  }
  const OpId id = rebuild_->add(std::move(op), {result});
  const ValueId value = to().op(id).results[0];
  // The key wants the results' types, so the operation is made first and taken back if known.
  std::string key = op_key(module_, to(), to().op(id));
  if (key.empty()) return value;
  if (const ValueId known = find(key); known >= 0) {
    rebuild_->to.ops.pop_back();
    rebuild_->to.values.pop_back();
    rebuild_->to.blocks[static_cast<size_t>(rebuild_->block)].ops.pop_back();
    return known;
  }
  remember(std::move(key), value);
  return value;
}

Result<bool> Simplifier::visit(Rebuild& rebuild, OpId id) {
  rebuild_ = &rebuild;
  const Op& op = rebuild.source().op(id);
  location_ = rebuild.location(op.location);
  if (!op.regions.empty()) return with_regions(op);
  const bool single = op.results.size() == 1 && !has_side_effect(op) &&
                      rebuild.source().type(op.results[0]).tensor() != nullptr;
  if (!single) return false;
  Op now;
  now.kind = op.kind;
  now.operands = rebuild.mapped(op.operands);
  now.attributes = op.attributes;
  now.extra = op.extra;
  now.location = location_;
  const TensorType result = *rebuild.source().type(op.results[0]).tensor();
  rebuild.map(op.results[0], make(std::move(now), result));
  return true;
}

// `if` and `case` whose choice is known.
Result<bool> Simplifier::branch(const Op& op) {
  size_t taken = 0;
  if (op.regions.size() > 1) {
    const Constant* choice = constant(rebuild_->mapped(op.operands[0]));
    if (choice == nullptr) return false;
    const uint64_t bits = element_bits(*choice, 0);
    if (op.kind == OpKind::If) {
      taken = bits != 0 ? 0 : 1;
    } else {
      const int64_t index = to_integer(choice->type.element, bits);
      const auto arms = static_cast<int64_t>(op.regions.size());
      taken = static_cast<size_t>(index < 0 || index >= arms ? arms - 1 : index);
    }
  }
  const auto results = rebuild_->splice(op.regions[taken], {});
  if (!results.ok()) return results.status();
  for (size_t i = 0; i < op.results.size(); ++i) rebuild_->map(op.results[i], (*results)[i]);
  return true;
}

Result<bool> Simplifier::with_regions(const Op& op) {
  if (op.kind == OpKind::If || op.kind == OpKind::Case) {
    const Result<bool> known = branch(op);
    if (!known.ok() || *known) return known;
  }
  std::vector<TensorType> types;
  for (const ValueId v : op.results) {
    if (const TensorType* type = rebuild_->source().type(v).tensor()) types.push_back(*type);
  }
  if (types.size() == op.results.size()) {
    const std::vector<ValueId> same =
        simplified_region_op(*this, rebuild_->source(), op, rebuild_->mapped(op.operands), types);
    for (size_t i = 0; i < same.size(); ++i) rebuild_->map(op.results[i], same[i]);
    if (!same.empty()) return true;
  }
  Op now;
  now.kind = op.kind;
  now.operands = rebuild_->mapped(op.operands);
  now.attributes = op.attributes;
  now.extra = op.extra;
  now.location = location_;
  for (const BlockId region : op.regions) {
    const size_t mark = entered_.size();
    const Result<BlockId> block = rebuild_->copy_block(region);
    if (!block.ok()) return block.status();
    now.regions.push_back(*block);
    while (entered_.size() > mark) {
      seen_.erase(entered_.back());
      entered_.pop_back();
    }
  }
  std::vector<Type> result_types;
  for (const ValueId v : op.results) result_types.push_back(rebuild_->source().type(v));
  const OpId made = rebuild_->add(std::move(now), result_types);
  std::vector<ValueId> values = to().op(made).results;
  std::string key = values.size() == 1 ? op_key(module_, to(), to().op(made)) : std::string();
  if (!key.empty()) {
    if (const ValueId known = find(key); known >= 0) {
      values[0] = known;  // the copy is dropped with what nobody uses
    } else {
      remember(std::move(key), values[0]);
    }
  }
  for (size_t i = 0; i < values.size(); ++i) rebuild_->map(op.results[i], values[i]);
  return true;
}

Status simplify(Module& module) {
  Simplifier simplifier(module);
  TY_TRY(rebuild_main(module,
                      [&](Rebuild& rebuild, OpId id) { return simplifier.visit(rebuild, id); }));
  return drop_dead(module);
}

namespace {

// Marks what is needed, from the last operation to the first; regions are part of their operation.
class Liveness {
 public:
  explicit Liveness(const Function& function)
      : function_(function),
        live_(function.ops.size(), false),
        used_(function.values.size(), false) {
    block(function.body);
  }
  bool is_live(OpId id) const { return live_[static_cast<size_t>(id)]; }

 private:
  void block(BlockId id) {
    const std::vector<OpId>& ops = function_.block(id).ops;
    for (auto at = ops.rbegin(); at != ops.rend(); ++at) {
      const Op& op = function_.op(*at);
      const bool wanted =
          has_side_effect(op) || holds_effect(op) ||
          std::ranges::any_of(op.results, [&](ValueId v) { return used_[static_cast<size_t>(v)]; });
      if (!wanted) continue;
      live_[static_cast<size_t>(*at)] = true;
      for (const ValueId v : op.operands) used_[static_cast<size_t>(v)] = true;
      for (const BlockId region : op.regions) block(region);
    }
  }
  bool holds_effect(const Op& op) const {
    return std::ranges::any_of(op.regions, [&](BlockId region) {
      return std::ranges::any_of(function_.block(region).ops, [&](OpId inner) {
        const Op& o = function_.op(inner);
        return (!is_terminator(o.kind) && has_side_effect(o)) || holds_effect(o);
      });
    });
  }

  const Function& function_;
  std::vector<bool> live_;
  std::vector<bool> used_;
};

}  // namespace

Status drop_dead(Module& module) {
  const Liveness live(*main_of(module));
  return rebuild_main(module, [&](Rebuild&, OpId id) -> Result<bool> { return !live.is_live(id); });
}

}  // namespace trainyard::compiler
