#pragma once
// A small generator of choices for tests: the same seed gives the same choices everywhere.
#include <cstdint>
#include <initializer_list>

#include "base/check.h"

namespace trainyard::isa::testing {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  // SplitMix64.
  uint64_t bits() {
    uint64_t z = state_ += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  // least <= result <= most
  int64_t range(int64_t least, int64_t most) {
    TY_CHECK(least <= most);
    return least + static_cast<int64_t>(bits() % static_cast<uint64_t>(most - least + 1));
  }
  // True once in `n` times.
  bool one_in(int64_t n) { return range(1, n) == 1; }
  template <class T>
  T pick(std::initializer_list<T> choices) {
    return choices.begin()[range(0, static_cast<int64_t>(choices.size()) - 1)];
  }
  template <class C>
  const auto& pick_from(const C& choices) {
    return choices[static_cast<size_t>(range(0, static_cast<int64_t>(choices.size()) - 1))];
  }

 private:
  uint64_t state_;
};

}  // namespace trainyard::isa::testing
