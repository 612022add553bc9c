#pragma once
// The graph IR as text: close to StableHLO's own form, the same bytes for the same module.
#include <string>

#include "compiler/ir/graph.h"

namespace trainyard::compiler {

struct PrintOptions {
  bool locations = false;  // append the user's file, line and name stack to each operation
};

std::string print(const Module& module, PrintOptions options = {});
std::string print(const Module& module, const Function& function, PrintOptions options = {});

// One operation without its regions: "stablehlo.add {...} : (tensor<2xf32>, ...) -> ...".
std::string summary(const Module& module, const Function& function, const Op& op);

// "a = 1, b = [2, 3]": the attributes of an operation, empty where all have their neutral value.
std::string str(const Module& module, const OpAttributes& attributes);
std::string str(const Module& module, const Attribute& attribute);

}  // namespace trainyard::compiler
