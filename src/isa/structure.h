#pragma once
// Facts about a body's tree that every reader of a Program needs: who encloses whom, and how often
// things happen. Computed once; the Program must not change afterwards.
#include <cstdint>
#include <vector>

#include "isa/program.h"

namespace trainyard::isa {

// A control statement around something: a loop, or one arm of a branch.
struct Enclosure {
  enum class Kind : uint8_t { Loop, Then, Else };
  Kind kind = Kind::Loop;
  int32_t id = -1;  // LoopId or BranchId
  friend bool operator==(const Enclosure&, const Enclosure&) = default;
};

// How much a program does: instructions executed and turns of loops. Both saturate at INT64_MAX.
struct Amount {
  int64_t instructions = 0;
  int64_t turns = 0;
};

class Structure {
 public:
  explicit Structure(const Program& program);

  // Outermost first.
  const std::vector<Enclosure>& around(InstId inst) const { return around_inst_[inst]; }
  const std::vector<Enclosure>& around_loop(LoopId loop) const { return around_loop_[loop]; }
  const std::vector<Enclosure>& around_tensor(TensorId tensor) const {
    return around_tensor_[tensor];
  }
  // Position of the instruction in body order, counting each static instruction once.
  int order(InstId inst) const { return order_[inst]; }
  // Static instructions in body order.
  const std::vector<InstId>& in_order() const { return in_order_; }
  // How many enclosures `a` and `b` share, counted from outside.
  static int shared(const std::vector<Enclosure>& a, const std::vector<Enclosure>& b);

  // What the whole program does, `repeat`s unrolled, run-time loops taken once per entry unless
  // `trips[loop]` >= 0 gives a count, branches as their longer arm. Exact, except where loops whose
  // counts depend on other counters have more than a million turns: these count as their longest.
  Amount amount(const Program& program, const std::vector<int64_t>& trips = {}) const;
  // The instructions of amount().
  int64_t executed(const Program& program, const std::vector<int64_t>& trips = {}) const;

 private:
  void walk(const Program& program, const Block& block, std::vector<Enclosure>& stack);

  std::vector<std::vector<Enclosure>> around_inst_, around_loop_, around_tensor_;
  std::vector<int> order_;
  std::vector<InstId> in_order_;
};

}  // namespace trainyard::isa
