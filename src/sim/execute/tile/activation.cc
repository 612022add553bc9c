#include "sim/execute/tile/activation.h"

#include <algorithm>

#include "sim/execute/tile/alu.h"
#include "sim/execute/tile/lanes.h"

namespace trainyard::sim {
namespace {

using isa::ReduceCmd;

void watch_range(numerics::Function f, const float* x, int64_t n, RangeFinding& finding) {
  for (int64_t i = 0; i < n; ++i) {
    if (numerics::in_valid_range(f, x[i])) continue;
    if (finding.count++ == 0) finding.first = x[i];
  }
}

// y = function(x * scale + bias) for one strip. x and y are equal or do not overlap.
void apply_strip(const ActivationOp& op, float scale, float bias, const float* x, float* y,
                 int64_t n, RangeFinding* ranges) {
  if (scale != 1.0f || op.has_bias) {
    const AluStage product{.op = scale != 1.0f ? AluOp::Multiply : AluOp::Bypass};
    const AluStage sum{.op = op.has_bias ? AluOp::Add : AluOp::Bypass};
    alu_numbers(product, scale, sum, bias, x, y, n);
    x = y;
  }
  if (ranges != nullptr) watch_range(op.function, x, n, *ranges);
  if (op.function == numerics::Function::Copy && x == y) return;
  numerics::apply(op.function, x, y, n, op.param);
}

struct Operands {
  const ActivationOp& op;
  const View& dst;
  const View& data;
  const Column& scale;
  const Column& bias;
};

void without_reduce(const Operands& o, ExecContext& x) {
  const bool direct = x.writes_direct(*o.dst.pattern);
  const bool whole = direct && is_direct(*o.data.pattern);
  const int64_t step = whole ? o.dst.count() : kStrip;
  for (int64_t row = 0; row < o.dst.rows(); ++row) {
    const float scale = o.scale.of(row), bias = o.bias.of(row);
    for (int64_t begin = 0; begin < o.dst.count(); begin += step) {
      const int64_t n = std::min(step, o.dst.count() - begin);
      const float* from = read_floats(o.data, row, begin, n, x.a);
      float* y = float_target(o.dst, row, begin, direct, x.y);
      apply_strip(o.op, scale, bias, from, y, n, x.ranges);
      if (!direct) x.write(o.dst, row, begin, n, y);
    }
  }
}

void with_reduce(const Operands& o, ExecContext& x) {
  const bool direct = x.writes_direct(*o.dst.pattern);
  for (int64_t row = 0; row < o.dst.rows(); ++row) {
    const float scale = o.scale.of(row), bias = o.bias.of(row);
    LaneReduction sum({.op = AluOp::Add});
    for (int64_t begin = 0; begin < o.dst.count(); begin += kStrip) {
      const int64_t n = std::min(kStrip, o.dst.count() - begin);
      const float* from = read_floats(o.data, row, begin, n, x.a);
      float* y = float_target(o.dst, row, begin, direct, x.y);
      apply_strip(o.op, scale, bias, from, y, n, x.ranges);
      sum.take(y, n);
      if (!direct) x.write(o.dst, row, begin, n, y);
    }
    x.act_registers[o.op.first_lane + row] += sum.result();
  }
}

}  // namespace

void activation(const ActivationOp& op, const View& dst, const View& data, const Column& scale,
                const Column& bias, ExecContext& x) {
  if (op.reduce == ReduceCmd::Reset || op.reduce == ReduceCmd::ResetReduce)
    std::fill_n(&x.act_registers[op.first_lane], dst.rows(), 0.0f);
  const Operands operands{op, dst, data, scale, bias};
  if (op.reduce == ReduceCmd::Reduce || op.reduce == ReduceCmd::ResetReduce) {
    with_reduce(operands, x);
  } else {
    without_reduce(operands, x);
  }
}

void read_registers(const View& reduce_res, int64_t first_lane, ExecContext& x) {
  for (int64_t row = 0; row < reduce_res.rows(); ++row)
    x.write(reduce_res, row, 0, 1, &x.act_registers[first_lane + row]);
}

}  // namespace trainyard::sim
