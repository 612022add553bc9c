#pragma once
// Gather and scatter: transfers whose rows begin where an index tile says. [nki 1.9]
#include <optional>

#include "sim/execute/tile/context.h"

namespace trainyard::sim {

// The HBM side whose leading dim is indexed. All in bytes.
struct IndexedSide {
  Pattern row;                      // one row, without the leading dim
  int64_t step = 0;                 // of the leading dim
  int64_t lowest = 0, highest = 0;  // hull of a row, relative to its start
  int64_t begin = 0, end = 0;       // the tensor, relative to the base of its memory
};

// One side of a transfer at its addresses: indexed rows, or a plain pattern as one row.
struct IndexedRows {
  const IndexedSide* side = nullptr;  // null: `view` in its order
  View view;
  int64_t offset = 0;  // of view.data from the base of the memory
  View index;          // [rows, 1], i32 or u32

  int64_t rows() const { return index.rows(); }
  int64_t index_of(int64_t row) const { return read_integer(index.dtype(), index.row(row)); }
  // Whether the row lies inside the tensor. A negative index never does.
  bool is_inside(int64_t index) const;
};

struct BadIndex {
  int64_t row = 0;
  int64_t index = 0;
  int64_t tensor_bytes = 0;
};

// dst = cast(src), row by row. Nothing, or the first index that leads outside: with `skip` such
// rows are left out instead, else nothing is copied.
std::optional<BadIndex> indexed_copy(const IndexedRows& dst, const IndexedRows& src, bool skip,
                                     ExecContext& context);

}  // namespace trainyard::sim
