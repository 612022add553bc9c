#pragma once
// Accesses along the axes of their tensor. A flat offset like 4096 * (128 * i + p) + 512 * j says
// little; split into row 128 * i + p and column 512 * j it shows which iterations touch different
// elements, and how the same elements are found in another layout.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "isa/program.h"
#include "isa/ranges.h"
#include "isa/structure.h"

namespace trainyard::sim {

// An axis of a dense layout: slowest first, each step = the next one's step * count, the last is 1.
struct Axis {
  int64_t step = 1;   // elements
  int64_t count = 1;  // at least 2
  friend bool operator==(const Axis&, const Axis&) = default;
};
using Axes = std::vector<Axis>;
Axes axes_of(std::span<const int64_t> shape);

// A dim of an access, moving along one axis.
struct AxisDim {
  int axis = -1;     // -1: it does not move
  int64_t step = 0;  // positions of the axis
  int64_t count = 1;
};

// Where an access is on each axis: `at[i]` is affine in counters; the dims, in their order, move on
// from there. A dim that runs over several axes is cut at their ends.
struct AxisAccess {
  std::vector<isa::Affine> at;
  std::vector<AxisDim> dims;

  // Positions of axis `axis` that the dims add to `at`, lowest and highest.
  isa::Interval reach(int axis) const;
};

// Nothing where a register is involved, or where a position might leave its axis in an iteration of
// the loops `around` (then neighbouring axes would mix).
std::optional<AxisAccess> split_access(const isa::Program& program,
                                       const std::vector<isa::Enclosure>& around,
                                       const isa::Affine& offset, const std::vector<isa::Dim>& dims,
                                       const Axes& axes);

}  // namespace trainyard::sim
