#pragma once
// Joins kernels of single element-wise operations on GpSimd into groups that become one program.
#include <vector>

#include "compiler/lower/kernels.h"

namespace trainyard::compiler {

// Takes a plan whose kernels hold one or more operations each, in an order that respects uses, and
// gives one where neighbours in the graph with the same number of elements share a kernel. Kernels
// of views that only groups read are left out: the groups read them by their address patterns.
// Other kernels stay as they are; their order may change where uses allow it.
std::vector<Kernel> group_gpsimd(const Lowering& lowering, std::vector<Kernel> kernels,
                                 BlockId block);

}  // namespace trainyard::compiler
