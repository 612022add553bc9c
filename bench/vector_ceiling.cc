#include "vector_ceiling.h"

#include <immintrin.h>

#include <cmath>

namespace trainyard::bench {
namespace {

// exp(x) = 2^n * p(r), x = n ln 2 + r: the remainder in two steps, a polynomial of degree 6.
constexpr float kLog2e = 1.44269504f, kLn2High = 0.693359375f, kLn2Low = -2.12194440e-4f;
constexpr float kP[] = {1.9875691500e-4f, 1.3981999507e-3f, 8.3334519073e-3f,
                        4.1665795894e-2f, 1.6666665459e-1f, 5.0000001201e-1f};

__attribute__((target("avx512f"))) __m512 exp512(__m512 x) {
  x = _mm512_min_ps(_mm512_max_ps(x, _mm512_set1_ps(-87)), _mm512_set1_ps(88));
  const __m512 n = _mm512_roundscale_ps(_mm512_mul_ps(x, _mm512_set1_ps(kLog2e)), 0);
  __m512 r = _mm512_fnmadd_ps(n, _mm512_set1_ps(kLn2High), x);
  r = _mm512_fnmadd_ps(n, _mm512_set1_ps(kLn2Low), r);
  __m512 p = _mm512_set1_ps(kP[0]);
  for (int i = 1; i < 6; ++i) p = _mm512_fmadd_ps(p, r, _mm512_set1_ps(kP[i]));
  p = _mm512_fmadd_ps(p, _mm512_mul_ps(r, r), _mm512_add_ps(r, _mm512_set1_ps(1)));
  return _mm512_scalef_ps(p, n);
}

__attribute__((target("avx512f"))) void exp_avx512(const float* x, float* y, size_t n) {
  size_t i = 0;
  for (; i + 64 <= n; i += 64) {
    const __m512 a = exp512(_mm512_loadu_ps(x + i)), b = exp512(_mm512_loadu_ps(x + i + 16));
    const __m512 c = exp512(_mm512_loadu_ps(x + i + 32)), d = exp512(_mm512_loadu_ps(x + i + 48));
    _mm512_storeu_ps(y + i, a);
    _mm512_storeu_ps(y + i + 16, b);
    _mm512_storeu_ps(y + i + 32, c);
    _mm512_storeu_ps(y + i + 48, d);
  }
  for (; i < n; ++i) y[i] = std::exp(x[i]);
}

__attribute__((target("avx512f"))) void axpy_avx512(float a, const float* x, float* y, size_t n) {
  const __m512 va = _mm512_set1_ps(a);
  size_t i = 0;
  for (; i + 64 <= n; i += 64) {
    for (size_t j = 0; j < 64; j += 16) {
      const __m512 sum =
          _mm512_fmadd_ps(va, _mm512_loadu_ps(x + i + j), _mm512_loadu_ps(y + i + j));
      _mm512_storeu_ps(y + i + j, sum);
    }
  }
  for (; i < n; ++i) y[i] += a * x[i];
}

__attribute__((target("avx2,fma"))) void axpy_avx2(float a, const float* x, float* y, size_t n) {
  const __m256 va = _mm256_set1_ps(a);
  size_t i = 0;
  for (; i + 32 <= n; i += 32) {
    for (size_t j = 0; j < 32; j += 8) {
      const __m256 sum =
          _mm256_fmadd_ps(va, _mm256_loadu_ps(x + i + j), _mm256_loadu_ps(y + i + j));
      _mm256_storeu_ps(y + i + j, sum);
    }
  }
  for (; i < n; ++i) y[i] += a * x[i];
}

}  // namespace

void axpy(float a, const float* x, float* y, size_t n) {
  if (__builtin_cpu_supports("avx512f")) return axpy_avx512(a, x, y, n);
  if (__builtin_cpu_supports("avx2")) return axpy_avx2(a, x, y, n);
  for (size_t i = 0; i < n; ++i) y[i] += a * x[i];
}

void fast_exp(const float* x, float* y, size_t n) {
  if (__builtin_cpu_supports("avx512f")) return exp_avx512(x, y, n);
  for (size_t i = 0; i < n; ++i) y[i] = std::exp(x[i]);
}

}  // namespace trainyard::bench
