// Whole matmul programs (loads, accumulation in PSUM, eviction, stores) against the raw tile loop.
//
// A shared host changes its speed from minute to minute, so ours and the raw loop alternate inside
// one run: the program's own loop over independent iterations is handed out one index at a time,
// and after each index the raw loop gets the same share of its work. Seconds are CPU seconds of the
// thread.
#include <thread>

#include "gemm_ceiling.h"
#include "rows.h"

namespace trainyard::bench {
namespace {

struct Slices {
  double ours = 0, raw = 0;
};

// Runs the program once; after a share of it, the same share of the raw loop.
Slices alternate(const runtime::Kernel& kernel, const Bound& bound, RawTileLoop& raw,
                 int64_t parts) {
  Slices s;
  int64_t done = 0;
  size_t raw_done = 0;
  const auto raw_up_to = [&](int64_t part) {
    const size_t end =
        raw.tiles() * static_cast<size_t>(std::min(part, parts)) / static_cast<size_t>(parts);
    const double start = thread_seconds();
    if (end > raw_done) raw.run(raw_done, end, 0);
    s.raw += thread_seconds() - start;
    raw_done = end;
  };
  double raw_inside = 0;
  const sim::ParallelFor parallel{1, [&](int64_t n, const std::function<void(int64_t, int)>& work) {
                                    for (int64_t i = 0; i < n; ++i) {
                                      work(i, 0);
                                      const double before = s.raw;
                                      raw_up_to(++done);
                                      raw_inside += s.raw - before;
                                    }
                                  }};
  const double start = thread_seconds();
  const Result<runtime::RunResult> r =
      kernel.run(bound.bindings(), {.mode = runtime::Mode::Both}, parallel);
  s.ours = thread_seconds() - start - raw_inside;
  must(r.ok() ? Status() : r.status());
  raw_up_to(parts);
  return s;
}

// How many indices the program hands out in one run.
int64_t count_parts(const runtime::Kernel& kernel, const Bound& bound) {
  int64_t parts = 0;
  const sim::ParallelFor counting{1, [&](int64_t n, const std::function<void(int64_t, int)>& work) {
                                    for (int64_t i = 0; i < n; ++i) work(i, 0);
                                    parts += n;
                                  }};
  const auto r = kernel.run(bound.bindings(), {.mode = runtime::Mode::Values}, counting);
  must(r.ok() ? Status() : r.status());
  return std::max<int64_t>(1, parts);
}

constexpr const char* kFp32 = R"(program matmul_fp32 target trn2
lhsT: hbm f32[2048,2048] in
rhs: hbm f32[2048,2048] in
out: hbm f32[2048,2048] out
repeat mb 4 {
  a: sbuf f32[128,16,512]
  repeat ka 16 { lda: dma_copy a[:,ka,:] <- lhsT[128*ka+:128, 512*mb+:512] }
  repeat nb 4 {
    b: sbuf f32[128,16,512]
    repeat kb 16 { ldb: dma_copy b[:,kb,:] <- rhs[128*kb+:128, 512*nb+:512] }
    repeat m 4 {
      p: psum f32[128,512]
      c: sbuf f32[128,512]
      repeat k 16 { mm: nc_matmul p <- a[:,k,128*m+:128], b[:,k,:] }
      ev: tensor_copy c <- p
      st: dma_copy out[512*mb+128*m+:128, 512*nb+:512] <- c
    }
  }
})";

double two_thread_seconds(const runtime::Kernel& kernel, const Bound& bound) {
  const sim::ParallelFor two{2, [](int64_t n, const std::function<void(int64_t, int)>& work) {
                               std::thread other([&] {
                                 for (int64_t i = n / 2; i < n; ++i) work(i, 1);
                               });
                               for (int64_t i = 0; i < n / 2; ++i) work(i, 0);
                               other.join();
                             }};
  const double start = wall_seconds();
  const auto r = kernel.run(bound.bindings(), {.mode = runtime::Mode::Values}, two);
  must(r.ok() ? Status() : r.status());
  return wall_seconds() - start;
}

double one_thread_seconds(const runtime::Kernel& kernel, const Bound& bound) {
  const double start = wall_seconds();
  const auto r = kernel.run(bound.bindings(), {.mode = runtime::Mode::Values});
  must(r.ok() ? Status() : r.status());
  return wall_seconds() - start;
}

}  // namespace

std::vector<Row> matmul_rows() {
  std::vector<Row> rows;
  const runtime::Kernel bf16 = must(load_example("matmul"));
  const Bound bound(bf16.program());
  const RawUnit* unit = best_raw_unit();
  if (unit != nullptr) {
    RawTileLoop raw(*unit, 4096, 1);
    const int64_t parts = count_parts(bf16, bound);
    std::vector<double> ours, ceiling, ratio;
    for (int i = 0; i < 5; ++i) {
      const Slices s = alternate(bf16, bound, raw, parts);
      ours.push_back(s.ours);
      ceiling.push_back(s.raw);
      ratio.push_back(s.ours / s.raw);
    }
    rows.push_back({"matmul 4096^3 bf16, values + time, over the raw tile loop", median(ours),
                    median(ceiling), "s", median(ratio), 1.3, false, std::string(unit->name)});
    RawTileLoop raw2(*unit, 4096, 2);
    std::vector<double> gain, raw_gain, share;
    for (int i = 0; i < 3; ++i) {
      const double one = one_thread_seconds(bf16, bound), two = two_thread_seconds(bf16, bound);
      const double r1 = raw.seconds(), r2 = raw2.seconds();
      gain.push_back(one / two);
      raw_gain.push_back(r1 / r2);
      share.push_back(gain.back() / raw_gain.back());
    }
    rows.push_back({"matmul 4096^3 bf16, gain of two threads, of the raw loop's", median(gain),
                    median(raw_gain), "x", median(share), 0.85, true,
                    "wall time: needs a quiet host"});
  }
  const runtime::Kernel fp32 = must(load_text(kFp32, "matmul_fp32"));
  const Bound fp32_bound(fp32.program());
  std::vector<double> ours, peak, ratio;
  for (int i = 0; i < 5; ++i) {
    const double start = thread_seconds();
    const auto r = fp32.run(fp32_bound.bindings(), {.mode = runtime::Mode::Values});
    must(r.ok() ? Status() : r.status());
    ours.push_back(2.0 * 2048 * 2048 * 2048 / (thread_seconds() - start) / 1e9);
    peak.push_back(fma_peak() / 1e9);
    ratio.push_back(ours.back() / peak.back());
  }
  rows.push_back({"matmul 2048^3 fp32, values, of FMA peak", median(ours), median(peak), "GFLOP/s",
                  median(ratio), 0.70, true, ""});
  return rows;
}

}  // namespace trainyard::bench
