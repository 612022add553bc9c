#pragma once
// Who sends which bytes to whom at which step. One schedule per algorithm: execute.h runs it on
// data to prove it right, flow.h and the closed form time it.
#include <cstdint>
#include <vector>

#include "base/status.h"
#include "cluster/net/collective.h"
#include "cluster/net/rings.h"

namespace trainyard::cluster {

// The ranks of one level of a group. Member i lies on the chip at position i / per_chip.
struct Members {
  int32_t count = 1;
  int32_t per_chip = 1;
  bool whole_chips = false;     // every rank of each chip is a member; KangaRing needs it
  std::vector<Cycle> channels;  // directed cycles over chip positions
  std::vector<int32_t> labels;  // corner of a hypercube for each chip position, or empty
  // Axes of the hypercube, the bits of the labels: those with equally fast links together, the
  // slowest first. Empty if the labels are no hypercube.
  std::vector<std::vector<int32_t>> axes;
  bool spread = true;  // axes are links of their own; between instances they are one network
  int32_t chips() const { return count / per_chip; }
};

// One transfer. `src` reads and drives it; `dst` is where it is written. A local operation has both
// on one chip.
//
// The buffer has one chunk per member. AllGather and Broadcast: the chunks are copied to the same
// place; `inputs` names the member on the same chip whose memory each chunk is read from, nothing
// means `src` itself. Reductions: the sum of that chunk over the `inputs` and, if `forward`, of
// what src has received so far. AllToAll: what the members in `inputs` have for the members in
// `chunks`.
struct Send {
  int32_t src = 0;
  int32_t dst = 0;
  int32_t dst2 = -1;    // a second copy on the same chip, duplicated by hardware
  int32_t slice = -1;   // the channel's share of each chunk; -1: whole chunks
  int32_t sources = 1;  // reads for each byte written
  bool forward = false;
  bool last = false;  // of a reduction: the result, which replaces what dst has received
  uint32_t first_chunk = 0, chunk_count = 0;  // in SendList::chunks
  uint32_t first_input = 0, input_count = 0;  // in SendList::inputs
};

// Where a schedule puts its sends.
struct SendList {
  std::vector<Send> sends;
  std::vector<int32_t> chunks;
  std::vector<int32_t> inputs;
  void clear() {
    sends.clear();
    chunks.clear();
    inputs.clear();
  }
};

struct Schedule {
  Op op = Op::AllGather;
  Algorithm algorithm = Algorithm::Ring;
  Members members;
  int32_t slices = 1;  // channels that split each chunk
  int32_t steps = 0;   // with a latency each
  bool tail = false;   // local sums after the last step, without one
  int32_t chunks = 1;  // into which the buffer of a member is cut

  // Ring and KangaRing: members (or pairs) in the order of each channel, and the place of each.
  std::vector<std::vector<int32_t>> order;
  std::vector<std::vector<int32_t>> place;
  // Permute: whom each member sends to, -1 for none; empty: the next one on the first channel.
  std::vector<int32_t> target;
  // Rdh: exchanges of an AllGather, and the chip position with each label.
  int32_t turns = 0;
  std::vector<int32_t> chip_with_label;
};

// TY-NET-006 if the members or the operation have no such schedule. AllReduce is a ReduceScatter
// and an AllGather, except in a single step.
Result<Schedule> make_schedule(Op op, Algorithm algorithm, const Members& members);

// Whether KangaRing can run on these members.
bool can_kangaring(const Members& members);

// Adds the sends that `member` drives in `step`; step == steps is the tail.
void emit(const Schedule& schedule, int32_t step, int32_t member, SendList& out);

// Whom `member` sends to in a Permute; -1: nobody.
int32_t permute_target(const Schedule& schedule, int32_t member);

// Bytes of a send for each byte of a chunk.
inline double volume(const Schedule& schedule, const Send& send) {
  const double pieces = schedule.op == Op::AllToAll
                            ? static_cast<double>(send.chunk_count) * send.input_count
                            : static_cast<double>(send.chunk_count);
  return send.slice < 0 ? pieces : pieces / schedule.slices;
}

}  // namespace trainyard::cluster
