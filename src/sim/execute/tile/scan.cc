// Scans: eight rows at once, whose chains do not wait for each other.
#include <algorithm>

#include "sim/execute/tile/reduce.h"
#include "sim/execute/tile/scalar_alu.h"

namespace trainyard::sim {
namespace {

constexpr int64_t kRowBlock = 8;
using RowBlock = std::array<const float*, kRowBlock>;

// Missing rows of a block repeat the first one.
RowBlock filled(RowBlock rows, int64_t count) {
  for (int64_t r = count; r < kRowBlock; ++r) rows[r] = rows[0];
  return rows;
}

// One step of a scan for the common pairs of operators.
template <AluOp First, AluOp Second>
struct Pair {
  float operator()(float a, float state, float b, const AluStage& first,
                   const AluStage& second) const {
    const float t = first.reverse ? scalar_alu<First>(state, a, first.propagate_nan)
                                  : scalar_alu<First>(a, state, first.propagate_nan);
    return second.reverse ? scalar_alu<Second>(b, t, second.propagate_nan)
                          : scalar_alu<Second>(t, b, second.propagate_nan);
  }
};
struct AnyPair {
  float operator()(float a, float state, float b, const AluStage& first,
                   const AluStage& second) const {
    return alu_one(second, alu_one(first, a, state), b);
  }
};

struct Scan {
  const AluStage& first;
  const AluStage& second;
  const View& dst;
  const View& data0;
  const View& data1;
  const Column& initial;

  template <class Step>
  void run(ExecContext& x, Step step) const {
    std::array<FloatStrip, kRowBlock> a, b, y;
    for (int64_t top = 0; top < dst.rows(); top += kRowBlock) {
      const int64_t rows = std::min(kRowBlock, dst.rows() - top);
      float state[kRowBlock] = {};
      for (int64_t r = 0; r < rows; ++r) state[r] = initial.of(top + r);
      for (int64_t begin = 0; begin < dst.count(); begin += kStrip) {
        const int64_t n = std::min(kStrip, dst.count() - begin);
        RowBlock left{}, right{};
        for (int64_t r = 0; r < rows; ++r) {
          left[r] = read_floats(data0, top + r, begin, n, a[r]);
          right[r] = read_floats(data1, top + r, begin, n, b[r]);
        }
        left = filled(left, rows);
        right = filled(right, rows);
        for (int64_t i = 0; i < n; ++i) {
          for (int64_t r = 0; r < kRowBlock; ++r) {
            state[r] = step(left[r][i], state[r], right[r][i], first, second);
            y[r].values[i] = state[r];
          }
        }
        for (int64_t r = 0; r < rows; ++r) x.write(dst, top + r, begin, n, y[r].values.data());
      }
    }
  }
};

}  // namespace

void tensor_tensor_scan(const TwoStages& stages, const View& dst, const View& data0,
                        const View& data1, const Column& initial, ExecContext& x) {
  const Scan scan{stages.first, stages.second, dst, data0, data1, initial};
  const auto is = [&](AluOp a, AluOp b) { return stages.first.op == a && stages.second.op == b; };
  if (is(AluOp::Multiply, AluOp::Add)) return scan.run(x, Pair<AluOp::Multiply, AluOp::Add>());
  if (is(AluOp::Add, AluOp::Add)) return scan.run(x, Pair<AluOp::Add, AluOp::Add>());
  if (is(AluOp::Add, AluOp::Multiply)) return scan.run(x, Pair<AluOp::Add, AluOp::Multiply>());
  if (is(AluOp::Max, AluOp::Max)) return scan.run(x, Pair<AluOp::Max, AluOp::Max>());
  return scan.run(x, AnyPair());
}

}  // namespace trainyard::sim
