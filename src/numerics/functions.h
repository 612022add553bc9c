#pragma once
// The activation functions of the Scalar engine, on contiguous fp32.
//
// Accuracy: within 2 ulp of the exact value for every fp32 input, inside and outside the valid
// range, except sin outside [-pi, pi] (below). Most are within 0.6 ulp: docs/reports/functions.md
// has the measured table. copy, square, relu, prelu, sqrt, reciprocal, sign and abs are rounded
// correctly. Denormal inputs and results are kept.
//
// Bits: the same on every host path (scalar, AVX2, AVX-512) and for every n and alignment. No libm
// result enters. A NaN that comes out is always 0x7FC00000; only copy keeps the payload.
//
// Outside the valid range the engine's result is invalid, ours is defined:
//   sin                   sign(x) * (d^3 / 6 - d) with d = |x| - pi: the cubic of the last piece,
//   so
//                         sin(9) = 27.65 as the vendor shows; +-Inf gives +-Inf
//   log                   log(+-0) = -Inf, log(x < 0) = NaN, log(+Inf) = +Inf
//   sqrt, rsqrt           NaN below zero; sqrt(-0) = -0, rsqrt(+-0) = +-Inf, rsqrt(+Inf) = 0
//   reciprocal            IEEE 1/x: 1/+-0 = +-Inf
//   arctan                atan on the whole line
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace trainyard::numerics {

enum class Function : uint8_t {
  Copy,
  Square,
  Sigmoid,
  Relu,
  Prelu,
  Gelu,
  GeluDx,
  GeluApprxTanh,
  GeluApprxSigmoid,
  GeluApprxSigmoidDx,
  Silu,
  SiluDx,
  Tanh,
  Softplus,
  Mish,
  Erf,
  ErfDx,
  Exp,
  Log,
  Sin,
  Arctan,
  Sqrt,
  Rsqrt,
  Reciprocal,
  Sign,
  Abs,
};

// All of them, in the order of the enum.
std::span<const Function> all_functions();

// NKI's name: "gelu_apprx_tanh". parse_function is its inverse; nothing for an unknown name.
std::string_view name(Function f);
std::optional<Function> parse_function(std::string_view name);

// y[i] = f(x[i]) for i < n. x and y are equal or do not overlap; any alignment. `param` is the
// slope of prelu for x < 0; the others ignore it.
void apply(Function f, const float* x, float* y, size_t n, float param = 0);

// The inputs for which the engine's tables are valid: lo <= x <= hi, or lo <= |x| <= hi where
// `magnitude` is set. Bounds that are not fp32 numbers (pi) are rounded to nearest.
struct InputRange {
  float lo;
  float hi;
  bool magnitude;
};

// [nki-isa activation]; -Inf..+Inf where the document says "all".
InputRange valid_range(Function f);

// A NaN is in range: it gives NaN, on the engine as here.
bool in_valid_range(Function f, float x);

}  // namespace trainyard::numerics
