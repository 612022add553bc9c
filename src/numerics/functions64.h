#pragma once
// The elementary functions of GpSimd programs, on contiguous f64 and fp32.
//
// Accuracy: f64 within 4 ulp, fp32 within 2 ulp of the exact value. Measured: f64 at most 3.1
// (erfc), half of them below 1; fp32 0.6, exp 1.1; see docs/reports/functions.md. Arguments of sin,
// cos and tan are reduced exactly, whatever their size. Denormal inputs and results are kept.
//
// Bits: the same on every host path, for every n and alignment; no libm result enters. A NaN that
// comes out is always the positive quiet NaN without payload. Special values are those of IEEE 754
// and C: pow(x, 0) = pow(1, y) = 1, pow(-8, 1/3) = NaN, atan2(+0, -0) = pi, erf_inv(+-1) = +-Inf.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace trainyard::numerics {

enum class Math : uint8_t {
  Sqrt,
  Rsqrt,
  Cbrt,
  Exp,
  Expm1,
  Log,
  Log1p,
  Sin,
  Cos,
  Tan,
  Tanh,
  Logistic,
  Erf,
  Erfc,
  ErfInv,
};

// Functions of two arguments, in C's order: atan2(y, x), pow(base, exponent).
enum class Math2 : uint8_t { Atan2, Pow };

std::span<const Math> all_math();
std::span<const Math2> all_math2();

// "expm1", "erf_inv", "atan2". The parse functions are the inverse; nothing for an unknown name.
std::string_view name(Math f);
std::string_view name(Math2 f);
std::optional<Math> parse_math(std::string_view name);
std::optional<Math2> parse_math2(std::string_view name);

// y[i] = f(x[i]) for i < n. x and y are equal or do not overlap; any alignment.
void apply(Math f, const double* x, double* y, size_t n);
void apply(Math f, const float* x, float* y, size_t n);

// y[i] = f(a[i], b[i]) for i < n. y equals a, equals b, or overlaps neither.
void apply(Math2 f, const double* a, const double* b, double* y, size_t n);
void apply(Math2 f, const float* a, const float* b, float* y, size_t n);

}  // namespace trainyard::numerics
