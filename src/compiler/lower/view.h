#pragma once
// Patterns over tensors with one axis per dimension: what moves and GpSimd windows are made of.
#include <vector>

#include "compiler/lower/lowering.h"

namespace trainyard::compiler {

// Element (i, j, ...) lies at offset + sum(step * index), in elements of the type of `base`.
struct View {
  ValueId base = -1;
  int64_t offset = 0;
  std::vector<isa::Dim> axes;
  isa::TensorId tensor = -1;  // -1: the dense tensor of `base`
};

// All of `value`, row-major in `shape`, which has as many elements.
View dense_view(ValueId value, const std::vector<int64_t>& shape);

// `value` where it lies, through transposes, broadcasts and slices: no copy is made.
View strided_view(Lowering& lowering, ValueId value);

isa::Access access(Lowering& lowering, const View& view);

}  // namespace trainyard::compiler
