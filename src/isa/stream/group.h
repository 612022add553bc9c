#pragma once
// The walk of one group of instructions of a stream: those with the same `ahead`. It steps through
// the body in body order, keeps the counters, and says for each instruction what it waits for.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "isa/stream.h"
#include "isa/stream/instances.h"
#include "isa/stream/steps.h"

namespace trainyard::isa {

// Reads one loop's or branch's recorded values, entry after entry.
struct TripCursor {
  size_t run = 0;
  int64_t used = 0;

  int64_t next(const std::vector<TripRecord::Run>& runs) {
    if (runs.empty()) return 0;
    while (run + 1 < runs.size() && used >= runs[run].times) {
      ++run;
      used = 0;
    }
    ++used;
    return runs[run].value;
  }
};

// How the count behind an edge is found.
struct EdgePlan {
  InstId producer = -1;
  LoopId loop = -1;       // whose iterations are counted; -1: the whole program is one iteration
  size_t inside = 0;      // first enclosure of the producer inside `loop`
  int64_t per_turn = -1;  // instances per iteration, if constant; else a history is kept
  int64_t lag = 0;
  const std::vector<Affine>* at = nullptr;  // null: all of the iteration
  // Run-time control lies between: instances are counted as the walk passes them.
  bool walked = false;
  int32_t edge = -1;  // index into the waiter's `after`
  int history = -1;   // index into the histories, where per_turn is not constant
};

class StreamGroup {
 public:
  struct Ahead {
    LoopId loop = -1;
    int64_t distance = 0;
    friend bool operator==(const Ahead&, const Ahead&) = default;
  };

  // Emits `members`, and the control items of run-time loops and branches that hold any of
  // `controlled`, which is empty or all that the stream executes. Program, structure and trips must
  // outlive it.
  StreamGroup(const Program& program, const Structure& structure, InstSet members,
              const InstSet& controlled, const TripRecord& trips, Ahead ahead);

  bool done() const { return done_; }
  const StreamItem& item() const { return item_; }
  const int64_t* counters() const { return counters_.data(); }
  void needs(std::vector<Need>& out) const;  // of the current instruction
  int64_t tensor_instance(TensorId tensor) const;

  // Steps to the next item.
  void advance();

  // Where the item stands in issue order: per level the position in its block and the counter, the
  // latter less the distance ahead.
  void make_key();
  const std::vector<int64_t>& key() const { return key_; }

 private:
  struct Level {
    int64_t position = 0;
    LoopId loop = -1;  // -1: an arm of a branch
  };

  void plan_edges();
  EdgePlan plan_edge(InstId waiter, const Edge& edge);
  int history(const EdgePlan& plan);

  void begin_turn(InstanceHistory& history);
  void begin_turn(LoopId loop);
  bool enter_loop(const Step& s);  // false if the loop has no iteration
  void turn_loop(const Step& s);
  void enter_branch(const Step& s);

  int64_t count(const EdgePlan& e) const;
  int64_t least(const EdgePlan& e, int64_t n) const;
  int64_t up_to(const EdgePlan& e, int64_t lag) const;
  int64_t index(const EdgePlan& e) const;

  const Program& program_;
  const Structure& structure_;
  const TripRecord& trips_;
  InstSet members_;
  Ahead ahead_;

  std::vector<Step> steps_;
  int32_t at_ = 0;  // the step to take next
  bool done_ = false;
  bool turn_pending_ = false;  // the item of a LoopEnd is out, its turn is not taken yet
  StreamItem item_;
  int64_t position_ = 0;
  std::vector<Level> levels_;
  std::vector<int64_t> key_;

  std::vector<int64_t> counters_, limits_, turns_;  // by LoopId
  std::vector<int64_t> arm_entries_;                // by 2 * BranchId, plus one for the else arm
  std::vector<TripCursor> loop_trips_, branch_trips_;
  std::vector<int64_t> seen_, entered_, tested_;  // by InstId, LoopId, BranchId

  std::vector<EdgePlan> edges_;
  std::vector<int> first_edge_;  // by InstId
  std::vector<InstanceHistory> histories_;
  std::vector<std::vector<int>> loop_histories_;    // by LoopId
  mutable std::vector<int64_t> producer_counters_;  // scratch, by LoopId
  mutable std::vector<int64_t> unshared_;           // scratch
};

}  // namespace trainyard::isa
