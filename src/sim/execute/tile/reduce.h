#pragma once
// Sums, reductions and scans along the free axis. The order is that of the elements, one after the
// other, always: the machine's order is not documented, so ours is the plain one, and it gives the
// same bits on every host. Rows are worked on in blocks, whose chains run side by side.
#include <array>

#include "sim/execute/tile/alu.h"
#include "sim/execute/tile/context.h"

namespace trainyard::sim {

inline constexpr int64_t kRowBlock = 8;
using RowBlock = std::array<const float*, kRowBlock>;

// sums[r] += rows[r][0] + rows[r][1] + ... for the first `count` rows, in order.
void add_rows(const RowBlock& rows, int64_t count, int64_t n, float* sums);

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
