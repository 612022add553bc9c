#pragma once
// The Scalar engine's activation. [neuroncore 2.3, 2.7, 6.1]
#include <optional>

#include "isa/ops.h"
#include "numerics/functions.h"
#include "sim/execute/tile/context.h"

namespace trainyard::sim {

struct ActivationOp {
  numerics::Function function = numerics::Function::Copy;
  float param = 0;  // slope of prelu
  isa::ReduceCmd reduce = isa::ReduceCmd::Idle;
  int64_t first_lane = 0;  // the reduce register of row 0
  bool has_bias = false;
};

// dst = function(data * scale + bias) in fp32; the product and the sum round by themselves. Without
// a bias nothing is added, and a scale of 1 changes nothing. Reduce commands sum the results before
// their cast (lanes.h) and add the sum to the row's register.
void activation(const ActivationOp& op, const View& dst, const View& data, const Column& scale,
                const Column& bias, ExecContext& context);

// reduce_res[row] = the register of the row.
void read_registers(const View& reduce_res, int64_t first_lane, ExecContext& context);

}  // namespace trainyard::sim
