#pragma once
// dynamic_slice and dynamic_update_slice: DMA at addresses from registers, or a GpSimd program
// where an index does not fit a register.
#include "compiler/lower/view.h"

namespace trainyard::compiler {

// The result of the first is defined already; the second defines its own, in place where it may.
Status lower_dynamic_slice(Lowering& lowering, const Op& op, OpId id);
Status lower_dynamic_update_slice(Lowering& lowering, const Op& op, OpId id);

}  // namespace trainyard::compiler
