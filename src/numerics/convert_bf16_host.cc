// fp32 to bf16 on hosts with AVX512-BF16. The host's instruction rounds to nearest even as we do,
// but takes subnormals for zero and keeps the payload of a NaN. So it does the blocks that hold
// neither, and the integer code does the others: the same bits at 2.8 times the speed in the
// first-level cache, 1.6 times in the second (31 against 11 and 17.9 against 10.8 elements per ns
// on a Zen 4).
#include "numerics/convert_run.h"
#include "numerics/simd.h"

#if defined(__x86_64__)
#include <immintrin.h>

namespace trainyard::numerics {
namespace {

constexpr size_t kBlock = 32;

#define TY_BF16_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512bf16")))

TY_BF16_TARGET void narrow_blocks(const float* src, uint16_t* dst, size_t blocks) {
  constexpr int kNanOrSubnormal = 0x01 | 0x20 | 0x80;
  for (size_t i = 0; i < blocks * kBlock; i += kBlock) {
    const __m512 low = _mm512_loadu_ps(src + i);
    const __m512 high = _mm512_loadu_ps(src + i + kBlock / 2);
    const __mmask16 odd_low = _mm512_fpclass_ps_mask(low, kNanOrSubnormal);
    const __mmask16 odd_high = _mm512_fpclass_ps_mask(high, kNanOrSubnormal);
    if ((odd_low | odd_high) == 0) [[likely]] {
      const __m512bh codes = _mm512_cvtne2ps_pbh(high, low);
      _mm512_storeu_si512(dst + i, reinterpret_cast<const __m512i&>(codes));
    } else {
      narrow_run(Dtype::BF16, src + i, dst + i, kBlock, {});
    }
  }
}

}  // namespace

bool host_narrows_bf16() {
  if (active_simd() < Simd::Avx512 || !host_units().avx512_bf16) return false;
  // In this mode of the thread the test for subnormals takes them for zero too.
  constexpr unsigned kDenormalsAreZero = 0x40;
  return (_mm_getcsr() & kDenormalsAreZero) == 0;
}

void narrow_bf16_on_host(const float* src, void* dst, size_t n) {
  auto* codes = static_cast<uint16_t*>(dst);
  const size_t blocks = n / kBlock;
  const size_t done = blocks * kBlock;
  narrow_blocks(src, codes, blocks);
  if (done < n) narrow_run(Dtype::BF16, src + done, codes + done, n - done, {});
}

}  // namespace trainyard::numerics

#else

namespace trainyard::numerics {

bool host_narrows_bf16() { return false; }

void narrow_bf16_on_host(const float* src, void* dst, size_t n) {
  narrow_run(Dtype::BF16, src, dst, n, {});
}

}  // namespace trainyard::numerics

#endif
