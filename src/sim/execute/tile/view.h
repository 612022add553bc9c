#pragma once
// Operands as executors see them: an address and a pattern. Executors never know which memory an
// operand lies in: tiles, HBM tensors and views of HBM share one code path.
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "numerics/dtype.h"

namespace trainyard::sim {

using numerics::Dtype;

// One dim of a pattern in host memory.
struct Stride {
  int64_t step = 0;   // bytes; 0 repeats, negative runs backwards
  int64_t count = 1;  // at least 1
  friend bool operator==(const Stride&, const Stride&) = default;
};

// Everything about an operand but its address. Row r begins at data + r * pitch; its elements are
// walked in row-major order of `dims`. An operand in HBM is one row.
struct Pattern {
  Dtype dtype = Dtype::F32;
  int64_t rows = 1;          // partitions
  int64_t pitch = 0;         // bytes from row to row
  std::vector<Stride> dims;  // of a row, slowest first; joined where possible, no count of 1
  int64_t count = 1;         // elements of a row
  bool dense = true;         // the elements of a row are neighbours, in order

  int64_t size() const { return numerics::size_of(dtype); }
  int64_t elements() const { return rows * count; }
};

// Joins dims where possible and sets `count` and `dense`.
Pattern make_pattern(Dtype dtype, int64_t rows, int64_t pitch, std::vector<Stride> dims);

// The pattern with its rows as the slowest dim of one row.
Pattern as_one_row(const Pattern& pattern);

// If the rows of all patterns follow each other without gaps, makes each one row: element-wise work
// then runs over the whole tile at once. Patterns must have equal rows and counts.
bool fold_rows(std::initializer_list<Pattern*> patterns);

// A pattern at an address. The pattern outlives the view.
struct View {
  std::byte* data = nullptr;
  const Pattern* pattern = nullptr;

  std::byte* row(int64_t r) const { return data + r * pattern->pitch; }
  int64_t rows() const { return pattern->rows; }
  int64_t count() const { return pattern->count; }
  Dtype dtype() const { return pattern->dtype; }
};

}  // namespace trainyard::sim
