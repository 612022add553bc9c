#pragma once
// A position in the row-major order of a list of dims.
#include <array>
#include <cstdint>
#include <vector>

#include "sim/execute/tile/view.h"

namespace trainyard::sim {

// Starts at element `begin`. Steps may be bytes or values; offset() is the sum of step * index.
class Odometer {
 public:
  Odometer(const std::vector<Stride>& dims, int64_t begin) : dims_(dims) {
    for (size_t d = dims.size(); d-- > 0;) {
      index_[d] = begin % dims[d].count;
      begin /= dims[d].count;
      offset_ += index_[d] * dims[d].step;
    }
  }

  int64_t offset() const { return offset_; }
  // Elements left in the current run of the innermost dim.
  int64_t left() const {
    const size_t inner = dims_.size() - 1;
    return dims_[inner].count - index_[inner];
  }
  // n <= left()
  void advance(int64_t n) {
    size_t d = dims_.size() - 1;
    index_[d] += n;
    offset_ += n * dims_[d].step;
    while (index_[d] == dims_[d].count && d > 0) {
      offset_ -= index_[d] * dims_[d].step;
      index_[d] = 0;
      --d;
      ++index_[d];
      offset_ += dims_[d].step;
    }
  }

 private:
  static constexpr size_t kMaxDims = 20;
  const std::vector<Stride>& dims_;
  std::array<int64_t, kMaxDims> index_{};
  int64_t offset_ = 0;
};

}  // namespace trainyard::sim
