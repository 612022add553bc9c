#pragma once
// The shape of a tile kernel's work: loops around, rows on partitions, columns along the free axis.
#include <vector>

#include "compiler/lower/kernels.h"

namespace trainyard::compiler {

// An axis of the space: how long it is, and how far its steps are apart in each external value.
struct SpaceAxis {
  int64_t count = 1;
  std::vector<int64_t> steps;
};

// loops x rows x columns. Columns may be several axes where a value does not walk them as one.
struct TileSpace {
  std::vector<SpaceAxis> loops;
  SpaceAxis rows;
  std::vector<SpaceAxis> columns;
  int64_t column_count() const;
  // Whether value `i` is one number a row, or does not change from row to row at all.
  bool is_row_value(size_t i) const;
  bool is_same_in_rows(size_t i) const;
};

// `steps[v]` holds the steps of value v, one per dimension of `shape`. The first `row_rank`
// dimensions are rows, the others columns; with -1 the split is chosen freely.
TileSpace make_space(const Dims& shape, int64_t row_rank,
                     const std::vector<std::vector<int64_t>>& steps);

}  // namespace trainyard::compiler
