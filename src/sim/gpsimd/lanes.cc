#include "sim/gpsimd/lanes.h"

#include <algorithm>
#include <cstring>

#include "sim/gpsimd/typed.h"

namespace trainyard::sim::gpsimd {

using namespace isa::gpsimd;

LaneOp lane_op(const Function& f, const Op& op) {
  LaneOp lane{.code = op.code, .out = f.values[op.out[0]].type};
  lane.in = lane.out;
  if (!op.in.empty()) lane.in = f.values[op.in[op.code == Code::Select ? 1 : 0]].type;
  if (const auto* literal = std::get_if<Literal>(&op.attributes)) lane.bits = literal->bits;
  return lane;
}

void apply(const LaneOp& op, const void* a, const void* b, const void* c, void* out, int64_t n) {
  switch (form(op.code)) {
    case Form::Constant:
      return with_bits(op.out, [&]<class T>(T) {
        std::fill_n(static_cast<T*>(out), n, static_cast<T>(op.bits));
      });
    case Form::Compare:
    case Form::Test:
      return apply_compare(op.code, op.in, a, b, static_cast<uint8_t*>(out), n);
    case Form::Select:
      return with_bits(op.out, [&]<class T>(T) {
        const auto* mask = static_cast<const uint8_t*>(a);
        const auto *yes = static_cast<const T*>(b), *no = static_cast<const T*>(c);
        auto* y = static_cast<T*>(out);
        for (int64_t i = 0; i < n; ++i) y[i] = mask[i] != 0 ? yes[i] : no[i];
      });
    case Form::Fma:
      return apply_fma(op.in, a, b, c, out, n);
    case Form::Convert:
      return apply_convert(op.in, op.out, a, out, n);
    case Form::Bitcast:
      if (out != a) std::memcpy(out, a, n * size_of(op.out));
      return;
    default:
      if (is_float(op.in)) return apply_float(op.code, op.in, a, b, out, n);
      return apply_integer(op.code, op.in, a, b, out, n);
  }
}

void fold_line(Code code, Type type, void* acc, const Line& line, int64_t n) {
  const bool adds_integers = code == Code::Add && is_integer(type);
  if (adds_integers && line.y == nullptr) {
    // Wrapping sums do not depend on their order, so the compiler may use vectors.
    return with_bits(type, [&]<class T>(T) {
      T sum = *static_cast<T*>(acc);
      for (int64_t i = 0; i < n; ++i) sum = static_cast<T>(sum + static_cast<const T*>(line.x)[i]);
      *static_cast<T*>(acc) = sum;
    });
  }
  if (type == Type::F32 && code == Code::Add && line.y == nullptr) {
    float sum = *static_cast<float*>(acc);
    for (int64_t i = 0; i < n; ++i) sum += static_cast<const float*>(line.x)[i];
    *static_cast<float*>(acc) = canonical(sum);
    return;
  }
  const LaneOp op{.code = code, .in = type, .out = type};
  const int64_t size = size_of(type);
  const auto* x = static_cast<const std::byte*>(line.x);
  auto* y = static_cast<std::byte*>(line.y);
  for (int64_t i = 0; i < n; ++i) {
    if (y != nullptr && line.exclusive) std::memcpy(y + i * size, acc, size);
    apply(op, acc, x + i * size, nullptr, acc, 1);
    if (y != nullptr && !line.exclusive) std::memcpy(y + i * size, acc, size);
  }
}

}  // namespace trainyard::sim::gpsimd
