#pragma once
// Which bytes an access touches, apart from where it begins.
#include <cstdint>
#include <vector>

#include "isa/tensor.h"
#include "sim/check/cells.h"

namespace trainyard::sim::hazard {

// Bytes [begin, end), counted from the offset of the access.
struct Run {
  int64_t begin = 0, end = 0;
  friend bool operator==(const Run&, const Run&) = default;
};

struct Footprint {
  std::vector<Run> runs;  // in order, disjoint, not adjacent
  bool exact = true;      // false: too many pieces, so this is the hull
};

// The order of a pattern does not matter here, only the set: steps of 0, backward steps, transposed
// and overlapping dims give what they touch.
Footprint footprint(const isa::Access& access);

// `runs` laid into rows of `pitch` bytes, the offset being byte `first` of row 0: as few rectangles
// as the order of rows gives.
std::vector<Box> boxes_in_rows(const std::vector<Run>& runs, int64_t first, int64_t pitch);

}  // namespace trainyard::sim::hazard
