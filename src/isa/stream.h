#pragma once
// The stream of one engine: the body filtered by engine, in issue order, with symbolic edges turned
// into counts. Time, check, disassembly and placement all read streams through this one walker, so
// they cannot disagree about what an edge means.
//
// An edge becomes a Need: "`count` instances of `producer` have completed". Instances of one
// instruction are numbered in body order and complete in that order, so one number is enough.
#include <cstdint>
#include <span>
#include <vector>

#include "isa/program.h"
#include "isa/structure.h"

namespace trainyard::isa {

// How often each run-time loop went round and which arm each branch took, per entry in body order,
// run-length coded. Made by a values run, or from --trips.
struct TripRecord {
  struct Run {
    int64_t value = 0;  // iterations of a loop; 1 or 0 for a branch
    // Consecutive entries with that value; the last run extends to all later entries.
    int64_t times = 0;
    friend bool operator==(const Run&, const Run&) = default;
  };
  std::vector<std::vector<Run>> loops;     // by LoopId
  std::vector<std::vector<Run>> branches;  // by BranchId

  static void append(std::vector<Run>& runs, int64_t value);
  friend bool operator==(const TripRecord&, const TripRecord&) = default;
};

struct Need {
  InstId producer = -1;
  int64_t count = 0;  // completed instances to wait for; > 0
  int64_t least = 0;  // no later instance of the waiter asks this edge for fewer
  int32_t edge = -1;  // which of the waiter's `after`
};

// What a stream does next. Control items exist only for run-time loops and branches that hold work
// of the stream: entering (bounds or condition are ready), one turn (the branch back, after the
// barrier of all streams with work in the loop), and testing a branch.
struct StreamItem {
  enum class Kind : uint8_t { Instruction, LoopEnter, LoopTurn, BranchTest };
  Kind kind = Kind::Instruction;
  int32_t id = -1;       // InstId, LoopId or BranchId
  int64_t instance = 0;  // which execution of it, counted over the whole run in body order
};

// The engines that execute each instruction, as a bit mask by InstId: the one that the placement
// names, and for register instructions every engine with work that depends on the register (each
// keeps a copy).
std::vector<uint8_t> engine_masks(const Program& program, const Structure& structure);

class StreamGroup;  // the walk of instructions with the same `ahead`

class StreamWalker {
 public:
  // Walks the instructions that `engine` executes (engine_masks). Program, structure and trips must
  // outlive it.
  StreamWalker(const Program& program, const Structure& structure, Engine engine,
               const TripRecord& trips);
  // Walks the given instructions, as if one engine had them all, in body order (no `ahead`).
  StreamWalker(const Program& program, const Structure& structure, std::span<const InstId> members,
               const TripRecord& trips);
  ~StreamWalker();
  StreamWalker(StreamWalker&&) noexcept;

  // Steps to the next item; false at the end of the stream.
  bool next();
  const StreamItem& item() const { return item_; }

  // Of the current instruction: its needs, the counters of its own iteration (indexed by LoopId),
  // the value of hand-written waits, and which instance of a tensor in scope it sees.
  std::span<const Need> needs() const { return needs_; }
  const int64_t* counters() const;
  int64_t tensor_instance(TensorId tensor) const;

 private:
  std::vector<StreamGroup> groups_;  // by `ahead`
  StreamGroup* current_ = nullptr;
  StreamItem item_;
  std::vector<Need> needs_;
};

// Instances of `inst` in one iteration of the loops in `outer` (a prefix of its enclosures) with
// the given counters; `repeat`s only. -1 where a run-time loop or a branch lies between.
int64_t instances_inside(const Program& program, const Structure& structure, InstId inst, int outer,
                         std::vector<int64_t>& counters);

}  // namespace trainyard::isa
