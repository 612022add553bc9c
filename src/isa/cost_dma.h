#pragma once
// What a transfer does on the DMA engines. [nki-dma, nki-dma-bw]
//
// A transfer is a list of descriptors; a descriptor is one run that is contiguous on both sides.
// SBUF partition p belongs to engine p / 8 whatever the shape; HBM-to-HBM runs are cut into packets
// and dealt round-robin. Offsets do not change any of this, so a shape can be computed once per
// static instruction. (A partition offset that depends on a counter is taken at its first value.)
#include <cstdint>
#include <string_view>
#include <vector>

#include "isa/cost.h"

namespace trainyard::isa {

enum class Direction : uint8_t { Load, Store, HbmToHbm, SbufToSbuf };
std::string_view name(Direction direction);  // "load", "store", "hbm_to_hbm", "sbuf_to_sbuf"

struct DmaShape {
  struct EngineLoad {
    int64_t descriptors = 0;
    int64_t bytes = 0;
    Ticks payload;  // how long the engine moves data for this transfer, alone
    friend bool operator==(const EngineLoad&, const EngineLoad&) = default;
  };

  Direction direction = Direction::Load;
  DgeMode dge = DgeMode::Static;
  std::vector<EngineLoad> engines;  // one per DMA engine of the core; unused ones are all zero
  int64_t descriptors = 0;
  int64_t bytes = 0;  // the larger of what is read and what is written
  int64_t hbm_read_bytes = 0, hbm_write_bytes = 0;
  int64_t ring_bytes = 0;  // HBM that a static ring of this transfer takes

  // Time line of one transfer. From the start of the trigger instruction:
  //   dispatch, then each engine's payload, then lag (the engines do not start together), then
  //   notify: the waiter may start.
  // The trigger engine is busy for `trigger`, the descriptor generator (GpSimd for swdge, a DGE
  // block for hwdge) for `generate`; both lie inside dispatch.
  Ticks trigger, generate, dispatch, payload, lag, notify;
  Ticks gap;  // an engine takes its next transfer this much after its payload
  hw::Trust trust = hw::Trust::Documented;

  // From trigger to waiter if nothing else runs.
  Ticks isolated() const { return dispatch + payload + lag + notify; }
  friend bool operator==(const DmaShape&, const DmaShape&) = default;
};

// `inst` must be a transfer (is_dma) that passes `verify`. Of a collective: the part on this core's
// DMA engines, as if it were a copy; the links are the cluster's business.
DmaShape dma_shape(const Program& program, const Inst& inst, const CostModel& model);
inline DmaShape dma_shape(const Program& program, const Inst& inst, const hw::CoreSpec& core,
                          Level level) {
  return dma_shape(program, inst, CostModel(core, level));
}

}  // namespace trainyard::isa
