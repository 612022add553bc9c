#pragma once
// When instances of instructions completed. Instances of one instruction complete in order, so a
// waiter asks for the time of the n-th. A ring per instruction keeps only what a waiter may still
// ask for.
#include <cstdint>
#include <vector>

#include "base/check.h"
#include "base/units.h"
#include "isa/program.h"

namespace trainyard::sim {

class Completions {
 public:
  // `replicas[i]`: how many engines execute each instance of instruction i (registers are kept by
  // several).
  explicit Completions(std::vector<uint8_t> replicas) : rings_(replicas.size()) {
    for (size_t i = 0; i < replicas.size(); ++i) rings_[i].replicas = replicas[i];
  }

  // The next instance of `inst` on one engine is seen complete at `seen` by waiters.
  void complete(isa::InstId inst, int64_t instance, Ticks seen) {
    Ring& r = rings_[inst];
    if (r.replicas == 1) {
      r.push(seen);
      return;
    }
    complete_replica(r, instance, seen);
  }

  int64_t count(isa::InstId inst) const { return rings_[inst].count; }

  // When the first `n` instances were complete; `n` <= count.
  Ticks at(isa::InstId inst, int64_t n) const { return rings_[inst].at(n); }

  // No waiter will ask for fewer than `n` instances any more: room may be reused.
  void forget_below(isa::InstId inst, int64_t n) {
    rings_[inst].first = std::max(rings_[inst].first, n);
  }

 private:
  struct Ring {
    std::vector<Ticks> times = std::vector<Ticks>(4);
    int64_t count = 0;
    int64_t first = 1;  // smallest n that may be asked for
    uint8_t replicas = 1;
    std::vector<std::pair<int, Ticks>> partial;  // replicas so far and latest time, from `count` on

    void push(Ticks t) {
      const auto size = static_cast<int64_t>(times.size());
      if (count - first + 2 > size) grow();
      times[static_cast<size_t>(count) & (times.size() - 1)] = t;
      ++count;
    }
    Ticks at(int64_t n) const {
      TY_CHECK(n >= 1 && n <= count && n > count - static_cast<int64_t>(times.size()));
      return times[static_cast<size_t>(n - 1) & (times.size() - 1)];
    }
    void grow();
  };
  void complete_replica(Ring& r, int64_t instance, Ticks seen);

  std::vector<Ring> rings_;
};

}  // namespace trainyard::sim
