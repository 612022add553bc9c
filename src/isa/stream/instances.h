#pragma once
// Counting instances: how often an instruction runs inside an iteration of a loop around it. This
// is what turns a symbolic edge into a number.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "isa/program.h"
#include "isa/structure.h"

namespace trainyard::isa {

using Path = std::vector<Enclosure>;  // what is around an instruction, outermost first

bool is_repeat(const Program& program, const Enclosure& enclosure);

// Instances of what lies inside path[from..] in one iteration of path[from-1]. `counters` hold the
// iterations of the loops outside; they are scratch inside and restored. -1 where a run-time loop
// or a branch lies between.
int64_t count_from(const Program& program, const Path& path, size_t from,
                   std::vector<int64_t>& counters);

// Whether count_from is the same in every iteration of path[from-1].
bool count_is_constant(const Program& program, const Path& path, size_t from);

// Instances that come, in the same iteration of the loops outside, before the one at which the last
// at.size() loops of `path` stand at `at`. Only `repeat`s may lie there. Leaves `at` in `counters`.
int64_t count_before(const Program& program, const Path& path, std::span<const int64_t> at,
                     std::vector<int64_t>& counters);

// Cumulative instances of a producer at the end of the recent iterations of a loop, for counts that
// are not the same in every iteration.
class InstanceHistory {
 public:
  // `walked`: run-time control lies between, so instances are counted as the walk passes them.
  InstanceHistory(InstId producer, LoopId loop, size_t inside, bool walked)
      : producer(producer), loop(loop), inside(inside), walked(walked) {}

  // Makes up_to answer for at least this lag. Before the first turn only.
  void reach(int64_t lag) {
    if (ring_.size() < static_cast<size_t>(lag) + 2) ring_.resize(static_cast<size_t>(lag) + 2, 0);
  }

  // `instances`: of the turn that begins (not walked); `seen`: of the whole run until now.
  void begin_turn(int64_t instances, int64_t seen) {
    if (walked) {
      // What was seen until now ends the turn before.
      if (turns_ > 0) ring_[(turns_ - 1) % ring_.size()] = seen;
    } else {
      sum_ += instances;
      ring_[turns_ % ring_.size()] = sum_;
    }
    ++turns_;
  }

  // Instances up to the end of the iteration `lag` turns back; lag 0 is the current one.
  int64_t up_to(int64_t lag, int64_t seen) const {
    const int64_t turn = turns_ - 1 - lag;
    if (turn < 0) return 0;
    if (walked && lag == 0) return seen;
    return ring_[turn % ring_.size()];
  }

  const InstId producer;
  const LoopId loop;    // -1: the whole program is one iteration
  const size_t inside;  // first enclosure of the producer inside `loop`
  const bool walked;

 private:
  std::vector<int64_t> ring_;
  int64_t turns_ = 0;  // iterations begun
  int64_t sum_ = 0;    // instances up to the end of the current iteration (not walked)
};

}  // namespace trainyard::isa
