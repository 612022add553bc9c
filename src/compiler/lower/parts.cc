#include "compiler/lower/parts.h"

#include <algorithm>

namespace trainyard::compiler {

int64_t tile_of(const Extent& axis, int64_t most) {
  const int64_t fit = std::min(axis.count, most / axis.unit);
  if (axis.unit == 1) return fit;
  const int64_t tiles = (axis.count + fit - 1) / fit;
  return (axis.count + tiles - 1) / tiles;
}

std::vector<Part> parts_of(int64_t extent, int64_t tile, int64_t most) {
  std::vector<Part> parts;
  const int64_t whole = extent / tile, rest = extent % tile;
  const int64_t blocks = whole / most, left = whole % most;
  if (blocks > 0) parts.push_back({0, blocks, most, tile});
  if (left > 0) parts.push_back({blocks * most * tile, 1, left, tile});
  if (rest > 0) parts.push_back({whole * tile, 1, 1, rest});
  return parts;
}

void append(std::vector<isa::Dim>& dims, const Walk& walk, int64_t units) {
  dims.push_back({walk.step, units});
  dims.insert(dims.end(), walk.inner.begin(), walk.inner.end());
}

}  // namespace trainyard::compiler
