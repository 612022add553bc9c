#pragma once
// How the host treats denormal numbers while a body runs. XLA flushes them on every platform, and
// programs that JAX sends expect that; the chip's own rule is not public.
#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace trainyard::sim {

// While it lives, this thread reads denormals as zeros and writes zeros instead of denormals.
class FlushDenormals {
 public:
  explicit FlushDenormals(bool on) {
#if defined(__x86_64__)
    old_ = _mm_getcsr();
    constexpr unsigned kFlushToZero = 0x8000, kDenormalsAreZero = 0x0040;
    if (on) _mm_setcsr(old_ | kFlushToZero | kDenormalsAreZero);
#else
    static_cast<void>(on);
#endif
  }
  ~FlushDenormals() {
#if defined(__x86_64__)
    _mm_setcsr(old_);
#endif
  }
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
#if defined(__x86_64__)
  unsigned old_ = 0;
#endif
};

}  // namespace trainyard::sim
