#pragma once
// The input of a convolution as its windows see it: with padding and with gaps between elements.
#include <string>

#include "compiler/lower/lowering.h"

namespace trainyard::compiler {

// One dimension of the input: element i of the tensor lies at low + i * pitch, what lies below 0 or
// from `extent` on is dropped, and all places that no element takes are zero.
struct PaddedDim {
  int64_t count = 1;  // of the tensor
  int64_t low = 0;
  int64_t pitch = 1;
  int64_t extent = 1;
};

// `view` has `dims`. Gives a view that begins at place 0 of every dimension: of the same tensor
// where no zero is seen, of a copy in HBM otherwise. Each extent is at least 1.
StridedView padded_input(Lowering& lowering, const StridedView& view, ElementType element,
                         const std::vector<PaddedDim>& dims, const std::string& label);

// Writes zeros to the first `count` elements of an HBM tensor.
void fill_with_zeros(Lowering& lowering, isa::TensorId tensor, int64_t count,
                     const std::string& label);

}  // namespace trainyard::compiler
