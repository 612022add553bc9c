#pragma once
// Tiles that are views of HBM: loads that need not copy, because the tile is only read and the HBM
// region does not change meanwhile; and stores that need not, because nobody else uses the region
// while the tile lives. [program 3]
#include <optional>
#include <string>
#include <vector>

#include "sim/values/axes.h"
#include "sim/values/uses.h"

namespace trainyard::sim {

// Where the elements of a tile lie in HBM: along each axis of the tile's partition, `steps`
// elements of HBM apart.
struct HbmView {
  isa::TensorId tensor = -1;   // the HBM tensor, as the load names it
  isa::InstId load = -1;       // or the store
  bool is_store = false;       // the tile's instructions write HBM, and the store does nothing
  size_t depth = 0;            // enclosures of the load around the block where the contents last
  isa::Affine offset;          // elements; counters of the loops around the tile alone
  int64_t partition_step = 0;  // elements from partition to partition
  Axes axes;
  std::vector<int64_t> steps;  // parallel to `axes`
};

// A view for each tile that can be one, by TensorId.
//
// A tile is one if a single dma_copy writes it, without cast and with neighbouring elements; if
// that load covers it fully, over `repeat`s of known counts, before it is read; if nothing writes
// the HBM tensor inside the block in which the tile keeps its contents; and if every read can be
// found in HBM as a pattern.
std::vector<std::optional<HbmView>> find_hbm_views(const isa::Program& program,
                                                   const std::vector<Home>& homes,
                                                   const Uses& uses);

// The operand that reads `access` of a tile from HBM. Nothing if it is no pattern there.
std::optional<OperandRef> view_operand(const isa::Program& program, const std::vector<Home>& homes,
                                       const HbmView& view, const isa::Access& access,
                                       const std::vector<isa::Enclosure>& around);

}  // namespace trainyard::sim
