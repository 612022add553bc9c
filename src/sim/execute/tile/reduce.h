#pragma once
// Reductions and scans along the free axis. add, multiply, max and min follow the lanes of lanes.h;
// other operators and scans take one element after the other. Both orders are the same on every
// host.
#include <array>

#include "sim/execute/tile/alu.h"
#include "sim/execute/tile/context.h"

namespace trainyard::sim {

// dst[k] = op over the `length` neighbours data[k * length ...]; times -1 if `negate`. Starts from
// the first element; logical operators give 1 or 0 also where there is only one.
struct ReduceOp {
  AluStage stage;
  int64_t length = 1;
  bool negate = false;
};
void tensor_reduce(const ReduceOp& op, const View& dst, const View& data, ExecContext& context);
// The same on bit patterns.
void tensor_reduce_bits(const ReduceOp& op, const View& dst, const View& data,
                        ExecContext& context);

// r[i] = (data0[i] first r[i-1]) second data1[i], r[-1] = initial. dst = r, cast.
void tensor_tensor_scan(const TwoStages& stages, const View& dst, const View& data0,
                        const View& data1, const Column& initial, ExecContext& context);

}  // namespace trainyard::sim
