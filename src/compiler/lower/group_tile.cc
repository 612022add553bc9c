#include "compiler/lower/group_tile.h"

#include <algorithm>
#include <numeric>

#include "compiler/lower/tile_ops.h"
#include "compiler/lower/views.h"

namespace trainyard::compiler {
namespace {

// More would not fit SBUF side by side, and nothing is gained.
constexpr size_t kMostOps = 48;
// Reductions with few, very long rows are kernels of their own: they split their rows.
constexpr int64_t kFewRows = 64;
constexpr int64_t kLongRow = 4096;

int64_t product(const Dims& shape, size_t from, size_t to) {
  return std::accumulate(shape.begin() + static_cast<int64_t>(from),
                         shape.begin() + static_cast<int64_t>(to), int64_t{1}, std::multiplies<>());
}

Dims without_last_ones(Dims shape) {
  while (!shape.empty() && shape.back() == 1) shape.pop_back();
  return shape;
}

// The number of leading dimensions that a reduction keeps, if it takes all the others.
std::optional<int64_t> kept_rank(const Op& op, const Dims& space) {
  const Dims& dims = std::get<DimsAttributes>(op.attributes).dims;
  const auto kept = static_cast<int64_t>(space.size() - dims.size());
  for (const int64_t d : dims) {
    if (d < kept) return std::nullopt;
  }
  return kept;
}

bool joins_reduce(const Lowering& lowering, Kernel& kernel, const Op& op) {
  if (lowering.type(op.operands[0]).shape != kernel.space) return false;
  const std::optional<int64_t> kept = kept_rank(op, kernel.space);
  if (!kept || (kernel.row_rank >= 0 && kernel.row_rank != *kept)) return false;
  const auto split = static_cast<size_t>(*kept);
  const int64_t rows = product(kernel.space, 0, split);
  const int64_t columns = product(kernel.space, split, kernel.space.size());
  if (rows < kFewRows && columns > kLongRow) return false;
  kernel.row_rank = *kept;
  return true;
}

// A reduction that began a kernel over scattered dimensions or over few long rows.
bool stands_alone(const Lowering& lowering, const Kernel& kernel) {
  const Op& first = lowering.function.op(kernel.ops.front());
  if (first.kind != OpKind::Reduce) return false;
  const auto split = static_cast<size_t>(kernel.row_rank);
  const bool long_rows = product(kernel.space, 0, split) < kFewRows &&
                         product(kernel.space, split, kernel.space.size()) > kLongRow;
  return long_rows || !kept_rank(first, kernel.space);
}

// From a row value to rows or to the whole space, each row to its own.
bool keeps_rows(const Lowering& lowering, const Kernel& kernel, const Op& op) {
  const Dims& from = lowering.type(op.operands[0]).shape;
  const Dims& to = lowering.type(op.results[0]).shape;
  if (!is_row_shape(from, kernel.space, kernel.row_rank)) return false;
  if (op.kind == OpKind::Reshape) return is_row_shape(to, kernel.space, kernel.row_rank);
  if (to != kernel.space && !is_row_shape(to, kernel.space, kernel.row_rank)) return false;
  const Dims& dims = std::get<DimsAttributes>(op.attributes).dims;
  for (size_t i = 0; i < from.size(); ++i) {
    // A dimension that is spread here was one before: then the rows would differ.
    if (static_cast<int64_t>(i) < kernel.row_rank && dims[i] != static_cast<int64_t>(i)) {
      return false;
    }
    if (from[i] != to[static_cast<size_t>(dims[i])] && dims[i] < kernel.row_rank) return false;
  }
  return true;
}

}  // namespace

bool is_row_shape(const Dims& shape, const Dims& space, int64_t row_rank) {
  if (row_rank < 0) return false;
  return without_last_ones(shape) ==
         without_last_ones(Dims(space.begin(), space.begin() + row_rank));
}

Kernel start_tile(const Lowering& lowering, OpId id, const Op& op) {
  Kernel kernel{KernelKind::Tile, {id}, lowering.type(op.results[0]).shape};
  if (op.kind == OpKind::Reduce) {
    kernel.space = lowering.type(op.operands[0]).shape;
    // Dimensions that are kept are the rows; lower_tile reads the others in any order.
    kernel.row_rank = static_cast<int64_t>(kernel.space.size() -
                                           std::get<DimsAttributes>(op.attributes).dims.size());
  }
  return kernel;
}

bool joins_tile(const Lowering& lowering, Kernel& kernel, const Op& op,
                const std::function<bool(ValueId)>& in_kernel) {
  if (kernel.ops.size() >= kMostOps) return false;
  if (stands_alone(lowering, kernel)) return false;
  if (op.kind == OpKind::BroadcastInDim || op.kind == OpKind::Reshape) {
    return kernel.row_rank >= 0 && in_kernel(op.operands[0]) &&
           lowering.type(op.operands[0]).shape != kernel.space && keeps_rows(lowering, kernel, op);
  }
  if (kind_of(lowering, op) != KernelKind::Tile) return false;
  if (op.kind == OpKind::Reduce) {
    return in_kernel(op.operands[0]) && joins_reduce(lowering, kernel, op);
  }
  const Dims& shape = lowering.type(op.results[0]).shape;
  return shape == kernel.space || is_row_shape(shape, kernel.space, kernel.row_rank);
}

bool can_merge_tiles(const Lowering& lowering, const Kernel& a, const Kernel& b) {
  const bool rows = a.row_rank < 0 || b.row_rank < 0 || a.row_rank == b.row_rank;
  return a.space == b.space && rows && a.ops.size() + b.ops.size() <= kMostOps &&
         !stands_alone(lowering, a) && !stands_alone(lowering, b);
}

}  // namespace trainyard::compiler
