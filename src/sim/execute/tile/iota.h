#pragma once
// iota and affine_select: integer ramps over the free axis and the partitions. [nki 2.1, 2.3]
#include "sim/execute/tile/alu.h"
#include "sim/execute/tile/context.h"

namespace trainyard::sim {

// value[row, i...] = offset + row * channel_multiplier + sum(step * i), 32-bit wrapping. The dims
// hold steps of values, not of bytes.
struct Ramp {
  std::vector<Stride> dims;
  int64_t channel_multiplier = 0;
};

// dst = cast(value). 32-bit integers keep all bits; other types go through fp32.
void iota(const Ramp& ramp, int64_t offset, const View& dst, ExecContext& context);

// dst = cmp(value, 0) ? yes : no. Equal types are copied as bits.
struct AffineChoice {
  Ramp ramp;
  AluOp cmp = AluOp::Equal;
  float no = 0;
};
void affine_select(const AffineChoice& choice, int64_t offset, const View& dst, const View& yes,
                   ExecContext& context);

}  // namespace trainyard::sim
