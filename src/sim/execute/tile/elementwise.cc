// Rows go through strips: an operand that is contiguous fp32 is read and written in place, any
// other one through a copy that stays in the first-level cache.
#include "sim/execute/tile/elementwise.h"

#include <algorithm>
#include <cstring>

namespace trainyard::sim {
namespace {

// Calls work(row, begin, n) for all strips of `rows` rows. `whole`: strips need no copy.
template <class Work>
void each_strip(int64_t rows, int64_t count, bool whole, Work work) {
  const int64_t step = whole ? count : kStrip;
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t begin = 0; begin < count; begin += step)
      work(row, begin, std::min(step, count - begin));
  }
}

}  // namespace

void tensor_tensor(const AluStage& stage, const View& dst, const View& a, const View& b,
                   ExecContext& x) {
  const bool direct = x.writes_direct(*dst.pattern);
  const bool whole = direct && is_direct(*a.pattern) && is_direct(*b.pattern);
  each_strip(dst.rows(), dst.count(), whole, [&](int64_t row, int64_t begin, int64_t n) {
    const float* left = read_floats(a, row, begin, n, x.a);
    const float* right = read_floats(b, row, begin, n, x.b);
    float* y = float_target(dst, row, begin, direct, x.y);
    alu_tiles(stage, left, right, y, n);
    if (!direct) x.write(dst, row, begin, n, y);
  });
}

void tensor_scalar(const TwoStages& stages, const View& dst, const View& a, const Column& c0,
                   const Column& c1, ExecContext& x) {
  const bool direct = x.writes_direct(*dst.pattern);
  const bool whole = direct && is_direct(*a.pattern);
  each_strip(dst.rows(), dst.count(), whole, [&](int64_t row, int64_t begin, int64_t n) {
    const float* from = read_floats(a, row, begin, n, x.a);
    float* y = float_target(dst, row, begin, direct, x.y);
    alu_numbers(stages.first, c0.of(row), stages.second, c1.of(row), from, y, n);
    if (!direct) x.write(dst, row, begin, n, y);
  });
}

void scalar_tensor_tensor(const TwoStages& stages, const View& dst, const View& a, const Column& c0,
                          const View& b, ExecContext& x) {
  const bool direct = x.writes_direct(*dst.pattern);
  const bool whole = direct && is_direct(*a.pattern) && is_direct(*b.pattern);
  each_strip(dst.rows(), dst.count(), whole, [&](int64_t row, int64_t begin, int64_t n) {
    const float* left = read_floats(a, row, begin, n, x.a);
    const float* right = read_floats(b, row, begin, n, x.b);
    float* y = float_target(dst, row, begin, direct, x.y);
    alu_number_tile(stages.first, c0.of(row), stages.second, right, left, y, n);
    if (!direct) x.write(dst, row, begin, n, y);
  });
}

void reciprocal(const View& dst, const View& a, ExecContext& x) {
  const TwoStages stages{.first = {.op = AluOp::Reciprocal}, .second = {}};
  tensor_scalar(stages, dst, a, {}, {}, x);
}

void tensor_copy(const View& dst, const View& a, ExecContext& x) {
  const bool bits = dst.dtype() == a.dtype();
  const bool whole = dst.pattern->dense && a.pattern->dense && (bits || is_direct(*a.pattern));
  each_strip(dst.rows(), dst.count(), whole, [&](int64_t row, int64_t begin, int64_t n) {
    const int64_t size = dst.pattern->size();
    if (bits && whole) {
      std::memmove(dst.row(row) + begin * size, a.row(row) + begin * size, n * size);
    } else if (bits) {
      gather(*a.pattern, a.row(row), begin, n, x.words_a.values.data());
      scatter(*dst.pattern, dst.row(row), begin, n, x.words_a.values.data());
    } else {
      x.write(dst, row, begin, n, read_floats(a, row, begin, n, x.a));
    }
  });
}

namespace {

// Both tiles as bits of dst's type.
void select_bits(const View& dst, const View& where, const View& yes, const SelectFalse& no,
                 ExecContext& x) {
  each_strip(dst.rows(), dst.count(), false, [&](int64_t row, int64_t begin, int64_t n) {
    const float* chosen = read_floats(where, row, begin, n, x.a);
    const uint32_t* yes_words = read_bits(yes, row, begin, n, x.words_a);
    const uint32_t* no_words = nullptr;
    uint32_t number = 0;
    if (no.tile.pattern != nullptr) {
      no_words = read_bits(no.tile, row, begin, n, x.words_b);
    } else {
      const float value = no.column.of(row);
      numerics::narrow(dst.dtype(), &value, &number, 1, x.options(dst, row, begin));
    }
    uint32_t* y = x.words_y.values.data();
    for (int64_t i = 0; i < n; ++i) {
      const uint32_t other = no_words != nullptr ? no_words[i] : number;
      y[i] = chosen[i] != 0.0f ? yes_words[i] : other;
    }
    write_words(dst, row, begin, n, y);
  });
}

}  // namespace

void select(const View& dst, const View& where, const View& yes, const SelectFalse& no,
            ExecContext& x) {
  const bool no_tile = no.tile.pattern != nullptr;
  if (yes.dtype() == dst.dtype() && (!no_tile || no.tile.dtype() == dst.dtype()))
    return select_bits(dst, where, yes, no, x);
  const bool direct = x.writes_direct(*dst.pattern);
  each_strip(dst.rows(), dst.count(), false, [&](int64_t row, int64_t begin, int64_t n) {
    const float* chosen = read_floats(where, row, begin, n, x.a);
    const float* on_true = read_floats(yes, row, begin, n, x.b);
    const float number = no_tile ? 0 : no.column.of(row);
    const float* on_false = no_tile ? read_floats(no.tile, row, begin, n, x.c) : &number;
    float* y = float_target(dst, row, begin, direct, x.y);
    choose(chosen, on_true, on_false, no_tile ? 1 : 0, y, n);
    if (!direct) x.write(dst, row, begin, n, y);
  });
}

}  // namespace trainyard::sim
