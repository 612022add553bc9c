#pragma once
// Cuts a block into kernels: groups of operations that are lowered together, so that the values
// between them never go to HBM.
#include <vector>

#include "compiler/ir/graph.h"
#include "compiler/lower/lowering.h"

namespace trainyard::compiler {

enum class KernelKind : uint8_t {
  Nothing,      // constants, reshapes, barriers: bind results without work
  Move,         // whole-tensor data movement by DMA alone
  Tile,         // element-wise work and reductions on Vector and Scalar
  Dot,          // on Tensor
  Convolution,  // on Tensor
  Gpsimd,       // everything else
  Control,      // while, if, case
};
std::string_view name(KernelKind kind);

struct Kernel {
  KernelKind kind = KernelKind::Nothing;
  std::vector<OpId> ops;  // in block order

  // Of a tile kernel: the shape that its operations work on, and how many of the leading dimensions
  // number the rows if it reduces along the others; -1 without reductions.
  Dims space;
  int64_t row_rank = -1;
};

// Where an operation by itself would go.
KernelKind kind_of(const Lowering& lowering, const Op& op);

// In an order that respects uses. Operations that nobody uses are left out.
std::vector<Kernel> plan_kernels(const Lowering& lowering, BlockId block);

// One function per kind; each binds the results that are used outside of the kernel.
Status lower_nothing(Lowering& lowering, const Kernel& kernel);
Status lower_move(Lowering& lowering, const Kernel& kernel);
Status lower_tile(Lowering& lowering, const Kernel& kernel);
Status lower_dot(Lowering& lowering, const Kernel& kernel);
Status lower_convolution(Lowering& lowering, const Kernel& kernel);
Status lower_gpsimd(Lowering& lowering, const Kernel& kernel);
Status lower_control(Lowering& lowering, const Kernel& kernel);

}  // namespace trainyard::compiler
