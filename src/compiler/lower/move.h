#pragma once
// Whole-tensor data movement by DMA, HBM to HBM.
#include <string_view>

#include "compiler/lower/view.h"

namespace trainyard::compiler {

// dst = src, element by element; both have the same number of elements and the same storage.
void move(Lowering& lowering, const View& dst, const View& src, std::string_view label);

// Every element of `dst` = the first one of `value`.
void fill(Lowering& lowering, const View& dst, const View& value, std::string_view label);

// `input` with padding and holes of zero, in a new tensor that has the input's type.
View padded_with_zero(Lowering& lowering, ValueId input, const PadAttributes& pad,
                      std::string_view label);

}  // namespace trainyard::compiler
