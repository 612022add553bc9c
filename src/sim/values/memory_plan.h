#pragma once
// Where the tensors of a body lie in host memory. Tensors whose lives do not meet share bytes, so
// that a long program stays in the caches and touches few pages.
#include <cstdint>
#include <vector>

#include "sim/values/hbm_views.h"
#include "sim/values/uses.h"

namespace trainyard::sim {

struct MemoryPlan {
  // By TensorId: bytes into the arena of its kind; -1: memory of its own.
  std::vector<int64_t> offset;
  int64_t tile_bytes = 0;  // on chip: one arena per lane
  int64_t hbm_bytes = 0;   // one arena per run
};

// Nothing is shared: every tensor has memory of its own.
MemoryPlan separate_memory(const isa::Program& program);

// Lives are spans of the body's order. A tensor that is used inside a loop further in lives for the
// whole of that loop; a view of HBM keeps its tensor alive. HBM tensors of a loop's body keep
// memory of their own: workers need one each. `taken` as in Compiler: the destination of such a
// copy lives from the transpose on.
MemoryPlan shared_memory(const isa::Program& program, const std::vector<Home>& homes,
                         const Uses& uses, const std::vector<std::optional<HbmView>>& views,
                         const std::vector<isa::InstId>& taken);

}  // namespace trainyard::sim
