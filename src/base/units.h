#pragma once
// Units as types, so that a Vector cycle cannot be added to a Tensor cycle.
#include <compare>
#include <cstdint>

namespace trainyard {

inline constexpr int64_t KiB = 1024;
inline constexpr int64_t MiB = 1024 * KiB;
inline constexpr int64_t GiB = 1024 * MiB;

// An integer count of one unit. Tag keeps the units apart.
template <class Tag>
struct Count {
  int64_t value = 0;

  constexpr Count() = default;
  constexpr explicit Count(int64_t v) : value(v) {}

  friend constexpr auto operator<=>(Count, Count) = default;
  constexpr Count& operator+=(Count o) {
    value += o.value;
    return *this;
  }
  constexpr Count& operator-=(Count o) {
    value -= o.value;
    return *this;
  }
  friend constexpr Count operator+(Count a, Count b) { return Count(a.value + b.value); }
  friend constexpr Count operator-(Count a, Count b) { return Count(a.value - b.value); }
  friend constexpr Count operator*(Count a, int64_t n) { return Count(a.value * n); }
  friend constexpr Count operator*(int64_t n, Count a) { return Count(a.value * n); }
};

using Cycles = Count<struct CyclesTag>;  // of one engine; the engine says how long a cycle is
using Ticks = Count<struct TicksTag>;  // the core's common time step; every engine cycle is a whole
                                       // number of them

// Cycles of an engine times the engine's period: the only way from cycles to time.
constexpr Ticks operator*(Cycles cycles, Ticks period) {
  return Ticks(cycles.value * period.value);
}

// A duration or a point in time of a model. Device time is Ticks; this is for links and clusters.
struct Seconds {
  double value = 0;

  constexpr Seconds() = default;
  constexpr explicit Seconds(double v) : value(v) {}
  static constexpr Seconds from_us(double us) { return Seconds(us * 1e-6); }
  constexpr double us() const { return value * 1e6; }

  friend constexpr auto operator<=>(Seconds, Seconds) = default;
  constexpr Seconds& operator+=(Seconds o) {
    value += o.value;
    return *this;
  }
  friend constexpr Seconds operator+(Seconds a, Seconds b) { return Seconds(a.value + b.value); }
  friend constexpr Seconds operator-(Seconds a, Seconds b) { return Seconds(a.value - b.value); }
  friend constexpr Seconds operator*(Seconds a, double n) { return Seconds(a.value * n); }
  friend constexpr Seconds operator*(double n, Seconds a) { return Seconds(a.value * n); }
  friend constexpr double operator/(Seconds a, Seconds b) { return a.value / b.value; }
};

}  // namespace trainyard
