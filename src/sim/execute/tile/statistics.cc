#include "sim/execute/tile/statistics.h"

#include <algorithm>
#include <array>
#include <vector>

#include "sim/execute/tile/scalar_alu.h"

namespace trainyard::sim {
namespace {

struct Moments {
  float count = 0, mean = 0, squares = 0;
};

// Of x[first], x[first + 2], ...
Moments moments(const std::vector<float>& x, size_t first) {
  Moments m;
  float sum = 0;
  for (size_t i = first; i < x.size(); i += 2) {
    sum += x[i];
    m.count += 1;
  }
  if (m.count == 0) return m;
  m.mean = sum / m.count;
  for (size_t i = first; i < x.size(); i += 2) {
    const float distance = x[i] - m.mean;
    m.squares += distance * distance;
  }
  return m;
}

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
  std::vector<float> values;
  for (int64_t row = 0; row < data.rows(); ++row) {
    read_row(data, row, x, values);
    const Moments even = moments(values, 0), odd = moments(values, 1);
    const std::array<float, 6> y = {even.count, even.mean, even.squares,
                                    odd.count,  odd.mean,  odd.squares};
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
