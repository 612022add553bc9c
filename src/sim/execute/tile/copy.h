#pragma once
// Moving elements between two patterns: dma_copy, dma_transpose, nc_transpose. The loops are found
// once per instruction; a run only gets addresses.
#include <optional>

#include "sim/execute/tile/context.h"

namespace trainyard::sim {

// One loop over both sides. Steps are bytes.
struct CopyLoop {
  int64_t count = 1;
  int64_t to_step = 0;
  int64_t from_step = 0;
  friend bool operator==(const CopyLoop&, const CopyLoop&) = default;
};

// Copies element i of `from`'s order to element i of `to`'s, for all i. If the dims of the two
// sides have no common refinement (3 x 4 elements into 2 x 6 with gaps), `loops` is empty and the
// elements go through strips.
struct CopyPlan {
  Pattern to, from;  // as one row
  std::vector<CopyLoop> loops;
};
CopyPlan plan_copy(const Pattern& to, const Pattern& from);

// dst[f, p] = data[p, f].
CopyPlan plan_transpose(const Pattern& dst, const Pattern& data);

// dst = src with its first and last dim exchanged. `dims` as the instruction has them: partitions
// (on chip), then free dims, not joined.
CopyPlan plan_dma_transpose(Dtype dtype, const std::vector<Stride>& dst,
                            const std::vector<Stride>& src);

// The bits where the types are equal, else through fp32.
void run_copy(const CopyPlan& plan, std::byte* to, const std::byte* from, ExecContext& context);

}  // namespace trainyard::sim
