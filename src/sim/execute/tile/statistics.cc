#include "sim/execute/tile/statistics.h"

#include <algorithm>
#include <array>
#include <vector>

#include "sim/execute/tile/lanes.h"
#include "sim/execute/tile/scalar_alu.h"

namespace trainyard::sim {
namespace {

// A whole row, however long.
void read_row(const View& data, int64_t row, ExecContext& x, std::vector<float>& out) {
  out.resize(data.count());
  for (int64_t begin = 0; begin < data.count(); begin += kStrip) {
    const int64_t n = std::min(kStrip, data.count() - begin);
    std::copy_n(read_floats(data, row, begin, n, x.a), n, out.begin() + begin);
  }
}

constexpr size_t kLargest = 8;

// Before `b` in the descending order.
bool comes_before(float a, float b, bool nan_first) {
  if (is_nan(a) || is_nan(b)) return nan_first ? is_nan(a) && !is_nan(b) : is_nan(b) && !is_nan(a);
  return a > b;
}

}  // namespace

void bn_stats(const View& dst, const View& data, ExecContext& x) {
  const int64_t n = data.count();
  const float even = static_cast<float>((n + 1) / 2), odd = static_cast<float>(n / 2);
  const AluStage add{.op = AluOp::Add};
  std::vector<float> values;
  for (int64_t row = 0; row < data.rows(); ++row) {
    read_row(data, row, x, values);
    LaneReduction sums(add), squares(add);
    sums.take(values.data(), n);
    const std::array<float, 2> sum = sums.even_and_odd();
    const float even_mean = sum[0] / even, odd_mean = n > 1 ? sum[1] / odd : 0;
    squared_distances(values.data(), even_mean, odd_mean, values.data(), n);
    squares.take(values.data(), n);
    const std::array<float, 2> square = squares.even_and_odd();
    const std::array<float, 6> y = {even, even_mean, square[0],
                                    odd,  odd_mean,  n > 1 ? square[1] : 0};
    x.write(dst, row, 0, 6, y.data());
  }
}

void bn_aggr(const View& dst, const View& data, ExecContext& x) {
  std::vector<float> tuples;
  for (int64_t row = 0; row < data.rows(); ++row) {
    read_row(data, row, x, tuples);
    float count = 0, weighted = 0, squares = 0, spread = 0;
    for (size_t i = 0; i < tuples.size(); i += 3) {
      count += tuples[i];
      weighted += tuples[i] * tuples[i + 1];
      squares += tuples[i + 2];
    }
    const float mean = weighted / count;
    for (size_t i = 0; i < tuples.size(); i += 3) {
      const float distance = tuples[i + 1] - mean;
      spread += tuples[i] * distance * distance;
    }
    const std::array<float, 2> y = {mean, (squares + spread) / count};
    x.write(dst, row, 0, 2, y.data());
  }
}

void max8(const View& dst, const View& src, ExecContext& x) {
  for (int64_t row = 0; row < src.rows(); ++row) {
    std::array<float, kLargest> best{};
    size_t found = 0;
    for (int64_t begin = 0; begin < src.count(); begin += kStrip) {
      const int64_t n = std::min(kStrip, src.count() - begin);
      const float* from = read_floats(src, row, begin, n, x.a);
      for (int64_t i = 0; i < n; ++i) {
        if (found == kLargest && !comes_before(from[i], best.back(), x.propagate_nan)) continue;
        size_t at = std::min(found, kLargest - 1);
        for (; at > 0 && comes_before(from[i], best[at - 1], x.propagate_nan); --at)
          best[at] = best[at - 1];
        best[at] = from[i];
        found = std::min(found + 1, kLargest);
      }
    }
    x.write(dst, row, 0, kLargest, best.data());
  }
}

}  // namespace trainyard::sim
