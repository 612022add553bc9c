// The raw kernels of gemm_ceiling.h, one per unit of the host, and the peak of each unit.
#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "gemm_ceiling.h"

#define BENCH_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#define BENCH_BF16 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512bf16")))
#if defined(__clang__)
#define BENCH_UNROLL _Pragma("unroll")
#else
#define BENCH_UNROLL _Pragma("GCC unroll 16")
#endif

namespace trainyard::bench {
namespace {

constexpr size_t kM = 128;
constexpr size_t kN = 512;
constexpr size_t kK = 128;
constexpr size_t kRows = 8;    // of a register block
constexpr size_t kPanel = 48;  // columns of a register block; 512 = 10 * 48 + 32

// Fetches a share of the panel that comes next while the block at row m is computed. After the last
// panel that is the next instruction's first.
inline void prefetch_share(const uint32_t* moving, const void* next_moving, size_t n, size_t m,
                           size_t steps) {
  constexpr size_t kBlocks = kM / kRows;
  const uint32_t* panel =
      n + kPanel < kN ? moving + (n + kPanel) * steps : static_cast<const uint32_t*>(next_moving);
  const size_t share = kPanel * steps / kBlocks;
  for (size_t i = 0; i < share; i += 16) __builtin_prefetch(panel + m / kRows * share + i);
}

// ---- AVX-512: panels word[m / 8][k][m % 8] and word[n / 48][k][n % 48] of fp32, or bf16 pairs.

template <int Vectors>
BENCH_BF16 void bf16_block(const uint32_t* a, const uint32_t* b, float* c, size_t pitch,
                           bool accumulate) {
  __m512 sum[kRows][Vectors];
  BENCH_UNROLL for (size_t i = 0; i < kRows; ++i) {
    BENCH_UNROLL for (int j = 0; j < Vectors; ++j) {
      sum[i][j] = accumulate ? _mm512_loadu_ps(c + i * pitch + 16 * j) : _mm512_setzero_ps();
    }
  }
  for (size_t k = 0; k < kK / 2; ++k, a += kRows, b += 16 * Vectors) {
    __m512i x[Vectors];
    BENCH_UNROLL for (int j = 0; j < Vectors; ++j) { x[j] = _mm512_load_si512(b + 16 * j); }
    BENCH_UNROLL for (size_t i = 0; i < kRows; ++i) {
      const __m512i w = _mm512_set1_epi32(static_cast<int>(a[i]));
      BENCH_UNROLL for (int j = 0; j < Vectors; ++j) {
        sum[i][j] = _mm512_dpbf16_ps(sum[i][j], (__m512bh)w, (__m512bh)x[j]);
      }
    }
  }
  BENCH_UNROLL for (size_t i = 0; i < kRows; ++i) {
    BENCH_UNROLL for (int j = 0; j < Vectors; ++j) {
      _mm512_storeu_ps(c + i * pitch + 16 * j, sum[i][j]);
    }
  }
}

BENCH_BF16 void bf16_matmul(const void* stationary, const void* moving, const void* next_moving,
                            float* psum, size_t pitch, bool accumulate) {
  const auto* a = static_cast<const uint32_t*>(stationary);
  const auto* b = static_cast<const uint32_t*>(moving);
  constexpr size_t kSteps = kK / 2;
  for (size_t n = 0; n < kN; n += kPanel)
    for (size_t m = 0; m < kM; m += kRows) {
      float* c = psum + m * pitch + n;
      prefetch_share(b, next_moving, n, m, kSteps);
      if (n + kPanel <= kN)
        bf16_block<3>(a + m * kSteps, b + n * kSteps, c, pitch, accumulate);
      else
        bf16_block<2>(a + m * kSteps, b + n * kSteps, c, pitch, accumulate);
    }
}

template <int Vectors>
BENCH_AVX512 void fma_block(const float* a, const float* b, float* c, size_t pitch,
                            bool accumulate) {
  __m512 sum[kRows][Vectors];
  BENCH_UNROLL for (size_t i = 0; i < kRows; ++i) {
    BENCH_UNROLL for (int j = 0; j < Vectors; ++j) {
      sum[i][j] = accumulate ? _mm512_loadu_ps(c + i * pitch + 16 * j) : _mm512_setzero_ps();
    }
  }
  for (size_t k = 0; k < kK; ++k, a += kRows, b += 16 * Vectors) {
    __m512 x[Vectors];
    BENCH_UNROLL for (int j = 0; j < Vectors; ++j) { x[j] = _mm512_load_ps(b + 16 * j); }
    BENCH_UNROLL for (size_t i = 0; i < kRows; ++i) {
      const __m512 w = _mm512_set1_ps(a[i]);
      BENCH_UNROLL for (int j = 0; j < Vectors; ++j) {
        sum[i][j] = _mm512_fmadd_ps(w, x[j], sum[i][j]);
      }
    }
  }
  BENCH_UNROLL for (size_t i = 0; i < kRows; ++i) {
    BENCH_UNROLL for (int j = 0; j < Vectors; ++j) {
      _mm512_storeu_ps(c + i * pitch + 16 * j, sum[i][j]);
    }
  }
}

BENCH_AVX512 void fma_matmul(const void* stationary, const void* moving, const void* next_moving,
                             float* psum, size_t pitch, bool accumulate) {
  const auto* a = static_cast<const float*>(stationary);
  const auto* b = static_cast<const float*>(moving);
  for (size_t n = 0; n < kN; n += kPanel)
    for (size_t m = 0; m < kM; m += kRows) {
      float* c = psum + m * pitch + n;
      prefetch_share(static_cast<const uint32_t*>(moving), next_moving, n, m, kK);
      if (n + kPanel <= kN)
        fma_block<3>(a + m * kK, b + n * kK, c, pitch, accumulate);
      else
        fma_block<2>(a + m * kK, b + n * kK, c, pitch, accumulate);
    }
}

// ---- AMX: tiles of 16 x 64 bytes, [m / 16][k / 32] and [n / 16][k / 32].

struct alignas(64) TileConfig {
  uint8_t palette = 1;
  uint8_t start_row = 0;
  uint8_t reserved[14] = {};
  uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};
constexpr TileConfig kTileConfig;

#define TILE_LOAD(t, from, stride) \
  asm volatile("tileloadd (%0,%1,1), %%tmm" #t ::"r"(from), "r"(stride) : "memory")
#define TILE_STORE(t, to, stride) \
  asm volatile("tilestored %%tmm" #t ", (%0,%1,1)" ::"r"(to), "r"(stride) : "memory")
#define TILE_ZERO(t) asm volatile("tilezero %%tmm" #t ::)
#define TILE_DOT(c, a, b) asm volatile("tdpbf16ps %%tmm" #b ", %%tmm" #a ", %%tmm" #c ::)

void amx_enter() { asm volatile("ldtilecfg %0" ::"m"(kTileConfig)); }

void amx_matmul(const void* stationary, const void* moving, const void*, float* psum, size_t pitch,
                bool accumulate) {
  constexpr size_t kTile = 1024;               // bytes
  constexpr size_t kStripe = kK / 32 * kTile;  // tiles along k
  constexpr size_t kRowBytes = 64;
  const size_t stride = pitch * sizeof(float);
  for (size_t n = 0; n < kN; n += 32)
    for (size_t m = 0; m < kM; m += 32) {
      float* c = psum + m * pitch + n;
      float* lower = c + 16 * pitch;
      if (accumulate) {
        TILE_LOAD(0, c, stride);
        TILE_LOAD(1, c + 16, stride);
        TILE_LOAD(2, lower, stride);
        TILE_LOAD(3, lower + 16, stride);
      } else {
        TILE_ZERO(0);
        TILE_ZERO(1);
        TILE_ZERO(2);
        TILE_ZERO(3);
      }
      const auto* a = static_cast<const std::byte*>(stationary) + m / 16 * kStripe;
      const auto* b = static_cast<const std::byte*>(moving) + n / 16 * kStripe;
      for (size_t k = 0; k < kK / 32; ++k, a += kTile, b += kTile) {
        TILE_LOAD(4, a, kRowBytes);
        TILE_LOAD(6, b, kRowBytes);
        TILE_DOT(0, 4, 6);
        TILE_LOAD(5, a + kStripe, kRowBytes);
        TILE_DOT(2, 5, 6);
        TILE_LOAD(7, b + kStripe, kRowBytes);
        TILE_DOT(1, 4, 7);
        TILE_DOT(3, 5, 7);
      }
      TILE_STORE(0, c, stride);
      TILE_STORE(1, c + 16, stride);
      TILE_STORE(2, lower, stride);
      TILE_STORE(3, lower + 16, stride);
    }
}

// ---- What the host has. Asked here and not through numerics/simd.h: a ceiling is the host's.

void no_setup() {}

bool has_amx() {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  if (!__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx)) return false;
  const bool bf16 = (edx >> 22 & 1) != 0;
  const bool tiles = (edx >> 24 & 1) != 0;
  constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long kTileData = 18;
  return bf16 && tiles && syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

bool has_avx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

bool has_avx512_bf16() { return has_avx512() && __builtin_cpu_supports("avx512bf16"); }

constexpr RawUnit kAmx{"amx-bf16", 2, amx_enter, amx_matmul};
constexpr RawUnit kBf16{"avx512-bf16", 2, no_setup, bf16_matmul};
constexpr RawUnit kFma{"avx512", 4, no_setup, fma_matmul};

// ---- Peaks: 16 independent sums, no memory.

constexpr long kPeakSteps = 200'000;

BENCH_AVX512 __attribute__((noinline)) float fma_steps(float seed) {
  __m512 sum[16];
  for (auto& x : sum) x = _mm512_set1_ps(seed += 0.01f);
  const __m512 factor = _mm512_set1_ps(0.999f);
  const __m512 term = _mm512_set1_ps(0.001f);
  for (long i = 0; i < kPeakSteps; ++i) {
    BENCH_UNROLL for (auto& x : sum) { x = _mm512_fmadd_ps(x, factor, term); }
  }
  for (auto& x : sum) sum[0] = _mm512_add_ps(sum[0], x);
  return _mm512_cvtss_f32(sum[0]);
}

BENCH_BF16 __attribute__((noinline)) float dot_steps(float seed) {
  __m512 sum[16];
  for (auto& x : sum) x = _mm512_set1_ps(seed += 0.01f);
  const __m512i one = _mm512_set1_epi16(0x3f80);
  const __m512i small = _mm512_set1_epi16(0x3080);
  for (long i = 0; i < kPeakSteps; ++i) {
    BENCH_UNROLL for (auto& x : sum) { x = _mm512_dpbf16_ps(x, (__m512bh)one, (__m512bh)small); }
  }
  for (auto& x : sum) sum[0] = _mm512_add_ps(sum[0], x);
  return _mm512_cvtss_f32(sum[0]);
}

float amx_steps(float) {
  amx_enter();
  for (long i = 0; i < kPeakSteps / 4; ++i) {
    TILE_DOT(0, 4, 6);
    TILE_DOT(1, 4, 7);
    TILE_DOT(2, 5, 6);
    TILE_DOT(3, 5, 7);
  }
  return 0;
}

// FLOP/s of a function that does `flops`; the best of 20.
double best_rate(float (*steps)(float), double flops) {
  volatile float sink = 1.0f;
  double best = 0;
  for (int i = 0; i < 20; ++i) {
    const auto start = std::chrono::steady_clock::now();
    sink = steps(sink * 1e-6f);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    best = std::max(best, flops / took.count());
  }
  return best;
}

}  // namespace

double fma_peak() { return has_avx512() ? best_rate(fma_steps, kPeakSteps * 16.0 * 16 * 2) : 0; }

double bf16_dot_peak() {
  return has_avx512_bf16() ? best_rate(dot_steps, kPeakSteps * 16.0 * 32 * 2) : 0;
}

double amx_peak() { return has_amx() ? best_rate(amx_steps, kPeakSteps * 16.0 * 16 * 32 * 2) : 0; }

static const RawUnit* find_best_unit() {
  if (has_amx()) return &kAmx;
  if (!has_avx512()) return nullptr;
  return bf16_dot_peak() > fma_peak() ? &kBf16 : &kFma;  // the dot is the slower one on Intel
}

const RawUnit* best_raw_unit() {
  static const RawUnit* const unit = find_best_unit();
  return unit;
}

}  // namespace trainyard::bench
