#pragma once
// Reductions of arrays in an order that vectors can follow. The machine's order is not documented,
// so ours is fixed here, for every host and every SIMD level alike:
//
//   element i goes to lane i mod 16; each lane takes its elements in order, starting from its
//   first; then lane j takes lane j + 8, then j + 4, j + 2, j + 1, where that lane has any
//   elements.
//
// It serves add, multiply, max and min. Other reductions go one element after the other (reduce.h).
#include <array>
#include <cstdint>

#include "sim/execute/tile/alu.h"

namespace trainyard::sim {

inline constexpr int64_t kSumLanes = 16;

// The lanes of a reduction that is under way. Strips but the last have a multiple of 16 elements.
class LaneReduction {
 public:
  explicit LaneReduction(const AluStage& stage) : stage_(stage) {}

  void take(const float* x, int64_t n);
  // The result over all elements taken; at least one.
  float result() const { return folded(1)[0]; }
  // The results over the elements 0, 2, 4, ... and 1, 3, 5, ...; the second means nothing if there
  // is only one element.
  std::array<float, 2> even_and_odd() const {
    const std::array<float, kSumLanes> lanes = folded(2);
    return {lanes[0], lanes[1]};
  }

 private:
  // Lanes after folding down to `keep` of them.
  std::array<float, kSumLanes> folded(int64_t keep) const;

  AluStage stage_;
  int64_t taken_ = 0;
  std::array<float, kSumLanes> lanes_{};
};

inline bool has_lane_order(AluOp op) {
  return op == AluOp::Add || op == AluOp::Multiply || op == AluOp::Max || op == AluOp::Min;
}

// y[i] = (x[i] - even) squared for even i, (x[i] - odd) squared for odd i.
void squared_distances(const float* x, float even, float odd, float* y, int64_t n);

}  // namespace trainyard::sim
