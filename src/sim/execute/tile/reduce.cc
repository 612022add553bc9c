#include "sim/execute/tile/reduce.h"

#include <algorithm>
#include <array>

#include "sim/execute/tile/lanes.h"
#include "sim/execute/tile/scalar_alu.h"

namespace trainyard::sim {
namespace {

bool is_logical(AluOp op) { return op >= AluOp::LogicalAnd && op <= AluOp::LogicalXor; }

// One element after the other.
class ChainReduction {
 public:
  explicit ChainReduction(const AluStage& stage) : stage_(stage) {}

  void take(const float* x, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      if (!started_) {
        state_ = is_logical(stage_.op) ? (x[i] != 0 ? 1.0f : 0.0f) : x[i];
        started_ = true;
      } else {
        state_ = step(state_, x[i]);
      }
    }
  }
  float result() const { return state_; }

 private:
  float step(float a, float b) const {
    switch (stage_.op) {
      case AluOp::Subtract:
        return scalar_alu<AluOp::Subtract>(a, b, true);
      case AluOp::LogicalAnd:
        return scalar_alu<AluOp::LogicalAnd>(a, b, true);
      case AluOp::LogicalOr:
        return scalar_alu<AluOp::LogicalOr>(a, b, true);
      case AluOp::LogicalXor:
        return scalar_alu<AluOp::LogicalXor>(a, b, true);
      default:
        return alu_one(stage_, a, b);
    }
  }

  AluStage stage_;
  bool started_ = false;
  float state_ = 0;
};

template <class Reduction>
void reduce_with(const ReduceOp& op, const View& dst, const View& data, ExecContext& x) {
  const int64_t segments = data.count() / op.length;
  // Short segments are read together; long ones in strips.
  const int64_t at_once = std::clamp<int64_t>(kStrip / op.length, 1, segments);
  const int64_t strip = is_direct(*data.pattern) ? op.length : std::min(op.length, kStrip);
  for (int64_t row = 0; row < data.rows(); ++row) {
    for (int64_t s = 0; s < segments; s += at_once) {
      const int64_t n = std::min(at_once, segments - s);
      const float* together =
          op.length <= kStrip ? read_floats(data, row, s * op.length, n * op.length, x.a) : nullptr;
      for (int64_t k = 0; k < n; ++k) {
        Reduction reduction(op.stage);
        if (together != nullptr) {
          reduction.take(together + k * op.length, op.length);
        } else {
          for (int64_t done = 0; done < op.length; done += strip) {
            const int64_t part = std::min(strip, op.length - done);
            reduction.take(read_floats(data, row, s * op.length + done, part, x.a), part);
          }
        }
        x.y.values[k] = op.negate ? -reduction.result() : reduction.result();
      }
      x.write(dst, row, s, n, x.y.values.data());
    }
  }
}

// Segments that lie side by side, each across rows of the memory: taps of a pooling window, or of a
// channel's own kernel. No segment is longer than the lanes, so a lane is one row of such a block.
bool lies_across(const ReduceOp& op, const Pattern& data) {
  return data.dtype == Dtype::F32 && data.dims.size() == 2 && data.dims[0].step == data.size() &&
         data.dims[1].count == op.length && op.length <= kSumLanes && !op.negate;
}

// Folds whole rows in the order of lanes.h.
void reduce_across(const ReduceOp& op, const View& dst, const View& data, ExecContext& x) {
  constexpr int64_t kWidth = 256;
  alignas(64) std::array<std::array<float, kWidth>, kSumLanes / 2> room;
  const int64_t segments = data.pattern->dims[0].count, step = data.pattern->dims[1].step;
  std::array<const float*, kSumLanes> lane;
  for (int64_t row = 0; row < data.rows(); ++row) {
    for (int64_t s = 0; s < segments; s += kWidth) {
      const int64_t n = std::min(kWidth, segments - s);
      for (int64_t k = 0; k < op.length; ++k) {
        lane[k] = reinterpret_cast<const float*>(data.row(row) + k * step) + s;
      }
      for (int64_t half = kSumLanes / 2; half > 0; half /= 2) {
        for (int64_t k = 0; k < half && k + half < op.length; ++k) {
          alu_tiles(op.stage, lane[k], lane[k + half], room[k].data(), static_cast<size_t>(n));
          lane[k] = room[k].data();
        }
      }
      x.write(dst, row, s, n, lane[0]);
    }
  }
}

}  // namespace

void tensor_reduce(const ReduceOp& op, const View& dst, const View& data, ExecContext& x) {
  if (has_lane_order(op.stage.op) && lies_across(op, *data.pattern))
    return reduce_across(op, dst, data, x);
  if (has_lane_order(op.stage.op)) return reduce_with<LaneReduction>(op, dst, data, x);
  reduce_with<ChainReduction>(op, dst, data, x);
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

}  // namespace trainyard::sim
