#include "sim/execute/tile/iota.h"

#include <algorithm>

#include "base/check.h"
#include "sim/execute/tile/odometer.h"

namespace trainyard::sim {
namespace {

// `base` is the first value of the row.
void ramp_strip(const Ramp& ramp, int64_t base, int64_t begin, int64_t n, uint32_t* out) {
  if (ramp.dims.empty()) {
    std::fill_n(out, n, static_cast<uint32_t>(base));
    return;
  }
  const auto step = static_cast<uint32_t>(ramp.dims.back().step);
  Odometer at(ramp.dims, begin);
  while (n > 0) {
    const int64_t run = std::min(n, at.left());
    auto value = static_cast<uint32_t>(base + at.offset());
    for (int64_t i = 0; i < run; ++i, value += step) out[i] = value;
    at.advance(run);
    out += run;
    n -= run;
  }
}

bool compares(AluOp op, uint32_t word) {
  const auto v = static_cast<int32_t>(word);
  switch (op) {
    case AluOp::Equal:
      return v == 0;
    case AluOp::NotEqual:
      return v != 0;
    case AluOp::GreaterEqual:
      return v >= 0;
    case AluOp::Greater:
      return v > 0;
    case AluOp::LessEqual:
      return v <= 0;
    case AluOp::Less:
      return v < 0;
    default:
      TY_CHECK(false);  // the verifier takes comparisons alone
      return false;
  }
}

template <class Work>
void each_strip(const View& dst, Work work) {
  for (int64_t row = 0; row < dst.rows(); ++row) {
    for (int64_t begin = 0; begin < dst.count(); begin += kStrip)
      work(row, begin, std::min(kStrip, dst.count() - begin));
  }
}

void select_bits(const AffineChoice& choice, int64_t offset, const View& dst, const View& yes,
                 ExecContext& x) {
  uint32_t no = 0;
  numerics::narrow(dst.dtype(), &choice.no, &no, 1, x.convert);
  each_strip(dst, [&](int64_t row, int64_t begin, int64_t n) {
    uint32_t* values = x.words_a.values.data();
    ramp_strip(choice.ramp, offset + row * choice.ramp.channel_multiplier, begin, n, values);
    const uint32_t* from = read_bits(yes, row, begin, n, x.words_b);
    uint32_t* y = x.words_y.values.data();
    for (int64_t i = 0; i < n; ++i) y[i] = compares(choice.cmp, values[i]) ? from[i] : no;
    write_words(dst, row, begin, n, y);
  });
}

}  // namespace

void iota(const Ramp& ramp, int64_t offset, const View& dst, ExecContext& x) {
  const bool words = numerics::is_integer(dst.dtype()) && dst.pattern->size() == 4;
  each_strip(dst, [&](int64_t row, int64_t begin, int64_t n) {
    ramp_strip(ramp, offset + row * ramp.channel_multiplier, begin, n, x.words_y.values.data());
    if (words) return write_words(dst, row, begin, n, x.words_y.values.data());
    numerics::widen(Dtype::S32, x.words_y.values.data(), x.y.values.data(), n);
    x.write(dst, row, begin, n, x.y.values.data());
  });
}

void affine_select(const AffineChoice& choice, int64_t offset, const View& dst, const View& yes,
                   ExecContext& x) {
  if (yes.dtype() == dst.dtype()) return select_bits(choice, offset, dst, yes, x);
  each_strip(dst, [&](int64_t row, int64_t begin, int64_t n) {
    uint32_t* values = x.words_a.values.data();
    ramp_strip(choice.ramp, offset + row * choice.ramp.channel_multiplier, begin, n, values);
    const float* from = read_floats(yes, row, begin, n, x.a);
    float* y = x.y.values.data();
    for (int64_t i = 0; i < n; ++i) y[i] = compares(choice.cmp, values[i]) ? from[i] : choice.no;
    x.write(dst, row, begin, n, y);
  });
}

}  // namespace trainyard::sim
