#pragma once
// The DMA engines of a core: queues share each engine at equal rate between starts and ends of
// transfers.
//
// Each transfer brings the time that every engine needs for its part, alone. A queue is in order on
// every engine; queues with work on an engine share it equally (round-robin over packets, in the
// limit of small packets). Integer virtual time: one tick advances a queue by kShare / (active
// queues) units, and kShare is divisible by every possible number of queues, so nothing is rounded
// but the tick at which a part ends.
//
// Engines whose parts have always been equal are simulated as one. A [128, n] tile gives every
// engine the same work, so most programs cost one event per transfer instead of sixteen.
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "base/units.h"

namespace trainyard::sim {

inline constexpr int kDmaEngines = 16;
inline constexpr int kDmaQueues = 16;

struct TransferParts {
  std::array<Ticks, kDmaEngines> work{};  // alone on the engine, at its full rate
  bool uniform = true;                    // all equal
};

class DmaFabric {
 public:
  // The oldest transfer of `queue` ended: those of one queue end in the order of their starts.
  struct End {
    int queue = 0;
    Ticks time;
  };

  // The next transfer of `queue` may move its first byte at `time`, which must not lie before an
  // earlier event.
  void start(int queue, const TransferParts& parts, Ticks time);

  // The next time at which a part ends, or Ticks max if nothing is in flight.
  Ticks next_event() const { return next_; }

  // Advances to next_event() and appends the transfers whose last part ended then.
  void step(std::vector<End>& ended);

  // Time during which at least one part was in flight, per engine and for any.
  Ticks busy(int engine) const;
  Ticks any_busy() const { return any_busy_; }

 private:
  static constexpr int64_t kShare = 720720;  // least common multiple of 1..16

  struct Part {
    int64_t number = 0;  // of the transfer in its queue
    int64_t units = 0;   // of work, kShare per tick
  };
  // First in, first out. Unlike a deque it owns nothing while it is empty, and most are: groups are
  // made and merged with every uneven transfer.
  class Line {
   public:
    bool empty() const { return head_ == parts_.size(); }
    const Part& front() const { return parts_[head_]; }
    void push_back(Part part) { parts_.push_back(part); }
    void pop_front();

   private:
    std::vector<Part> parts_;
    size_t head_ = 0;
  };
  // Engines that have had equal work all along.
  struct Group {
    uint32_t engines = 0;  // bit mask
    int64_t virtual_time = 0;
    Ticks updated;
    int active = 0;                            // queues with work
    std::array<int64_t, kDmaQueues> finish{};  // virtual time at which the head part ends
    std::array<Line, kDmaQueues> waiting;      // head included
    Ticks busy;
  };

  void advance(Group& group, Ticks time);
  void push(Group& group, int queue, Part part);
  Ticks group_next(const Group& group) const;
  void find_next();
  void split(const TransferParts& parts);
  bool idle() const { return in_flight_ == 0; }

  // The transfers of a queue that are in flight, oldest first: engines still working on each.
  struct Open {
    std::deque<int> engines;
    int64_t first = 0;  // number of the oldest
  };

  std::vector<Group> groups_ = std::vector<Group>(1, Group{.engines = (1u << kDmaEngines) - 1});
  std::array<Open, kDmaQueues> open_;
  int64_t in_flight_ = 0;
  Ticks next_ = kNever;
  Ticks any_busy_, busy_since_;
  std::array<Ticks, kDmaEngines> busy_before_{};  // of groups that were merged

 public:
  static constexpr Ticks kNever = Ticks(INT64_MAX);
};

}  // namespace trainyard::sim
