#pragma once
// One element of a folded operation.
#include <optional>
#include <span>

#include "compiler/ir/graph.h"

namespace trainyard::compiler {

// The bits of op(operands), whose elements have type `in` (the first operand's; select: the
// second's) and whose result has type `out`; nothing where the operation is not exact.
std::optional<uint64_t> fold_element(const Op& op, ElementType in, ElementType out,
                                     std::span<const uint64_t> bits);

}  // namespace trainyard::compiler
