#pragma once
// Which operations VHLO and Shardy write, and their properties in the order of the bytes: the
// values of all attributes, sorted by name, without names and without a count.
#include <string_view>

#include "compiler/ir/op_kind.h"

namespace trainyard::compiler {

struct OpSchema {
  std::string_view name;  // with VHLO's version: "dot_general_v2"
  OpKind kind;
  std::string_view properties;  // names between spaces; a name ending in ? may be absent
};

// Null when the dialect has no such operation.
const OpSchema* find_schema(std::string_view dialect, std::string_view name);

inline constexpr std::string_view kFunctionProperties =
    "arg_attrs function_type res_attrs sym_name sym_visibility";
inline constexpr std::string_view kModuleProperties = "sym_name? sym_visibility?";
inline constexpr std::string_view kMeshProperties = "mesh sym_name";

}  // namespace trainyard::compiler
