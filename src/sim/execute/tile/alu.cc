// One pass per instruction where the two operators are common, else one per operator over a strip
// that stays in the first-level cache. Guarded by bench/values_bench.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/execute/tile/alu.cc"
#include "numerics/simd_dispatch.h"
//
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "numerics/functions64.h"
#include "sim/execute/tile/alu-inl.h"
#include "sim/execute/tile/alu.h"

HWY_BEFORE_NAMESPACE();
namespace trainyard::sim::HWY_NAMESPACE {

void tiles_level(const AluStage& s, const float* a, const float* b, float* y, size_t n) {
  with_operator(s, [&](auto f) HWY_ATTR { map_tiles(a, b, y, n, f); });
}

void number_level(const AluStage& s, const float* a, float b, float* y, size_t n) {
  const Vector side = hn::Set(Floats(), b);
  with_operator(s, [&](auto f) HWY_ATTR { map_one(a, y, n, WithNumber<decltype(f)>{f, side}); });
}

// False: not a common pair; nothing is done.
bool numbers_level(const AluStage& first, float b0, const AluStage& second, float b1,
                   const float* a, float* y, size_t n) {
  const Vector side0 = hn::Set(Floats(), b0), side1 = hn::Set(Floats(), b1);
  bool done = false;
  with_common(first, [&](auto f) HWY_ATTR {
    done = with_common(second, [&](auto g) HWY_ATTR {
      map_one(a, y, n, WithNumbers<decltype(f), decltype(g)>{f, side0, g, side1});
    });
  });
  return done;
}

bool number_tile_level(const AluStage& first, float b0, const AluStage& second, const float* b,
                       const float* a, float* y, size_t n) {
  const Vector side0 = hn::Set(Floats(), b0);
  bool done = false;
  with_common(first, [&](auto f) HWY_ATTR {
    done = with_common(second, [&](auto g) HWY_ATTR {
      map_tiles(a, b, y, n, NumberThenTile<decltype(f), decltype(g)>{f, side0, g});
    });
  });
  return done;
}

void choose_level(const float* where, const float* yes, const float* no, size_t no_step, float* y,
                  size_t n) {
  for (size_t i = 0; i < n; ++i) y[i] = where[i] != 0.0f ? yes[i] : no[i * no_step];
}

}  // namespace trainyard::sim::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace trainyard::sim {
namespace {

HWY_EXPORT(tiles_level);
HWY_EXPORT(number_level);
HWY_EXPORT(numbers_level);
HWY_EXPORT(number_tile_level);
HWY_EXPORT(choose_level);

void power(const AluStage& s, const float* a, const float* b, float* y, size_t n) {
  if (s.reverse) std::swap(a, b);
  numerics::apply(numerics::Math2::Pow, a, b, y, n);
}

}  // namespace

void alu_tiles(const AluStage& stage, const float* a, const float* b, float* y, size_t n) {
  if (stage.op == AluOp::Power) return power(stage, a, b, y, n);
  if (stage.op == AluOp::Rsqrt) return numerics::apply(numerics::Math::Rsqrt, a, y, n);
  TY_SIMD_DISPATCH(tiles_level)(stage, a, b, y, n);
}

void alu_number(const AluStage& stage, const float* a, float b, float* y, size_t n) {
  if (stage.op == AluOp::Rsqrt) return numerics::apply(numerics::Math::Rsqrt, a, y, n);
  if (stage.op != AluOp::Power) return TY_SIMD_DISPATCH(number_level)(stage, a, b, y, n);
  constexpr size_t kBlock = 256;
  float side[kBlock];
  std::fill_n(side, std::min(n, kBlock), b);
  for (size_t i = 0; i < n; i += kBlock) power(stage, a + i, side, y + i, std::min(kBlock, n - i));
}

void alu_numbers(const AluStage& first, float b0, const AluStage& second, float b1, const float* a,
                 float* y, size_t n) {
  if (TY_SIMD_DISPATCH(numbers_level)(first, b0, second, b1, a, y, n)) return;
  constexpr size_t kBlock = 1024;
  for (size_t i = 0; i < n; i += kBlock) {
    const size_t part = std::min(kBlock, n - i);
    alu_number(first, a + i, b0, y + i, part);
    if (second.op != AluOp::Bypass) alu_number(second, y + i, b1, y + i, part);
  }
}

void alu_number_tile(const AluStage& first, float b0, const AluStage& second, const float* b,
                     const float* a, float* y, size_t n) {
  if (TY_SIMD_DISPATCH(number_tile_level)(first, b0, second, b, a, y, n)) return;
  constexpr size_t kBlock = 512;
  float between[kBlock];  // y may be b
  for (size_t i = 0; i < n; i += kBlock) {
    const size_t part = std::min(kBlock, n - i);
    alu_number(first, a + i, b0, between, part);
    alu_tiles(second, between, b + i, y + i, part);
  }
}

void choose(const float* where, const float* yes, const float* no, size_t no_step, float* y,
            size_t n) {
  TY_SIMD_DISPATCH(choose_level)(where, yes, no, no_step, y, n);
}

float alu_one(const AluStage& stage, float a, float b) {
  float y;
  alu_tiles(stage, &a, &b, &y, 1);
  return y;
}

}  // namespace trainyard::sim
#endif  // HWY_ONCE
