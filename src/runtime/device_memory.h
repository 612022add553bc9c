#pragma once
// The device memory of one simulated core, as a budget: what is live, how much is left.
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>

#include "base/status.h"
#include "compiler/ir/types.h"

namespace trainyard::runtime {

// What an allocation is for. Nothing is formatted until somebody wants to read it.
struct Purpose {
  std::shared_ptr<const compiler::TensorType> type;  // none: several, or not an array
  std::shared_ptr<const std::string> origin;  // the program that makes it; none: from the host
};

struct MemoryStats {
  int64_t in_use = 0;
  int64_t peak = 0;
  int64_t allocations = 0;  // ever
  int64_t largest = 0;      // ever
  int64_t limit = 0;
};

// Thread-safe.
class DeviceMemory {
 public:
  DeviceMemory(std::string device, int64_t limit) : device_(std::move(device)), limit_(limit) {}

  // A part of the budget, given back when destroyed. The memory must outlive it.
  class Reservation {
   public:
    Reservation() = default;
    Reservation(Reservation&& other) noexcept { *this = std::move(other); }
    Reservation& operator=(Reservation&& other) noexcept;
    ~Reservation() { release(); }
    void release();

   private:
    friend class DeviceMemory;
    DeviceMemory* memory_ = nullptr;
    std::list<struct Live>::iterator live_;
  };

  // TY-RUN-020 with a table of the largest live arrays if `bytes` do not fit.
  Result<Reservation> reserve(int64_t bytes, Purpose purpose);

  MemoryStats stats() const;
  void clear_peak();

 private:
  Status exhausted(int64_t bytes, const Purpose& purpose) const;

  const std::string device_;
  const int64_t limit_;
  mutable std::mutex mutex_;
  std::list<struct Live> live_;
  int64_t in_use_ = 0, peak_ = 0, allocations_ = 0, largest_ = 0;
};

struct Live {
  int64_t bytes = 0;
  Purpose purpose;
};

}  // namespace trainyard::runtime
