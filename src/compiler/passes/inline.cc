#include "compiler/passes/inline.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "compiler/passes/rebuild.h"

namespace trainyard::compiler {
namespace {

constexpr std::string_view kSeveralDevices = "TY-SHLO-046";

// Composites with a kernel. Others mean their decomposition.
struct CompositeKernel {
  std::string_view name;
  bool floats_only;  // f32 and narrower: the fast engines have no f64
};
constexpr std::array kCompositeKernels{
    CompositeKernel{"chlo.top_k", false},
    CompositeKernel{"chlo.erf", true},
};

constexpr std::array<std::string_view, 5> kIdentityCalls = {
    "LayoutConstraint", "Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape",
    "annotate_device_placement"};

bool is_identity_call(const Op& op) {
  const auto* call = std::get_if<CustomCallAttributes>(&op.attributes);
  return call != nullptr && std::ranges::find(kIdentityCalls, call->target) != kIdentityCalls.end();
}

class Inliner {
 public:
  explicit Inliner(const Module& module) {
    for (size_t i = 0; i < module.functions.size(); ++i) {
      functions_.emplace(module.functions[i].name, i);
    }
  }

  Result<bool> visit(Rebuild& rebuild, OpId id) {
    const Op& op = rebuild.source().op(id);
    switch (op.kind) {
      case OpKind::Call:
        return call(rebuild, op, std::get<CallAttributes>(op.attributes).callee);
      case OpKind::Composite:
        if (has_composite_kernel(rebuild.source(), op)) {
          kept_.insert(std::get<CompositeAttributes>(op.attributes).decomposition);
          return false;
        }
        return call(rebuild, op, std::get<CompositeAttributes>(op.attributes).decomposition);
      case OpKind::CustomCall:
        if (is_identity_call(op)) return forward(rebuild, op);
        for (const auto& name : std::get<CustomCallAttributes>(op.attributes).called_computations) {
          kept_.insert(name);
        }
        return false;
      case OpKind::SdyShardingConstraint:
      case OpKind::SdyReshard:
      case OpKind::SdyPropagationBarrier:
        return forward(rebuild, op);
      case OpKind::SdyShardingGroup:
        return true;
      case OpKind::SdyManualComputation: {
        const auto results = rebuild.splice(op.regions[0], rebuild.mapped(op.operands));
        if (!results.ok()) return results.status();
        return finish(rebuild, op, *results);
      }
      case OpKind::SdyConstant: {
        Op constant = op;
        constant.kind = OpKind::Constant;
        constant.results.clear();
        constant.location = rebuild.location(op.location);
        const OpId made = rebuild.add(std::move(constant), {rebuild.source().type(op.results[0])});
        rebuild.map(op.results[0], rebuild.to.op(made).results[0]);
        return true;
      }
      default:
        return false;
    }
  }

  // What the composites that stay need, with all that it calls.
  std::set<std::string> kept_functions(const Module& module) const {
    std::set<std::string> all;
    std::vector<std::string> open(kept_.begin(), kept_.end());
    while (!open.empty()) {
      const std::string name = std::move(open.back());
      open.pop_back();
      if (!functions_.contains(name) || !all.insert(name).second) continue;
      for (const Op& op : module.functions[functions_.at(name)].ops) {
        if (const auto* call = std::get_if<CallAttributes>(&op.attributes)) {
          open.push_back(call->callee);
        } else if (const auto* composite = std::get_if<CompositeAttributes>(&op.attributes)) {
          open.push_back(composite->decomposition);
        }
      }
    }
    return all;
  }

 private:
  Result<bool> call(Rebuild& rebuild, const Op& op, const std::string& callee) {
    const Function& target = rebuild.module.functions[functions_.at(callee)];
    const auto results = rebuild.inline_function(target, rebuild.mapped(op.operands), op.location);
    if (!results.ok()) return results.status();
    return finish(rebuild, op, *results);
  }

  static Result<bool> forward(Rebuild& rebuild, const Op& op) {
    return finish(rebuild, op, rebuild.mapped(op.operands));
  }

  static bool finish(Rebuild& rebuild, const Op& op, const std::vector<ValueId>& results) {
    for (size_t i = 0; i < op.results.size(); ++i) rebuild.map(op.results[i], results[i]);
    return true;
  }

  std::map<std::string, size_t, std::less<>> functions_;
  std::set<std::string> kept_;
};

int64_t integer(const std::vector<NamedAttribute>& attributes, std::string_view name) {
  const Attribute* found = find(attributes, name);
  const auto* number = found == nullptr ? nullptr : std::get_if<IntegerAttribute>(&found->kind);
  return number == nullptr ? 1 : number->value;
}

}  // namespace

Status check_single_device(const Module& module) {
  const int64_t partitions = integer(module.attributes, "mhlo.num_partitions");
  const int64_t replicas = integer(module.attributes, "mhlo.num_replicas");
  if (partitions != 1 || replicas != 1) {
    return error(kSeveralDevices,
                 "the program is for {} partitions and {} replicas; this compiler makes programs "
                 "of one core: jit it for one device",
                 partitions, replicas);
  }
  for (const Mesh& mesh : module.meshes) {
    for (const MeshAxis& axis : mesh.axes) {
      if (axis.size == 1) continue;
      return error(kSeveralDevices,
                   "mesh @{} has {} devices along \"{}\"; this compiler makes programs of one "
                   "core: jit it for one device",
                   mesh.name, axis.size, axis.name);
    }
  }
  return {};
}

bool has_composite_kernel(const Function& function, const Op& op) {
  const auto& attributes = std::get<CompositeAttributes>(op.attributes);
  const auto row = std::ranges::find(kCompositeKernels, attributes.name, &CompositeKernel::name);
  if (row == kCompositeKernels.end()) return false;
  if (!row->floats_only) return true;
  const TensorType* type = function.type(op.operands[0]).tensor();
  return type != nullptr &&
         (type->element == ElementType::F32 || type->element == ElementType::BF16 ||
          type->element == ElementType::F16);
}

Status inline_calls(Module& module) {
  TY_TRY(check_single_device(module));
  Inliner inliner(module);
  TY_TRY(
      rebuild_main(module, [&](Rebuild& rebuild, OpId id) { return inliner.visit(rebuild, id); }));
  const std::set<std::string> kept = inliner.kept_functions(module);
  std::erase_if(module.functions, [&](const Function& function) {
    return function.name != "main" && !kept.contains(function.name);
  });
  return {};
}

}  // namespace trainyard::compiler
