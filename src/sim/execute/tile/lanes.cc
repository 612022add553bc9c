// Sixteen lanes are one AVX-512 register, two AVX2 registers, or sixteen numbers. A row of 512 is a
// chain of 32 operations; the processor overlaps the chains of neighbouring rows by itself.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/execute/tile/lanes.cc"
#include "numerics/simd_dispatch.h"
//
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "sim/execute/tile/alu-inl.h"
#include "sim/execute/tile/lanes.h"
#include "sim/execute/tile/scalar_alu.h"

HWY_BEFORE_NAMESPACE();
namespace trainyard::sim::HWY_NAMESPACE {

// lanes[i mod 16] = x[i] op lanes[i mod 16] for i < n, n a multiple of 16. In this order a NaN of x
// is found beside the chain of max and min, not in it.
template <class F>
HWY_INLINE void take_blocks(F f, const float* x, int64_t n, float* lanes) {
  const Floats d;
  constexpr size_t kVectors = kSumLanes / HWY_MIN(hn::MaxLanes(Floats()), kSumLanes);
  const size_t width = hn::Lanes(d);
  // Lanes of one register never meet those of another, so each goes through the array alone.
  for (size_t v = 0; v < kVectors; ++v) {
    auto state = hn::LoadU(d, lanes + v * width);
    for (int64_t i = 0; i < n; i += kSumLanes) state = f(hn::LoadU(d, x + i + v * width), state);
    hn::StoreU(state, d, lanes + v * width);
  }
}

void take_level(const AluStage& s, const float* x, int64_t n, float* lanes) {
  switch (s.op) {
    case AluOp::Add:
      return take_blocks(Sum{}, x, n, lanes);
    case AluOp::Multiply:
      return take_blocks(Product{}, x, n, lanes);
    case AluOp::Max:
      return s.propagate_nan ? take_blocks(Largest<true>{}, x, n, lanes)
                             : take_blocks(Largest<false>{}, x, n, lanes);
    default:
      return s.propagate_nan ? take_blocks(Smallest<true>{}, x, n, lanes)
                             : take_blocks(Smallest<false>{}, x, n, lanes);
  }
}

struct SquaredDistance {
  Vector mean;
  HWY_INLINE Vector operator()(Vector x) const {
    const Vector distance = hn::Sub(x, mean);
    return hn::Mul(distance, distance);
  }
};

void squared_distances_level(const float* x, float even, float odd, float* y, int64_t n) {
  const Floats d;
  if (hn::Lanes(d) == 1) {
    for (int64_t i = 0; i < n; ++i) {
      const float distance = x[i] - (i % 2 == 0 ? even : odd);
      y[i] = distance * distance;
    }
    return;
  }
  float means[HWY_MAX_BYTES / sizeof(float)];
  for (size_t i = 0; i < hn::Lanes(d); ++i) means[i] = i % 2 == 0 ? even : odd;
  map_one(x, y, n, SquaredDistance{hn::LoadU(d, means)});
}

}  // namespace trainyard::sim::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trainyard::sim {

HWY_EXPORT(take_level);
HWY_EXPORT(squared_distances_level);

void LaneReduction::take(const float* x, int64_t n) {
  if (taken_ == 0) {
    const int64_t first = std::min(n, kSumLanes);
    std::copy_n(x, first, lanes_.begin());
    x += first;
    n -= first;
    taken_ = first;
  }
  const int64_t whole = n / kSumLanes * kSumLanes;
  if (whole > 0) TY_SIMD_DISPATCH(take_level)(stage_, x, whole, lanes_.data());
  if (n > whole) alu_tiles(stage_, x + whole, lanes_.data(), lanes_.data(), n - whole);
  taken_ += n;
}

namespace {

template <AluOp Op>
void fold(std::array<float, kSumLanes>& lanes, int64_t used, int64_t keep, bool propagate_nan) {
  for (int64_t step = kSumLanes / 2; step >= keep; step /= 2) {
    for (int64_t j = 0; j < step && j + step < used; ++j)
      lanes[j] = scalar_alu<Op>(lanes[j], lanes[j + step], propagate_nan);
    used = std::min(used, step);
  }
}

}  // namespace

std::array<float, kSumLanes> LaneReduction::folded(int64_t keep) const {
  std::array<float, kSumLanes> lanes = lanes_;
  const int64_t used = std::min(taken_, kSumLanes);
  const bool nan = stage_.propagate_nan;
  switch (stage_.op) {
    case AluOp::Add:
      fold<AluOp::Add>(lanes, used, keep, nan);
      break;
    case AluOp::Multiply:
      fold<AluOp::Multiply>(lanes, used, keep, nan);
      break;
    case AluOp::Max:
      fold<AluOp::Max>(lanes, used, keep, nan);
      break;
    default:
      fold<AluOp::Min>(lanes, used, keep, nan);
  }
  return lanes;
}

void squared_distances(const float* x, float even, float odd, float* y, int64_t n) {
  TY_SIMD_DISPATCH(squared_distances_level)(x, even, odd, y, n);
}

}  // namespace trainyard::sim
#endif  // HWY_ONCE
