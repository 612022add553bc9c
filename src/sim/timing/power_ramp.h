#pragma once
// The Tensor engine's power ramp: after idle time the array runs at half rate until it has been
// issuing for a window, and falls back when it multiplies too little. [neuron-explorer;
// neuroncore 3.2.1]
//
// Utilisation counts multiply-adds at full-rate cost: rows * columns * column cycles over the whole
// array. The limit is lifted after one window of continuous issue, unless the work of that window
// would bring it back at once (an endless stream with half the rows stays at half rate, as
// measured). A pause shorter than a twentieth of the window counts as continuous; the documents
// give no figure.
#include <cstdint>
#include <deque>

#include "base/units.h"
#include "hw/core_spec.h"

namespace trainyard::sim {

class PowerRamp {
 public:
  explicit PowerRamp(const hw::CoreSpec& core);

  // An instruction that needs `full` ticks of the array at full rate, of which `useful` (<= full)
  // is multiply-add work on the whole array, starts at `start`. Returns how long it occupies the
  // array.
  Ticks occupy(Ticks start, Ticks full, Ticks useful);

  // When the array was limited, summed.
  Ticks throttled() const { return throttled_; }
  bool limited() const { return limited_; }

 private:
  struct Work {
    Ticks end;
    int64_t useful = 0, full = 0;  // ticks at full rate
  };
  void drop_before(Ticks time);

  bool enabled_;
  Ticks window_, pause_;
  double ratio_, threshold_;

  bool limited_ = true;
  Ticks burst_start_, last_end_;
  bool started_ = false;
  std::deque<Work> recent_;  // inside the window
  int64_t recent_useful_ = 0, recent_full_ = 0;
  Ticks throttled_;
};

}  // namespace trainyard::sim
