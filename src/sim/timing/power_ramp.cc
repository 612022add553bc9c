#include "sim/timing/power_ramp.h"

#include <cmath>

namespace trainyard::sim {

PowerRamp::PowerRamp(const hw::CoreSpec& core)
    : enabled_(core.pe.throttle.value),
      window_(hw::ticks_from_ns(core, core.pe.throttle_window_ns.value)),
      pause_(Ticks(window_.value / 20)),
      ratio_(core.pe.throttle_ratio.value),
      threshold_(core.pe.throttle_threshold.value) {}

void PowerRamp::drop_before(Ticks time) {
  while (!recent_.empty() && recent_.front().end <= time) {
    recent_useful_ -= recent_.front().useful;
    recent_full_ -= recent_.front().full;
    recent_.pop_front();
  }
}

Ticks PowerRamp::occupy(Ticks start, Ticks full, Ticks useful) {
  if (!enabled_) return full;
  const bool paused = !started_ || start - last_end_ > pause_;
  if (paused && limited_) burst_start_ = start;
  started_ = true;
  drop_before(start - window_);
  if (limited_) {
    // A window of continuous issue lifts the limit if the work is dense enough to keep it lifted.
    const bool dense =
        static_cast<double>(recent_useful_) >= threshold_ * static_cast<double>(recent_full_);
    if (start - burst_start_ >= window_ && dense) {
      limited_ = false;
      burst_start_ = start;  // the next window is the first at full rate
    }
  } else if (start - burst_start_ >= window_ || start - last_end_ >= window_) {
    const double least = threshold_ * static_cast<double>(window_.value);
    if (static_cast<double>(recent_useful_) < least) {
      limited_ = true;
      burst_start_ = start;
    }
  }
  Ticks took = full;
  if (limited_) {
    took = Ticks(std::llround(static_cast<double>(full.value) / ratio_));
    throttled_ += took;
  }
  last_end_ = start + took;
  recent_.push_back({last_end_, useful.value, full.value});
  recent_useful_ += useful.value;
  recent_full_ += full.value;
  return took;
}

}  // namespace trainyard::sim
