#pragma once
// From the clocks of the engines to the core's common time step.
#include <array>
#include <cstdint>
#include <numeric>
#include <optional>

#include "base/units.h"
#include "hw/engine.h"

namespace trainyard::hw {

// A tick is never longer than a quarter of a nanosecond, so that constants given in nanoseconds
// round alike on every machine. This is why v4, whose clocks would fit in 2.4 GHz, ticks at 4.8.
inline constexpr int64_t kMinTickHz = 4'000'000'000;
// Above this rate, hours of simulated time would not fit in 64 bits.
inline constexpr int64_t kMaxTickHz = 1'000'000'000'000;

struct TickRate {
  int64_t hz;
  std::array<Ticks, kEngineCount> period;

  friend constexpr bool operator==(const TickRate&, const TickRate&) = default;
};

// The smallest multiple of all clocks that is at least kMinTickHz, and each engine's period in
// ticks of it. Nothing if it exceeds kMaxTickHz. Every clock must be positive.
constexpr std::optional<TickRate> tick_rate(const std::array<int64_t, kEngineCount>& clock_hz) {
  int64_t common = 1;
  for (const int64_t hz : clock_hz) {
    const int64_t factor = hz / std::gcd(common, hz);
    if (factor > kMaxTickHz / common) return std::nullopt;
    common *= factor;
  }
  const int64_t hz = (kMinTickHz + common - 1) / common * common;
  if (hz > kMaxTickHz) return std::nullopt;
  TickRate rate{.hz = hz, .period = {}};
  for (std::size_t i = 0; i < kEngineCount; ++i) rate.period[i] = Ticks{hz / clock_hz[i]};
  return rate;
}

}  // namespace trainyard::hw
