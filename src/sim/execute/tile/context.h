#pragma once
// What executors need besides their operands. One per worker; nothing in it is shared.
#include <array>
#include <cstdint>

#include "numerics/convert.h"
#include "numerics/functions.h"
#include "sim/execute/tile/strip.h"

namespace trainyard::sim {

// Partitions of a core: the reduce registers of the scalar engine have one each. [neuroncore 2.7]
inline constexpr int64_t kLanes = 128;

// Inputs of an activation function outside its valid range. [neuroncore 6.1]
struct RangeFinding {
  int64_t count = 0;
  float first = 0;  // the first such input
};

struct ExecContext {
  numerics::ConvertOptions convert;
  bool propagate_nan = true;
  bool strict = false;
  std::array<float, kLanes> act_registers{};
  RangeFinding* ranges = nullptr;  // filled by activations where set

  // Room for strips. `a` to `c` hold operands, `y` results.
  FloatStrip a, b, c, y;
  WordStrip words_a, words_b, words_y;

  bool is_stochastic() const { return convert.rounding.mode == numerics::Rounding::Stochastic; }
  // Whether fp32 results may be written straight to where they belong.
  bool writes_direct(const Pattern& dst) const { return is_direct(dst) && !convert.ftz; }

  // The options for results of `view` from element `begin` of `row` on: random bits belong to the
  // element, so that strips of any length give the same.
  numerics::ConvertOptions options(const View& view, int64_t row, int64_t begin) const {
    numerics::ConvertOptions o = convert;
    o.rounding.counter += static_cast<uint64_t>(row * view.count() + begin);
    return o;
  }
  void write(const View& dst, int64_t row, int64_t begin, int64_t n, const float* values) const {
    if (n == 1 && writes_direct(*dst.pattern)) {
      reinterpret_cast<float*>(dst.row(row))[begin] = *values;
      return;
    }
    write_floats(dst, row, begin, n, values, is_stochastic() ? options(dst, row, begin) : convert);
  }
};

// A number, or a tile with one element per row.
struct Column {
  float number = 0;
  View tile;  // no pattern: the number

  bool is_tile() const { return tile.pattern != nullptr; }
  float of(int64_t row) const {
    return is_tile() ? read_float(*tile.pattern, tile.row(row)) : number;
  }
};

// An exact number, or a tile of integers with one element per row.
struct IntegerColumn {
  int64_t number = 0;
  View tile;

  bool is_tile() const { return tile.pattern != nullptr; }
  int64_t of(int64_t row) const {
    return is_tile() ? read_integer(tile.dtype(), tile.row(row)) : number;
  }
};

}  // namespace trainyard::sim
