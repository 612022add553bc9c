#pragma once
// Axes of a nest and the parts into which they are cut.
#include <vector>

#include "isa/tensor.h"

namespace trainyard::compiler {

// How a tensor walks along one axis of the product. The axis is cut into units of equal length:
// unit u begins at u * step and holds the elements of `inner`, slowest first. Without `inner` a
// unit is one element.
struct Walk {
  int64_t step = 0;
  std::vector<isa::Dim> inner = {};
};

// An axis: `count` units of `unit` elements.
struct Extent {
  int64_t count = 1;
  int64_t unit = 1;
  int64_t elements() const { return count * unit; }
};

// A run of equal blocks along an axis: `count` blocks of `tiles` tiles of `size` units.
struct Part {
  int64_t start = 0;
  int64_t count = 1;
  int64_t tiles = 1;
  int64_t size = 1;
  int64_t width() const { return tiles * size; }
};

// Units in a tile of at most `most` elements. Long units waste what is left of a tile, so their
// tiles are made equal.
int64_t tile_of(const Extent& axis, int64_t most);

// Blocks of up to `most` tiles, then what is left of whole tiles, then the last, smaller tile.
std::vector<Part> parts_of(int64_t extent, int64_t tile, int64_t most);

// Appends the dims of `units` units of `walk`.
void append(std::vector<isa::Dim>& dims, const Walk& walk, int64_t units);

}  // namespace trainyard::compiler
