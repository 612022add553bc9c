#pragma once
// A collective as a sequence of schedules, one per level of the group: first inside a domain, then
// between domains, or the other way round.
#include <vector>

#include "cluster/net/layout.h"
#include "cluster/net/schedule.h"

namespace trainyard::cluster {

// One schedule, run at the same time by all sets of ranks that differ only in the level's
// coordinate.
struct Stage {
  enum class Where : uint8_t { Domain, Axis, Network, Flat };
  Where where = Where::Domain;
  Level level;
  Schedule schedule;
  // A chunk of the stage is the chunks of the group whose coordinate in `level` is the chunk's
  // number and whose coordinates in these levels are free; in all others they are the member's own.
  std::vector<Level> open;
  double chunk_share = 1;  // bytes of a chunk for each byte of the request
};

// A share of every chunk that goes its own way through the levels.
struct Part {
  double share = 1;
  std::vector<Stage> stages;
};

struct Program {
  Op op = Op::AllReduce;
  int64_t ranks = 1;
  std::vector<Level> levels;
  std::vector<Part> parts;

  int64_t steps() const;  // with a latency; parts run at the same time
};

// TY-NET-006 as in make_schedule.
Result<Program> make_program(const Communicator::Layout& layout, Op op, const Selection& selection);

// The members of a level. On a network of a size that is no power of two, `level` is one of those
// that split_network makes.
Members members_of(const Communicator::Layout& layout, const Level& level);

// A network level as a power of two of neighbours and a ring for each other prime factor above
// them: 3,125 domains are five rings of 5, 20 steps instead of 3,124.
std::vector<Level> split_network(const Level& level);

}  // namespace trainyard::cluster
