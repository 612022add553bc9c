#include "tools/blockers.h"

#include <algorithm>

namespace trainyard::tools {
namespace {

using compiler::Function;
using compiler::Module;
using compiler::Op;
using compiler::OpId;
using compiler::OpKind;

// A constant of zeros, or -1 if the type has no fixed shape.
int zeros(Module& module, const compiler::Type& type) {
  const auto* tensor = std::get_if<compiler::TensorType>(&type.kind);
  if (tensor == nullptr || !tensor->elements()) return -1;
  const auto size = static_cast<size_t>(compiler::byte_size(tensor->element));
  module.constants.push_back({*tensor, true, std::vector<uint8_t>(size)});
  return static_cast<int>(module.constants.size()) - 1;
}

Op constant(int id, compiler::ValueId result, compiler::LocationId location) {
  Op op;
  op.kind = OpKind::Constant;
  op.results = {result};
  op.attributes = compiler::ConstantAttributes{.value = id};
  op.location = location;
  return op;
}

// The results become constants, one operation each, in the place of the old one.
bool replace(Module& module, Function& f, OpId id) {
  const Op old = f.op(id);
  std::vector<int> values;
  for (const compiler::ValueId v : old.results) values.push_back(zeros(module, f.type(v)));
  if (values.empty() || std::ranges::find(values, -1) != values.end()) return false;
  f.op(id) = constant(values[0], old.results[0], old.location);
  for (compiler::Block& block : f.blocks) {
    const auto at = std::ranges::find(block.ops, id);
    if (at == block.ops.end()) continue;
    std::vector<OpId> more;
    for (size_t i = 1; i < values.size(); ++i) {
      more.push_back(static_cast<OpId>(f.ops.size()));
      f.ops.push_back(constant(values[i], old.results[i], old.location));
      f.values[static_cast<size_t>(old.results[i])].op = more.back();
      f.values[static_cast<size_t>(old.results[i])].index = 0;
    }
    block.ops.insert(at + 1, more.begin(), more.end());
    break;
  }
  return true;
}

// Removes what stands at the place of a refusal: the operations that it names, else all of them.
bool remove(Module& module, const Status& refusal) {
  std::vector<std::pair<Function*, OpId>> named, all;
  for (Function& f : module.functions) {
    for (size_t id = 0; id < f.ops.size(); ++id) {
      const Op& op = f.ops[id];
      if (op.kind == OpKind::Constant || op.results.empty()) continue;
      if (compiler::user_place(module, f, op.location) != refusal.place()) continue;
      all.emplace_back(&f, static_cast<OpId>(id));
      if (refusal.message().find(compiler::name(op.kind)) != std::string::npos) {
        named.push_back(all.back());
      }
    }
  }
  bool any = false;
  for (const auto& [f, id] : named.empty() ? all : named) any |= replace(module, *f, id);
  return any;
}

}  // namespace

std::vector<Status> find_blockers(const Module& module, const hw::Machine& machine, size_t most) {
  std::vector<Status> found;
  Module rest = module;
  while (found.size() < most) {
    const Result<compiler::Executable> made = compiler::compile(rest, machine);
    if (made.ok()) break;
    found.push_back(made.status());
    if (!made.status().place().known() || !remove(rest, made.status())) break;
  }
  return found;
}

}  // namespace trainyard::tools
