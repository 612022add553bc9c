#pragma once
// Who knows of whose completion: one number per stream.
//
// A stream (an engine or a queue) completes its instructions in order, so "everything up to the
// n-th is complete" says all. What an engine knows only grows, and whoever waits for an instruction
// learns what was known when it started, and that it and all before it in its stream are complete.
#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/check.h"
#include "hw/engine.h"
#include "isa/program.h"

namespace trainyard::sim::hazard {

inline constexpr int kEngineStreams = static_cast<int>(hw::kEngineCount);
inline constexpr int kQueues = 16;
inline constexpr int kStreams = kEngineStreams + kQueues;

// Per stream: how many of its instructions are known to be complete.
using Clock = std::array<int32_t, (kStreams + 7) / 8 * 8>;

inline void join(Clock& into, const Clock& from) {
  for (size_t s = 0; s < into.size(); ++s) into[s] = std::max(into[s], from[s]);
}

inline int stream_of(const isa::InstPlace& place, int engine) {
  return place.queue >= 0 ? kEngineStreams + place.queue : engine;
}

// What a waiter for the n-th instance of one instruction learns. Keeps only what somebody may still
// ask for.
class Completions {
 public:
  // An instruction that several engines execute is complete when all are.
  explicit Completions(int replicas) : replicas_(replicas) {}

  void complete(int64_t instance, const Clock& clock) {
    if (replicas_ == 1) {
      push(clock);
      return;
    }
    const auto at = static_cast<size_t>(instance - count_);
    if (partial_.size() <= at) partial_.resize(at + 1);
    join(partial_[at].clock, clock);
    ++partial_[at].replicas;
    while (!partial_.empty() && partial_.front().replicas == replicas_) {
      push(partial_.front().clock);
      partial_.erase(partial_.begin());
    }
  }

  int64_t count() const { return count_; }
  const Clock& at(int64_t n) const {
    TY_CHECK(n >= first_ && n <= count_);
    return ring_[static_cast<size_t>(n) & (ring_.size() - 1)];
  }
  // Nobody will ask for fewer than n any more.
  void forget_below(int64_t n) { first_ = std::max(first_, n); }
  bool replicated() const { return replicas_ > 1; }

 private:
  struct Partial {
    Clock clock{};
    int replicas = 0;
  };

  void push(const Clock& clock) {
    ++count_;
    first_ = std::min(first_, count_);
    if (count_ - first_ + 1 > static_cast<int64_t>(ring_.size())) grow();
    ring_[static_cast<size_t>(count_) & (ring_.size() - 1)] = clock;
  }
  void grow() {
    std::vector<Clock> larger(ring_.size() * 2);
    for (int64_t n = first_; n < count_; ++n)
      larger[static_cast<size_t>(n) & (larger.size() - 1)] =
          ring_[static_cast<size_t>(n) & (ring_.size() - 1)];
    ring_ = std::move(larger);
  }

  int replicas_ = 1;
  int64_t count_ = 0, first_ = 1;
  std::vector<Clock> ring_ = std::vector<Clock>(4);
  std::vector<Partial> partial_;
};

}  // namespace trainyard::sim::hazard
