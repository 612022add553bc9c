// Eight chains at once: an add takes four cycles and two can begin in each, so that eight rows keep
// the adder busy.
#include "sim/execute/tile/reduce.h"

#include <algorithm>

#include "sim/execute/tile/scalar_alu.h"

namespace trainyard::sim {
namespace {

// state[r] = state[r] op rows[r][i] for i < n.
template <AluOp Op>
void chain(const RowBlock& rows, int64_t n, bool propagate_nan, float* state) {
  float s[kRowBlock];
  for (int64_t r = 0; r < kRowBlock; ++r) s[r] = state[r];
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t r = 0; r < kRowBlock; ++r) s[r] = scalar_alu<Op>(s[r], rows[r][i], propagate_nan);
  }
  for (int64_t r = 0; r < kRowBlock; ++r) state[r] = s[r];
}

using Chain = void (*)(const RowBlock&, int64_t, bool, float*);

Chain chain_of(AluOp op) {
  switch (op) {
    case AluOp::Add:
      return chain<AluOp::Add>;
    case AluOp::Subtract:
      return chain<AluOp::Subtract>;
    case AluOp::Multiply:
      return chain<AluOp::Multiply>;
    case AluOp::Max:
      return chain<AluOp::Max>;
    case AluOp::Min:
      return chain<AluOp::Min>;
    case AluOp::LogicalAnd:
      return chain<AluOp::LogicalAnd>;
    case AluOp::LogicalOr:
      return chain<AluOp::LogicalOr>;
    case AluOp::LogicalXor:
      return chain<AluOp::LogicalXor>;
    default:
      TY_CHECK(false);  // the verifier knows the reductions
      return nullptr;
  }
}

bool is_logical(AluOp op) { return op >= AluOp::LogicalAnd && op <= AluOp::LogicalXor; }

// Missing rows of a block repeat the first one.
RowBlock filled(RowBlock rows, int64_t count) {
  for (int64_t r = count; r < kRowBlock; ++r) rows[r] = rows[0];
  return rows;
}

// Reduces rows first ... first + rows - 1 of data. Strips hold whole segments, or a part of one.
class BlockReduction {
 public:
  BlockReduction(const ReduceOp& op, const View& dst, const View& data, ExecContext& context)
      : op_(op), dst_(dst), data_(data), x_(context), chain_(chain_of(op.stage.op)) {}

  void run(int64_t first, int64_t rows) {
    const int64_t length = op_.length;
    const int64_t segments = data_.count() / length;
    const int64_t at_once = std::max<int64_t>(1, kStrip / length);
    for (int64_t s = 0; s < segments; s += at_once) {
      const int64_t n = std::min(at_once, segments - s);
      if (length <= kStrip) {
        load(first, rows, s * length, n * length);
        for (int64_t k = 0; k < n; ++k) start_and_run(k * length, length, k);
      } else {
        long_segment(first, rows, s * length);
      }
      store(first, rows, s, n);
    }
  }

 private:
  void load(int64_t first, int64_t rows, int64_t begin, int64_t n) {
    for (int64_t r = 0; r < rows; ++r)
      block_[r] = read_floats(data_, first + r, begin, n, room_[r]);
    block_ = filled(block_, rows);
  }

  RowBlock from(int64_t at) const {
    RowBlock rows = block_;
    for (const float*& row : rows) row += at;
    return rows;
  }

  void start_and_run(int64_t at, int64_t n, int64_t result) {
    float state[kRowBlock];
    for (int64_t r = 0; r < kRowBlock; ++r) {
      state[r] = block_[r][at];
      if (is_logical(op_.stage.op)) state[r] = state[r] != 0 ? 1.0f : 0.0f;
    }
    chain_(from(at + 1), n - 1, op_.stage.propagate_nan, state);
    for (int64_t r = 0; r < kRowBlock; ++r) results_[r].values[result] = state[r];
  }

  void long_segment(int64_t first, int64_t rows, int64_t begin) {
    load(first, rows, begin, kStrip);
    start_and_run(0, kStrip, 0);
    float state[kRowBlock];
    for (int64_t r = 0; r < kRowBlock; ++r) state[r] = results_[r].values[0];
    for (int64_t done = kStrip; done < op_.length; done += kStrip) {
      const int64_t n = std::min(kStrip, op_.length - done);
      load(first, rows, begin + done, n);
      chain_(block_, n, op_.stage.propagate_nan, state);
    }
    for (int64_t r = 0; r < kRowBlock; ++r) results_[r].values[0] = state[r];
  }

  void store(int64_t first, int64_t rows, int64_t begin, int64_t n) {
    for (int64_t r = 0; r < rows; ++r) {
      float* values = results_[r].values.data();
      if (op_.negate) std::transform(values, values + n, values, [](float v) { return -v; });
      x_.write(dst_, first + r, begin, n, values);
    }
  }

  const ReduceOp& op_;
  const View& dst_;
  const View& data_;
  ExecContext& x_;
  Chain chain_;
  RowBlock block_{};
  std::array<FloatStrip, kRowBlock> room_;
  std::array<FloatStrip, kRowBlock> results_;
};

}  // namespace

void add_rows(const RowBlock& rows, int64_t count, int64_t n, float* sums) {
  float state[kRowBlock] = {};
  std::copy_n(sums, count, state);
  chain<AluOp::Add>(filled(rows, count), n, true, state);
  std::copy_n(state, count, sums);
}

void tensor_reduce(const ReduceOp& op, const View& dst, const View& data, ExecContext& x) {
  BlockReduction reduction(op, dst, data, x);
  for (int64_t first = 0; first < data.rows(); first += kRowBlock)
    reduction.run(first, std::min(kRowBlock, data.rows() - first));
}

void tensor_reduce_bits(const ReduceOp& op, const View& dst, const View& data, ExecContext& x) {
  const int64_t segments = data.count() / op.length;
  for (int64_t row = 0; row < data.rows(); ++row) {
    for (int64_t s = 0; s < segments; ++s) {
      uint32_t state = 0;
      for (int64_t done = 0; done < op.length; done += kStrip) {
        const int64_t n = std::min(kStrip, op.length - done);
        const uint32_t* words = read_bits(data, row, s * op.length + done, n, x.words_a);
        for (int64_t i = 0; i < n; ++i) {
          if (done + i == 0) {
            state = words[0];
          } else if (op.stage.op == AluOp::BitwiseAnd) {
            state &= words[i];
          } else if (op.stage.op == AluOp::BitwiseOr) {
            state |= words[i];
          } else {
            state ^= words[i];
          }
        }
      }
      write_words(dst, row, s, 1, &state);
    }
  }
}

namespace {

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
