#pragma once
// Rounding rules of the cost formulas and the reading of facts. Internal to isa/cost/.
#include <cstdint>

#include "base/units.h"
#include "hw/core_spec.h"
#include "isa/cost.h"

namespace trainyard::isa {

using Wide = __int128;

// Reads facts and remembers the weakest trust among them.
class FactReader {
 public:
  template <class T>
  T operator()(const hw::Fact<T>& fact) {
    trust_ = hw::weakest(trust_, fact.trust);
    return fact.value;
  }
  hw::Trust trust() const { return trust_; }

 private:
  hw::Trust trust_ = hw::Trust::Documented;
};

// Real constants enter as whole millionths, so that products of them stay exact.
inline constexpr int64_t kMillion = 1'000'000;
int64_t millionths(double value);

// Both for a >= 0, b > 0.
constexpr int64_t ceil_divide(int64_t a, int64_t b) { return (a + b - 1) / b; }
constexpr int64_t ceil_divide_wide(Wide a, Wide b) { return static_cast<int64_t>((a + b - 1) / b); }

// elements * rate * factor, rounded up once.
Cycles streaming(int64_t elements, double rate, double factor = 1);

// A time in nanoseconds as cycles of `engine`, to the nearest.
Cycles cycles_from_ns(const hw::CoreSpec& core, Engine engine, double ns);

// A span of ticks as cycles of `engine`, rounded up.
Cycles cycles_from_ticks(const hw::CoreSpec& core, Engine engine, Ticks ticks);

}  // namespace trainyard::isa
