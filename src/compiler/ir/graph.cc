#include "compiler/ir/graph.h"

namespace trainyard::compiler {

const Attribute* find(const std::vector<NamedAttribute>& entries, std::string_view name) {
  for (const NamedAttribute& entry : entries) {
    if (entry.name == name) return &entry.value;
  }
  return nullptr;
}

const Function* Module::find_function(std::string_view name) const {
  for (const Function& function : functions) {
    if (function.name == name) return &function;
  }
  return nullptr;
}

const Mesh* Module::find_mesh(std::string_view name) const {
  for (const Mesh& mesh : meshes) {
    if (mesh.name == name) return &mesh;
  }
  return nullptr;
}

SourcePlace Module::place(LocationId id) const {
  const Location& location = locations[static_cast<size_t>(id)];
  if (location.file < 0) return {};
  return {files[static_cast<size_t>(location.file)], location.line, location.column};
}

namespace {

// The first operation of the module that calls `name`, and the function it stands in.
std::pair<const Function*, const Op*> first_call(const Module& module, std::string_view name) {
  for (const Function& caller : module.functions) {
    for (const Op& op : caller.ops) {
      const auto* call = std::get_if<CallAttributes>(&op.attributes);
      const auto* composite = std::get_if<CompositeAttributes>(&op.attributes);
      if ((call != nullptr && call->callee == name) ||
          (composite != nullptr && composite->decomposition == name)) {
        return {&caller, &op};
      }
    }
  }
  return {nullptr, nullptr};
}

}  // namespace

SourcePlace user_place(const Module& module, const Function& function, LocationId location) {
  SourcePlace place = module.place(location);
  const Function* inside = &function;
  constexpr int kLongestChain = 64;  // enough for any program by hand; the calls may be a cycle
  for (int i = 0; i < kLongestChain && !place.known(); ++i) {
    const auto [caller, call] = first_call(module, inside->name);
    if (caller == nullptr) break;
    place = module.place(call->location);
    inside = caller;
  }
  return place;
}

bool has_side_effect(const Op& op) {
  if (const auto* call = std::get_if<CustomCallAttributes>(&op.attributes)) {
    return call->has_side_effect;
  }
  return is_terminator(op.kind) || op.kind == OpKind::SdyShardingGroup ||
         std::holds_alternative<TransferAttributes>(op.attributes);
}

BlockId add_block(Function& function, const std::vector<Type>& arguments) {
  Block block;
  for (const Type& type : arguments) {
    block.arguments.push_back(static_cast<ValueId>(function.values.size()));
    function.values.push_back({.type = type,
                               .op = kNoOp,
                               .index = static_cast<int32_t>(block.arguments.size()) - 1,
                               .location = 0});
  }
  function.blocks.push_back(std::move(block));
  return static_cast<BlockId>(function.blocks.size()) - 1;
}

OpId add_op(Function& function, BlockId block, Op op, const std::vector<Type>& results) {
  const OpId id = static_cast<OpId>(function.ops.size());
  for (const Type& type : results) {
    op.results.push_back(static_cast<ValueId>(function.values.size()));
    function.values.push_back({.type = type,
                               .op = id,
                               .index = static_cast<int32_t>(op.results.size()) - 1,
                               .location = op.location});
  }
  function.ops.push_back(std::move(op));
  function.blocks[static_cast<size_t>(block)].ops.push_back(id);
  return id;
}

}  // namespace trainyard::compiler
