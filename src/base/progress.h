#pragma once
// How far a long piece of work has come, written by the worker and read by whoever shows it, on
// another thread.
#include <atomic>
#include <cstdint>

namespace trainyard {

struct Progress {
  std::atomic<const char*> phase = "";  // "time", "check"; a literal
  std::atomic<int64_t> done = 0;        // of the phase
  std::atomic<int64_t> of = 0;          // 0: not known

  void begin(const char* name, int64_t amount) {
    done = 0;
    of = amount;
    phase = name;
  }
};

}  // namespace trainyard
