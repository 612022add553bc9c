#include "compiler/ir/rules/sharding_rules.h"

#include <algorithm>

#include "compiler/ir/rules/infer.h"

namespace trainyard::compiler {
namespace {

const MeshAxis* find_axis(const Mesh& mesh, std::string_view name) {
  for (const MeshAxis& axis : mesh.axes) {
    if (axis.name == name) return &axis;
  }
  return nullptr;
}

const Mesh* mesh_of(const Module& module, const TensorSharding& sharding) {
  return sharding.inline_mesh ? &*sharding.inline_mesh : module.find_mesh(sharding.mesh_name);
}

std::vector<const AxisRef*> axes_of(const TensorSharding& sharding) {
  std::vector<const AxisRef*> out;
  const auto add = [&](const std::vector<AxisRef>& axes) {
    for (const AxisRef& axis : axes) out.push_back(&axis);
  };
  for (const DimSharding& dim : sharding.dims) add(dim.axes);
  add(sharding.replicated);
  add(sharding.unreduced);
  return out;
}

Status check_axis(const Mesh& mesh, const AxisRef& axis) {
  const MeshAxis* found = find_axis(mesh, axis.name);
  if (found == nullptr) {
    return error(kWrongSharding, "a sharding names axis {}, the mesh is {}", str(axis), str(mesh));
  }
  if (!axis.sub) return {};
  const Wide used = Wide{axis.sub->pre_size} * axis.sub->size;
  if (axis.sub->pre_size < 1 || axis.sub->size < 2 || used > found->size ||
      found->size % static_cast<int64_t>(used) != 0) {
    return error(kWrongSharding, "{} is no part of an axis of size {}", str(axis), found->size);
  }
  return {};
}

// The shape inside a manual computation: cut along its manual axes only.
Result<Type> local_type(const Module& module, const TensorSharding& sharding, const Type& global,
                        const std::vector<std::string>& manual) {
  const Mesh* mesh = mesh_of(module, sharding);
  TensorType local = *global.tensor();
  for (size_t i = 0; i < sharding.dims.size(); ++i) {
    for (const AxisRef& axis : sharding.dims[i].axes) {
      if (std::ranges::find(manual, axis.name) == manual.end()) continue;
      const int64_t parts = axis.sub ? axis.sub->size : find_axis(*mesh, axis.name)->size;
      if (parts < 1 || local.shape[i] % parts != 0) {
        return error(kWrongSharding, "dimension {} of {} does not split over {} by {}", i,
                     str(global), str(axis), str(sharding));
      }
      local.shape[i] /= parts;
    }
  }
  return Type(local);
}

Status check_manual_side(const OpView& view, const std::vector<TensorSharding>& shardings,
                         const std::vector<Type>& global, const std::vector<Type>& local,
                         std::string_view side) {
  const auto& manual = view.attributes<ManualComputationAttributes>().manual_axes;
  if (shardings.size() != global.size() || local.size() != global.size()) {
    return view.wrong(kWrongSharding, "{} {}s, {} shardings, {} in the region", global.size(), side,
                      shardings.size(), local.size());
  }
  for (size_t i = 0; i < global.size(); ++i) {
    TY_TRY(check_sharding(view.module, shardings[i], global[i]));
    if (global[i].tensor() == nullptr) continue;
    const Result<Type> expected = local_type(view.module, shardings[i], global[i], manual);
    if (!expected.ok()) return expected.status();
    if (*expected != local[i]) {
      return view.wrong(kWrongSharding, "{} {} is {} inside, {} makes {} of {}", side, i,
                        str(local[i]), str(shardings[i]), str(*expected), str(global[i]));
    }
  }
  return {};
}

}  // namespace

Status check_mesh(const Mesh& mesh) {
  for (size_t i = 0; i < mesh.axes.size(); ++i) {
    if (mesh.axes[i].size < 1) {
      return error(kWrongSharding, "axis \"{}\" of mesh @{} has size {}", mesh.axes[i].name,
                   mesh.name, mesh.axes[i].size);
    }
    if (find_axis(mesh, mesh.axes[i].name) != &mesh.axes[i]) {
      return error(kWrongSharding, "mesh @{} has two axes \"{}\"", mesh.name, mesh.axes[i].name);
    }
  }
  return {};
}

Status check_sharding(const Module& module, const TensorSharding& sharding, const Type& type) {
  const Mesh* mesh = mesh_of(module, sharding);
  if (mesh == nullptr) {
    return error(kWrongSharding, "a sharding names mesh @{}, which the module lacks",
                 sharding.mesh_name);
  }
  if (sharding.inline_mesh) TY_TRY(check_mesh(*sharding.inline_mesh));
  const TensorType* tensor = type.tensor();
  if (tensor != nullptr && sharding.dims.size() != tensor->shape.size()) {
    return error(kWrongSharding, "sharding {} has {} dimensions, the tensor is {}", str(sharding),
                 sharding.dims.size(), str(type));
  }
  std::vector<std::string_view> whole;
  for (const AxisRef* axis : axes_of(sharding)) {
    TY_TRY(check_axis(*mesh, *axis));
    if (!axis->sub) whole.push_back(axis->name);
  }
  std::ranges::sort(whole);
  const auto twice = std::ranges::adjacent_find(whole);
  if (twice != whole.end()) {
    return error(kWrongSharding, "sharding {} uses axis \"{}\" twice", str(sharding), *twice);
  }
  return {};
}

Status check_sharding_of(const Module& module, const std::vector<NamedAttribute>& attributes,
                         const Type& type) {
  const Attribute* found = find(attributes, "sdy.sharding");
  if (found == nullptr) return {};
  const auto* sharding = std::get_if<TensorSharding>(&found->kind);
  return sharding == nullptr ? Status{} : check_sharding(module, *sharding, type);
}

Inferred infer_sharding_op(const OpView& view) {
  switch (view.op.kind) {
    case OpKind::SdyShardingConstraint:
    case OpKind::SdyReshard:
      TY_TRY(check_sharding(view.module, view.attributes<ShardingAttributes>().sharding,
                            view.operand_type(0)));
      return std::vector<Type>{view.operand_type(0)};
    case OpKind::SdyPropagationBarrier:
      return std::vector<Type>{view.operand_type(0)};
    case OpKind::SdyManualComputation: {
      const auto& a = view.attributes<ManualComputationAttributes>();
      TY_TRY(check_manual_side(view, a.in_shardings, view.operand_types(), view.region_arguments(0),
                               "operand"));
      TY_TRY(check_manual_side(view, a.out_shardings, view.result_types(), view.region_results(0),
                               "result"));
      return view.result_types();
    }
    default:
      return view.result_types();
  }
}

}  // namespace trainyard::compiler
