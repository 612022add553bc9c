// Element-wise work on 32-bit integers and on bit patterns.
#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "sim/execute/tile/elementwise.h"

namespace trainyard::sim {
namespace {

// The second side of an operator: an array, or one word for every element.
struct Side {
  const uint32_t* words;
  size_t step;  // 0 or 1
  bool is_signed;
};

int64_t value_of(uint32_t word, bool is_signed) {
  return is_signed ? int64_t{static_cast<int32_t>(word)} : int64_t{word};
}

template <class F>
void each(const uint32_t* a, const Side& b, uint32_t* y, int64_t n, F f) {
  for (int64_t i = 0; i < n; ++i) y[i] = f(a[i], b.words[i * b.step]);
}

// f sees the values, not the words.
template <class F>
void each_value(const Side& a, const Side& b, uint32_t* y, int64_t n, F f) {
  for (int64_t i = 0; i < n; ++i) {
    y[i] = static_cast<uint32_t>(
        f(value_of(a.words[i * a.step], a.is_signed), value_of(b.words[i * b.step], b.is_signed)));
  }
}

void compare(AluOp op, const Side& a, const Side& b, uint32_t* y, int64_t n) {
  using V = int64_t;
  switch (op) {
    case AluOp::Max:
      return each_value(a, b, y, n, [](V p, V q) { return std::max(p, q); });
    case AluOp::Min:
      return each_value(a, b, y, n, [](V p, V q) { return std::min(p, q); });
    case AluOp::Equal:
      return each_value(a, b, y, n, [](V p, V q) { return p == q; });
    case AluOp::NotEqual:
      return each_value(a, b, y, n, [](V p, V q) { return p != q; });
    case AluOp::GreaterEqual:
      return each_value(a, b, y, n, [](V p, V q) { return p >= q; });
    case AluOp::Greater:
      return each_value(a, b, y, n, [](V p, V q) { return p > q; });
    case AluOp::LessEqual:
      return each_value(a, b, y, n, [](V p, V q) { return p <= q; });
    case AluOp::Less:
      return each_value(a, b, y, n, [](V p, V q) { return p < q; });
    default:
      TY_CHECK(false);  // isa::arithmetic says Int32 for these operators alone
  }
}

void exact(const AluStage& s, Side a, Side b, uint32_t* y, int64_t n) {
  if (s.reverse) std::swap(a, b);
  switch (s.op) {
    case AluOp::Bypass:
      if (s.reverse) std::swap(a, b);
      std::memmove(y, a.words, n * sizeof(uint32_t));
      return;
    case AluOp::Add:
      return each_value(a, b, y, n, [](int64_t p, int64_t q) { return p + q; });
    case AluOp::Subtract:
      return each_value(a, b, y, n, [](int64_t p, int64_t q) { return p - q; });
    case AluOp::Multiply:
      return each_value(a, b, y, n, [](int64_t p, int64_t q) {
        return static_cast<uint32_t>(p) * static_cast<uint32_t>(q);
      });
    default:
      return compare(s.op, a, b, y, n);
  }
}

uint32_t shifted_left(uint32_t v, uint32_t by) { return by < 32 ? v << by : 0; }
uint32_t shifted_right(uint32_t v, uint32_t by) { return by < 32 ? v >> by : 0; }

void bits(const AluStage& s, const uint32_t* a, const Side& b, uint32_t* y, int64_t n) {
  using W = uint32_t;
  switch (s.op) {
    case AluOp::Bypass:
      std::memmove(y, a, n * sizeof(uint32_t));
      return;
    case AluOp::BitwiseNot:
      return each(a, b, y, n, [](W p, W) { return ~p; });
    case AluOp::BitwiseAnd:
      return each(a, b, y, n, [](W p, W q) { return p & q; });
    case AluOp::BitwiseOr:
      return each(a, b, y, n, [](W p, W q) { return p | q; });
    case AluOp::BitwiseXor:
      return each(a, b, y, n, [](W p, W q) { return p ^ q; });
    case AluOp::ShiftLeft:
      if (s.reverse) return each(a, b, y, n, [](W p, W q) { return shifted_left(q, p); });
      return each(a, b, y, n, [](W p, W q) { return shifted_left(p, q); });
    case AluOp::ShiftRight:
      if (s.reverse) return each(a, b, y, n, [](W p, W q) { return shifted_right(q, p); });
      return each(a, b, y, n, [](W p, W q) { return shifted_right(p, q); });
    default:
      TY_CHECK(false);  // isa::arithmetic says Bits for bitwise operators alone
  }
}

template <class Work>
void each_strip(const View& dst, Work work) {
  for (int64_t row = 0; row < dst.rows(); ++row) {
    for (int64_t begin = 0; begin < dst.count(); begin += kStrip)
      work(row, begin, std::min(kStrip, dst.count() - begin));
  }
}

// Clears the bits above an element's width: what is between two operators is one element.
void cut(uint32_t* words, int64_t n, int64_t size) {
  if (size == 4) return;
  const uint32_t mask = (uint32_t{1} << (8 * size)) - 1;
  for (int64_t i = 0; i < n; ++i) words[i] &= mask;
}

}  // namespace

void tensor_tensor_exact(const AluStage& stage, const View& dst, const View& a, const View& b,
                         ExecContext& x) {
  const bool sign_a = numerics::is_signed(a.dtype()), sign_b = numerics::is_signed(b.dtype());
  each_strip(dst, [&](int64_t row, int64_t begin, int64_t n) {
    const Side left{read_words(a, row, begin, n, x.words_a), 1, sign_a};
    const Side right{read_words(b, row, begin, n, x.words_b), 1, sign_b};
    exact(stage, left, right, x.words_y.values.data(), n);
    write_words(dst, row, begin, n, x.words_y.values.data());
  });
}

void tensor_scalar_exact(const TwoStages& stages, const View& dst, const View& a,
                         const IntegerColumn& c0, const IntegerColumn& c1, ExecContext& x) {
  const bool sign = numerics::is_signed(a.dtype());
  each_strip(dst, [&](int64_t row, int64_t begin, int64_t n) {
    const int64_t v0 = c0.of(row), v1 = c1.of(row);
    const auto w0 = static_cast<uint32_t>(v0), w1 = static_cast<uint32_t>(v1);
    uint32_t* y = x.words_y.values.data();
    const uint32_t* from = read_words(a, row, begin, n, x.words_a);
    exact(stages.first, {from, 1, sign}, {&w0, 0, v0 < 0}, y, n);
    exact(stages.second, {y, 1, sign}, {&w1, 0, v1 < 0}, y, n);
    write_words(dst, row, begin, n, y);
  });
}

void tensor_tensor_bits(const AluStage& stage, const View& dst, const View& a, const View& b,
                        ExecContext& x) {
  each_strip(dst, [&](int64_t row, int64_t begin, int64_t n) {
    const uint32_t* left = read_bits(a, row, begin, n, x.words_a);
    const Side right{read_bits(b, row, begin, n, x.words_b), 1, false};
    bits(stage, left, right, x.words_y.values.data(), n);
    write_words(dst, row, begin, n, x.words_y.values.data());
  });
}

void tensor_scalar_bits(const TwoStages& stages, const View& dst, const View& a,
                        const IntegerColumn& c0, const IntegerColumn& c1, ExecContext& x) {
  each_strip(dst, [&](int64_t row, int64_t begin, int64_t n) {
    const auto w0 = static_cast<uint32_t>(c0.of(row)), w1 = static_cast<uint32_t>(c1.of(row));
    uint32_t* y = x.words_y.values.data();
    bits(stages.first, read_bits(a, row, begin, n, x.words_a), {&w0, 0, false}, y, n);
    cut(y, n, a.pattern->size());
    bits(stages.second, y, {&w1, 0, false}, y, n);
    write_words(dst, row, begin, n, y);
  });
}

void copy_predicated(const View& dst, const View& predicate, const View& a, bool reverse,
                     ExecContext& x) {
  each_strip(dst, [&](int64_t row, int64_t begin, int64_t n) {
    const uint32_t* chosen = read_bits(predicate, row, begin, n, x.words_a);
    const uint32_t* from = read_bits(a, row, begin, n, x.words_b);
    WordStrip old_room;
    const uint32_t* old = read_bits(dst, row, begin, n, old_room);
    uint32_t* y = x.words_y.values.data();
    for (int64_t i = 0; i < n; ++i) y[i] = (chosen[i] != 0) != reverse ? from[i] : old[i];
    write_words(dst, row, begin, n, y);
  });
}

void fill(const View& dst, uint32_t word) {
  const Pattern& p = *dst.pattern;
  WordStrip strip;
  const int64_t longest = std::min(p.count, kStrip);
  const auto fill_as = [&](auto* elements) {
    std::fill_n(elements, longest, static_cast<std::decay_t<decltype(*elements)>>(word));
  };
  if (p.size() == 1) fill_as(reinterpret_cast<uint8_t*>(strip.values.data()));
  if (p.size() == 2) fill_as(reinterpret_cast<uint16_t*>(strip.values.data()));
  if (p.size() == 4) fill_as(strip.values.data());
  each_strip(dst, [&](int64_t row, int64_t begin, int64_t n) {
    if (p.dense) {
      std::memcpy(dst.row(row) + begin * p.size(), strip.values.data(), n * p.size());
    } else {
      scatter(p, dst.row(row), begin, n, strip.values.data());
    }
  });
}

}  // namespace trainyard::sim
