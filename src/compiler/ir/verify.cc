#include "compiler/ir/verify.h"

#include <map>
#include <string_view>

#include "compiler/ir/rules/infer.h"
#include "compiler/ir/rules/sharding_rules.h"

namespace trainyard::compiler {
namespace {

using FunctionIndex = std::map<std::string_view, size_t>;

OpKind terminator_of(OpKind parent) {
  const bool shardy =
      parent == OpKind::SdyManualComputation || parent == OpKind::SdyNamedComputation;
  return shardy ? OpKind::SdyReturn : OpKind::Return;
}

class FunctionVerifier {
 public:
  FunctionVerifier(const Module& module, const Function& function, const FunctionIndex& functions,
                   std::vector<size_t>& callees)
      : module_(module),
        function_(function),
        functions_(functions),
        callees_(callees),
        visible_(function.values.size(), false) {}

  Status run() {
    const std::vector<ValueId>& arguments = function_.entry().arguments;
    for (size_t i = 0; i < arguments.size(); ++i) {
      TY_TRY(check_sharding_of(module_, function_.argument_attributes[i],
                               function_.type(arguments[i])));
    }
    for (size_t i = 0; i < function_.result_types.size(); ++i) {
      TY_TRY(check_sharding_of(module_, function_.result_attributes[i], function_.result_types[i]));
    }
    return check_block(function_.body, OpKind::FuncReturn);
  }

 private:
  Status check_block(BlockId id, OpKind terminator) {
    const Block& block = function_.block(id);
    for (const ValueId argument : block.arguments) visible_[static_cast<size_t>(argument)] = true;
    for (size_t i = 0; i < block.ops.size(); ++i) {
      const Op& op = function_.op(block.ops[i]);
      const bool last = i + 1 == block.ops.size();
      if (is_terminator(op.kind) != last || (last && op.kind != terminator)) {
        return at(op, error(kWrongOrder, "{} stands where {} is expected", name(op.kind),
                            last ? name(terminator) : "an operation that does not end the block"));
      }
      TY_TRY(check_op(op));
    }
    if (block.ops.empty()) {
      return error(kWrongOrder, "a block of @{} is empty, {} is expected", function_.name,
                   name(terminator));
    }
    for (const ValueId argument : block.arguments) visible_[static_cast<size_t>(argument)] = false;
    for (const OpId op : block.ops) {
      for (const ValueId result : function_.op(op).results) {
        visible_[static_cast<size_t>(result)] = false;
      }
    }
    return {};
  }

  Status check_op(const Op& op) {
    const OpView view{module_, function_, op};
    TY_TRY(at(op, check_counts(view)));
    for (size_t i = 0; i < op.operands.size(); ++i) {
      if (!visible_[static_cast<size_t>(op.operands[i])]) {
        return at(op, view.wrong(kWrongOrder, "operand {} is not defined before it is used", i));
      }
    }
    for (const BlockId region : op.regions) {
      TY_TRY(check_block(region, terminator_of(op.kind)));
    }
    TY_TRY(at(op, check_results(view)));
    TY_TRY(at(op, check_calls(view)));
    for (const ValueId result : op.results) visible_[static_cast<size_t>(result)] = true;
    return {};
  }

  static Status check_counts(const OpView& view) {
    const OpShape& shape = shape_of(view.op.kind);
    const auto differs = [](int expected, size_t found) {
      return expected != kVariadic && static_cast<size_t>(expected) != found;
    };
    if (differs(shape.operands, view.operands()) || differs(shape.results, view.results()) ||
        differs(shape.regions, view.op.regions.size())) {
      return view.wrong(kWrongCount, "has {} operands, {} results and {} regions", view.operands(),
                        view.results(), view.op.regions.size());
    }
    return {};
  }

  Status check_results(const OpView& view) const {
    if (view.op.kind == OpKind::FuncReturn && view.operand_types() != function_.result_types) {
      return view.wrong(kWrongResult, "returns {}, @{} declares {}", str(view.operand_types()),
                        function_.name, str(function_.result_types));
    }
    const Inferred inferred = infer_results(view);
    if (!inferred.ok()) return inferred.status();
    if (*inferred != view.result_types()) {
      return view.wrong(kWrongResult, "the result is declared as {}, the operands give {}",
                        str(view.result_types()), str(*inferred));
    }
    return {};
  }

  Status check_calls(const OpView& view) {
    if (const auto* call = std::get_if<CallAttributes>(&view.op.attributes)) {
      return check_call(view, call->callee);
    }
    if (const auto* composite = std::get_if<CompositeAttributes>(&view.op.attributes)) {
      return check_call(view, composite->decomposition);
    }
    return {};
  }

  Status check_call(const OpView& view, const std::string& callee) {
    const auto found = functions_.find(callee);
    if (found == functions_.end()) {
      return view.wrong(kWrongCall, "calls @{}, which the module lacks", callee);
    }
    callees_.push_back(found->second);
    const Function& target = module_.functions[found->second];
    std::vector<Type> takes;
    for (const ValueId argument : target.entry().arguments) takes.push_back(target.type(argument));
    if (takes != view.operand_types() || target.result_types != view.result_types()) {
      return view.wrong(kWrongCall, "calls @{} as {} -> {}, it is {} -> {}", callee,
                        str(view.operand_types()), str(view.result_types()), str(takes),
                        str(target.result_types));
    }
    return {};
  }

  Status at(const Op& op, const Status& status) const {
    if (status.ok()) return status;
    const Location& where = module_.locations[static_cast<size_t>(op.location)];
    std::string text = status.message() + " (in @" + function_.name;
    if (!where.name.empty()) text += ", " + where.name;
    text += "); the module is malformed: lower the program again with JAX 0.10";
    return Status(status.code(), std::move(text), user_place(module_, function_, op.location));
  }

  const Module& module_;
  const Function& function_;
  const FunctionIndex& functions_;
  std::vector<size_t>& callees_;
  std::vector<bool> visible_;
};

// A function that calls itself, directly or not, cannot be inlined. Functions that only finished
// functions call are taken away until none is left, or only a cycle is.
Status check_no_recursion(const Module& module, const std::vector<std::vector<size_t>>& callees) {
  std::vector<size_t> callers(callees.size(), 0);
  for (const auto& list : callees) {
    for (const size_t callee : list) ++callers[callee];
  }
  std::vector<size_t> ready;
  for (size_t i = 0; i < callers.size(); ++i) {
    if (callers[i] == 0) ready.push_back(i);
  }
  size_t done = 0;
  while (!ready.empty()) {
    const size_t function = ready.back();
    ready.pop_back();
    ++done;
    for (const size_t callee : callees[function]) {
      if (--callers[callee] == 0) ready.push_back(callee);
    }
  }
  if (done == callees.size()) return {};
  for (size_t i = 0; i < callers.size(); ++i) {
    if (callers[i] == 0) continue;
    return error(kWrongCall, "@{} is part of a cycle of calls; recursion is not possible",
                 module.functions[i].name);
  }
  return {};
}

}  // namespace

Status verify(const Module& module) {
  for (const Mesh& mesh : module.meshes) TY_TRY(check_mesh(mesh));
  FunctionIndex functions;
  for (size_t i = 0; i < module.functions.size(); ++i) {
    if (!functions.emplace(module.functions[i].name, i).second) {
      return error(kWrongCall, "two functions are named @{}", module.functions[i].name);
    }
  }
  if (module.main() == nullptr) {
    return error(kWrongCall, "the module has no function @main to run");
  }
  std::vector<std::vector<size_t>> callees(module.functions.size());
  for (size_t i = 0; i < module.functions.size(); ++i) {
    const Function& function = module.functions[i];
    TY_TRY(FunctionVerifier(module, function, functions, callees[i])
               .run()
               .at(user_place(module, function, function.location)));
  }
  return check_no_recursion(module, callees);
}

}  // namespace trainyard::compiler
