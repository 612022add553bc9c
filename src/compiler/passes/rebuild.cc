#include "compiler/passes/rebuild.h"

#include <utility>

#include "base/check.h"

namespace trainyard::compiler {

Rebuild::Rebuild(Module& m, const Function& from, Rule rule)
    : module(m), from_(&from), rule_(std::move(rule)) {}

std::vector<ValueId> Rebuild::mapped(std::span<const ValueId> old) const {
  std::vector<ValueId> out;
  out.reserve(old.size());
  for (const ValueId value : old) out.push_back(mapped(value));
  return out;
}

Result<Function> Rebuild::run() {
  Frame frame{.source = from_, .map = std::vector<ValueId>(from_->values.size(), -1)};
  frame_ = &frame;
  to = Function{};
  to.name = from_->name;
  to.is_public = from_->is_public;
  to.result_types = from_->result_types;
  to.argument_attributes = from_->argument_attributes;
  to.result_attributes = from_->result_attributes;
  to.location = from_->location;
  to.values.reserve(from_->values.size());
  to.ops.reserve(from_->ops.size());
  Result<BlockId> body = copy_block(from_->body);
  frame_ = nullptr;
  if (!body.ok()) return body.status();
  to.body = *body;
  return std::move(to);
}

LocationId Rebuild::location(LocationId old) {
  if (frame_->call == 0 || module.place(old).known()) return old;
  const auto key = (static_cast<uint64_t>(frame_->call) << 32) | static_cast<uint32_t>(old);
  const auto [found, added] = merged_.try_emplace(key, 0);
  if (added) {
    Location merged = module.locations[static_cast<size_t>(frame_->call)];
    const std::string& own = module.locations[static_cast<size_t>(old)].name;
    if (!own.empty()) merged.name = own;
    found->second = static_cast<LocationId>(module.locations.size());
    module.locations.push_back(std::move(merged));
  }
  return found->second;
}

Status Rebuild::visit(OpId id) {
  Result<bool> done = rule_(*this, id);
  if (!done.ok()) {
    return done.status().at(module.place(location(source().op(id).location)));
  }
  if (*done) return {};
  const Result<OpId> copied = copy(id);
  return copied.ok() ? Status() : copied.status();
}

Status Rebuild::visit_all(std::span<const OpId> ops) {
  for (const OpId op : ops) TY_TRY(visit(op));
  return {};
}

Result<OpId> Rebuild::copy(OpId id) {
  const Op& old = source().op(id);
  Op op;
  op.kind = old.kind;
  op.operands = mapped(old.operands);
  op.attributes = old.attributes;
  op.extra = old.extra;
  op.location = location(old.location);
  for (const BlockId region : old.regions) {
    const Result<BlockId> inner = copy_block(region);
    if (!inner.ok()) return inner.status();
    op.regions.push_back(*inner);
  }
  std::vector<Type> types;
  for (const ValueId result : old.results) types.push_back(source().type(result));
  const OpId made = add(std::move(op), types);
  for (size_t i = 0; i < old.results.size(); ++i) map(old.results[i], to.op(made).results[i]);
  return made;
}

Result<BlockId> Rebuild::copy_block(BlockId old) {
  const Block& from = source().block(old);
  std::vector<Type> types;
  for (const ValueId argument : from.arguments) types.push_back(source().type(argument));
  const BlockId made = add_block(to, types);
  for (size_t i = 0; i < from.arguments.size(); ++i) {
    const ValueId now = to.block(made).arguments[i];
    to.values[static_cast<size_t>(now)].location =
        location(source().value(from.arguments[i]).location);
    map(from.arguments[i], now);
  }
  const BlockId outer = std::exchange(block, made);
  for (const OpId op : from.ops) {
    if (Status status = visit(op); !status.ok()) return status;
  }
  block = outer;
  return made;
}

Result<std::vector<ValueId>> Rebuild::splice(BlockId old, std::span<const ValueId> arguments) {
  const Block& from = source().block(old);
  TY_CHECK(from.arguments.size() == arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) map(from.arguments[i], arguments[i]);
  for (size_t i = 0; i + 1 < from.ops.size(); ++i) {
    if (Status status = visit(from.ops[i]); !status.ok()) return status;
  }
  return mapped(source().op(from.ops.back()).operands);
}

Result<std::vector<ValueId>> Rebuild::inline_function(const Function& callee,
                                                      std::span<const ValueId> arguments,
                                                      LocationId call) {
  Frame frame{.source = &callee,
              .map = std::vector<ValueId>(callee.values.size(), -1),
              .call = location(call)};
  Frame* outer = std::exchange(frame_, &frame);
  Result<std::vector<ValueId>> results = splice(callee.body, arguments);
  frame_ = outer;
  return results;
}

Function* main_of(Module& module) {
  for (Function& function : module.functions) {
    if (function.name == "main") return &function;
  }
  return nullptr;
}

Status rebuild_main(Module& module, const Rebuild::Rule& rule) {
  Function* main = main_of(module);
  TY_CHECK(main != nullptr);
  Result<Function> made = Rebuild(module, *main, rule).run();
  if (!made.ok()) return made.status();
  *main = std::move(*made);
  return {};
}

void for_each_op(const Function& function, BlockId block,
                 const std::function<void(OpId id, BlockId in)>& visit) {
  for (const OpId id : function.block(block).ops) {
    visit(id, block);
    for (const BlockId region : function.op(id).regions) for_each_op(function, region, visit);
  }
}

}  // namespace trainyard::compiler
