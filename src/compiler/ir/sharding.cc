#include "compiler/ir/sharding.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace trainyard::compiler {
namespace {

std::string str(const std::vector<AxisRef>& axes) {
  std::string text;
  for (const AxisRef& axis : axes) {
    if (!text.empty()) text += ", ";
    text += compiler::str(axis);
  }
  return text;
}

std::string str(const DimSharding& dim) {
  std::string text = "{" + str(dim.axes);
  if (!dim.closed) text += dim.axes.empty() ? "?" : ", ?";
  text += "}";
  if (dim.priority) text += fmt::format("p{}", *dim.priority);
  return text;
}

}  // namespace

std::string str(const Mesh& mesh) {
  std::string text = "<[";
  for (size_t i = 0; i < mesh.axes.size(); ++i) {
    text += fmt::format("{}\"{}\"={}", i > 0 ? ", " : "", mesh.axes[i].name, mesh.axes[i].size);
  }
  text += "]";
  if (!mesh.device_ids.empty()) {
    text += fmt::format(", device_ids=[{}]", fmt::join(mesh.device_ids, ", "));
  }
  return text + ">";
}

std::string str(const AxisRef& axis) {
  if (!axis.sub) return fmt::format("\"{}\"", axis.name);
  return fmt::format("\"{}\":({}){}", axis.name, axis.sub->pre_size, axis.sub->size);
}

std::string str(const TensorSharding& sharding) {
  std::string text = "<";
  text += sharding.inline_mesh ? "mesh" + str(*sharding.inline_mesh) : "@" + sharding.mesh_name;
  text += ", [";
  for (size_t i = 0; i < sharding.dims.size(); ++i) {
    if (i > 0) text += ", ";
    text += str(sharding.dims[i]);
  }
  text += "]";
  if (!sharding.replicated.empty()) text += ", replicated={" + str(sharding.replicated) + "}";
  if (!sharding.unreduced.empty()) text += ", unreduced={" + str(sharding.unreduced) + "}";
  return text + ">";
}

}  // namespace trainyard::compiler
