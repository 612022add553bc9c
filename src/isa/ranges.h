#pragma once
// What values an affine expression takes over the iterations of the `repeat`s around it.
#include <cstdint>
#include <optional>
#include <vector>

#include "isa/structure.h"

namespace trainyard::isa {

struct Interval {
  int64_t low = 0;
  int64_t high = 0;  // included
  friend bool operator==(const Interval&, const Interval&) = default;
};

// The interval of `affine` inside `around`, where inner counts may depend on outer counters
// (triangular loops). It holds every value that occurs; its ends may be wider than what occurs
// where an inner loop is empty for some outer iterations. Beyond +-2^62 the ends stay there. The
// expression must have no registers.
Interval bounds(const Program& program, const Affine& affine, const std::vector<Enclosure>& around);

// The same with exact ends, by visiting the outer iterations that inner counts depend on, or those
// of `bounds` if there are more than a million to visit. Nothing if no iteration ever runs.
std::optional<Interval> exact_bounds(const Program& program, const Affine& affine,
                                     const std::vector<Enclosure>& around);

// Whether no term of `affine`, and no sum of them, comes near the end of 64 bits in any iteration:
// what Affine::value relies on.
bool terms_fit(const Program& program, const Affine& affine, const std::vector<Enclosure>& around);

}  // namespace trainyard::isa
