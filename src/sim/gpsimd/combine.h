#pragma once
// Combiners and comparators: small functions over scalars, applied to lanes.
#include <cstddef>
#include <span>
#include <vector>

#include "isa/gpsimd/program.h"
#include "sim/gpsimd/lanes.h"

namespace trainyard::sim::gpsimd {

// A function with room for its values. Not shared between threads.
class LaneFunction {
 public:
  explicit LaneFunction(const isa::gpsimd::Function& function);

  // results[i] = function(params) on n <= kMostLanes lanes. Results may be the params' memory.
  void run(std::span<const void* const> params, std::span<void* const> results, int64_t n);

 private:
  struct Step {
    LaneOp op;
    int32_t in[3] = {0, 0, 0};
    int32_t out = 0;
  };
  using Room = std::vector<uint64_t>;

  const isa::gpsimd::Function& function_;
  std::vector<Step> steps_;
  std::vector<Room> rooms_;         // per value, empty for params
  std::vector<const void*> where_;  // per value
  std::vector<Room> staged_;        // per result that is a param
};

// acc = fold(acc, x) for one or several values at once.
class Folder {
 public:
  Folder(const isa::gpsimd::Program& program, const isa::gpsimd::Fold& fold,
         std::vector<Type> types);

  // On n <= kMostLanes lanes, each for itself.
  void lanes(std::span<void* const> acc, std::span<const void* const> x, int64_t n);
  // In the order of the elements of one line, for folds of one value.
  void line(void* acc, const Line& line, int64_t n);
  bool is_function() const { return !functions_.empty(); }

 private:
  LaneOp op_;
  std::vector<LaneFunction> functions_;  // one, or none for a built-in
  std::vector<Type> types_;
};

}  // namespace trainyard::sim::gpsimd
