// Accuracy and speed of numerics/functions as the tables of docs/reports/functions.md.
// Usage: functions_report [stride], default 1021: every how-many-th fp32 pattern is measured.
#include <fmt/format.h>
#include <immintrin.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "numerics/functions/oracle.h"
#include "numerics/functions/oracle64.h"
#include "numerics/simd.h"

namespace trainyard::bench {
namespace {

using namespace numerics;

constexpr size_t kTile = 128 * 512;
constexpr size_t kSamples = 1'000'000;

// Best seconds per call. The runs are so short, 0.2 ms, that most of them meet no other process.
template <class Work>
double best_seconds(Work work) {
  using Clock = std::chrono::steady_clock;
  const auto seconds = [&](int calls) {
    const auto start = Clock::now();
    for (int i = 0; i < calls; ++i) work();
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  const int calls = std::max(1, static_cast<int>(2e-4 / std::max(seconds(1), 1e-7)));
  double best = 1e9;
  for (int i = 0; i < 150; ++i) best = std::min(best, seconds(calls) / calls);
  return best;
}

// The shortest e^x that deserves the name: no NaN, no care for the last bit. The host's ceiling.
__attribute__((target("avx512f"))) void exp_ceiling(const float* x, float* y, size_t n) {
  const auto c = [](float v) __attribute__((target("avx512f"))) { return _mm512_set1_ps(v); };
  for (size_t i = 0; i < n; i += 16) {
    __m512 v = _mm512_loadu_ps(x + i);
    v = _mm512_max_ps(_mm512_min_ps(v, c(88.7f)), c(-104.0f));
    const __m512 k = _mm512_roundscale_ps(_mm512_mul_ps(v, c(1.44269504f)), 0);
    __m512 r = _mm512_fnmadd_ps(k, c(0.693145752f), v);
    r = _mm512_fnmadd_ps(k, c(1.42860677e-6f), r);
    __m512 p = c(1.0f / 5040);
    for (const float a : {1.0f / 720, 1.0f / 120, 1.0f / 24, 1.0f / 6, 0.5f}) {
      p = _mm512_fmadd_ps(p, r, c(a));
    }
    p = _mm512_fmadd_ps(p, _mm512_mul_ps(r, r), _mm512_add_ps(r, c(1.0f)));
    _mm512_storeu_ps(y + i, _mm512_scalef_ps(p, k));
  }
}

std::vector<Simd> host_levels() {
  std::vector<Simd> levels;
  for (const Simd level : {Simd::Avx512, Simd::Avx2, Simd::Scalar}) {
    if (level <= host_simd()) levels.push_back(level);
  }
  return levels;
}

template <class T>
std::vector<T> tile_values(bool positive) {
  std::vector<T> x(kTile);
  uint32_t state = 1;
  for (T& v : x) {
    state = state * 1664525 + 1013904223;
    v = static_cast<T>(state) * T(0x1p-32) * 20 - (positive ? T(-0.001) : T(10));
  }
  return x;
}

// "5.12 | 2.60 | 0.22": elements per nanosecond at each level.
template <class Run>
std::string speeds(Run run) {
  std::string row;
  for (const Simd level : host_levels()) {
    if (!force_simd(level).ok()) continue;
    row += fmt::format(" {:.3g} |", kTile / best_seconds(run) * 1e-9);
  }
  unforce_simd();
  return row;
}

template <class T>
std::string speeds_of(Math f) {
  const bool positive = f == Math::Log || f == Math::Sqrt || f == Math::Rsqrt;
  std::vector<T> x = tile_values<T>(positive), y(kTile);
  if (f == Math::ErfInv) std::transform(x.begin(), x.end(), x.begin(), [](T v) { return v / 10; });
  return speeds([&] { apply(f, x.data(), y.data(), kTile); });
}

template <class T>
std::string speeds_of(Math2 f) {
  const std::vector<T> a = tile_values<T>(true), b = tile_values<T>(false);
  std::vector<T> y(kTile);
  return speeds([&] { apply(f, a.data(), b.data(), y.data(), kTile); });
}

void print_activations(uint64_t stride) {
  fmt::print("| function | max error, ulp | at | Gelem/s AVX-512 | AVX2 | scalar |\n");
  fmt::print("|---|---:|---:|---:|---:|---:|\n");
  for (const Function f : all_functions()) {
    const oracle::Worst worst = oracle::measure_patterns(f, 0, uint64_t{1} << 32, stride);
    const bool positive = f == Function::Log || f == Function::Sqrt || f == Function::Rsqrt;
    const std::vector<float> x = tile_values<float>(positive);
    std::vector<float> y(kTile);
    const std::string fast = speeds([&] { apply(f, x.data(), y.data(), kTile, oracle::kSlope); });
    fmt::print("| {} | {:.3f} | {:.9g} |{}\n", name(f), worst.ulp, worst.x, fast);
  }
}

template <class T>
double error(Math f) {
  return oracle::measure<T>(f, oracle::sample<T>(kSamples, 1)).ulp;
}

template <class T>
double error(Math2 f) {
  const std::vector<T> a = oracle::sample<T>(kSamples, 1), b = oracle::sample<T>(kSamples + 1, 2);
  return std::max(oracle::measure<T>(f, a, std::span(b).first(kSamples)).ulp,
                  oracle::measure<T>(f, a, std::span(b).subspan(1)).ulp);
}

template <class F>
void print_math_row(F f) {
  fmt::print("| {} | {:.3f} |{} {:.3f} |{}\n", name(f), error<double>(f), speeds_of<double>(f),
             error<float>(f), speeds_of<float>(f));
}

void print_math() {
  fmt::print("\n| function | f64: ulp | AVX-512 | AVX2 | scalar | fp32: ulp | AVX-512 | AVX2 |");
  fmt::print(" scalar |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|\n");
  for (const Math f : all_math()) print_math_row(f);
  for (const Math2 f : all_math2()) print_math_row(f);
}

// In turns, so that a change of the clock hits both alike.
void print_exp_share() {
  if (host_simd() < Simd::Avx512) return;
  const std::vector<float> x = tile_values<float>(false);
  std::vector<float> y(kTile);
  double ours = 1e9, ceiling = 1e9;
  for (int turn = 0; turn < 5; ++turn) {
    ceiling = std::min(ceiling, best_seconds([&] { exp_ceiling(x.data(), y.data(), kTile); }));
    ours = std::min(ours, best_seconds([&] { apply(Function::Exp, x.data(), y.data(), kTile); }));
  }
  fmt::print("\nexp: {:.2f} Gelem/s of {:.2f} (AVX-512 polynomial, same run): {:.0f} %\n",
             kTile / ours * 1e-9, kTile / ceiling * 1e-9, 100 * ceiling / ours);
}

}  // namespace
}  // namespace trainyard::bench

int main(int argc, char** argv) {
  const uint64_t stride = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1021;
  if (stride == 0) {
    fmt::print(stderr, "functions_report: the stride must be a number from 1 on\n");
    return 1;
  }
  trainyard::bench::print_activations(stride);
  trainyard::bench::print_math();
  trainyard::bench::print_exp_share();
  return 0;
}
