#include "numerics/convert.h"

#include <algorithm>
#include <cstring>

#include "numerics/convert_run.h"

namespace trainyard::numerics {
namespace {

const std::byte* bytes(const void* p) { return static_cast<const std::byte*>(p); }
std::byte* bytes(void* p) { return static_cast<std::byte*>(p); }

}  // namespace

void widen(Dtype from, const void* src, float* dst, size_t n) {
  if (n == 0) return;
  if (from == Dtype::F32) {
    std::memcpy(dst, src, n * sizeof(float));
    return;
  }
  widen_run(from, src, dst, n);
}

void narrow(Dtype to, const float* src, void* dst, size_t n, const ConvertOptions& options) {
  if (n == 0) return;
  if (to == Dtype::F32 && !options.ftz) {
    std::memcpy(dst, src, n * sizeof(float));
    return;
  }
  if (options.rounding.mode == Rounding::NearestEven) {
    const bool by_host = to == Dtype::BF16 && !options.ftz && host_narrows_bf16();
    return by_host ? narrow_bf16_on_host(src, dst, n) : narrow_run(to, src, dst, n, options);
  }
  // The key of the random bits changes where the low half of the counter wraps.
  ConvertOptions part = options;
  while (n > 0) {
    const uint64_t until_wrap = (uint64_t{1} << 32) - (part.rounding.counter & 0xFFFFFFFFu);
    const size_t run = std::min<uint64_t>(n, until_wrap);
    narrow_run(to, src, dst, run, part);
    src += run;
    dst = bytes(dst) + run * size_of(to);
    part.rounding.counter += run;
    n -= run;
  }
}

void convert(Dtype from, const void* src, Dtype to, void* dst, size_t n,
             const ConvertOptions& options) {
  if (n == 0) return;
  if (from == to) {
    std::memcpy(dst, src, n * size_of(from));
    return;
  }
  constexpr size_t kBlock = 1024;  // 4 KiB: stays in the first-level cache with source and result
  alignas(64) float wide[kBlock];
  ConvertOptions part = options;
  while (n > 0) {
    const size_t run = std::min(n, kBlock);
    widen(from, src, wide, run);
    narrow(to, wide, dst, run, part);
    src = bytes(src) + run * size_of(from);
    dst = bytes(dst) + run * size_of(to);
    part.rounding.counter += run;
    n -= run;
  }
}

}  // namespace trainyard::numerics
