#pragma once
// The pool of host threads. One per process is enough; everything below takes it as a
// sim::ParallelFor.
#include <memory>

#include "sim/values.h"

namespace trainyard::runtime {

class Threads {
 public:
  // 0: as many as the host has.
  explicit Threads(int count = 0);
  ~Threads();
  int count() const { return count_; }
  sim::ParallelFor parallel_for() const;

 private:
  struct Pool;
  int count_;
  std::unique_ptr<Pool> pool_;
};

}  // namespace trainyard::runtime
