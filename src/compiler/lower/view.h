#pragma once
// Values as patterns over the tensors of others: what slice, transpose, broadcast_in_dim, reverse
// and reshape do to addresses.
#include <optional>
#include <vector>

#include "compiler/lower/lowering.h"

namespace trainyard::compiler {

// Element (i, j, ...) of a value lies at offset + sum(step * index) of `base`, in elements.
struct View {
  ValueId base = -1;
  int64_t offset = 0;
  std::vector<isa::Dim> axes;  // one per dimension of the value
  isa::TensorId tensor = -1;   // where the elements lie instead of in the tensor of `base`
};

// All of `value`, row-major in `shape`, which has as many elements.
View dense_view(ValueId value, const std::vector<int64_t>& shape);

// Whether an operation only picks, repeats or renames elements of its operand.
bool is_view(const Op& op);

// The result of `op` (is_view) when its operand looks like `operand`; nothing when a reshape splits
// a pattern that is not regular.
std::optional<View> apply_view(const Function& function, const Op& op, View operand);

// `value` as a view of a value that is in HBM, through views that have no tensor of their own.
std::optional<View> resolve_view(Lowering& lowering, ValueId value);

isa::Access access(Lowering& lowering, const View& view);

}  // namespace trainyard::compiler
