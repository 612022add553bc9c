#pragma once
// Rules about Shardy's annotations.
#include <optional>

#include "base/status.h"
#include "compiler/ir/graph.h"
#include "compiler/ir/rules/op_view.h"

namespace trainyard::compiler {

// Ok when the mesh has axes of positive size with different names.
Status check_mesh(const Mesh& mesh);
// Ok when `sharding` names a mesh of the module, each of its axes at most once, and has one entry
// per dimension of `type`.
Status check_sharding(const Module& module, const TensorSharding& sharding, const Type& type);
// The sharding that hangs on an argument or a result as "sdy.sharding", if there is one.
Status check_sharding_of(const Module& module, const std::vector<NamedAttribute>& attributes,
                         const Type& type);

}  // namespace trainyard::compiler
