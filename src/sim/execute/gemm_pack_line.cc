// Plain and AVX-512 versions of the packing loops. The plain ones serve hosts that have no bf16
// unit and therefore never pack bf16 outside of tests.
#include "sim/execute/gemm_pack_line.h"

#include <immintrin.h>

#include "sim/execute/gemm_unit.h"

#define TY_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))

namespace trainyard::sim {
namespace {

// 16 words, or fewer and zeros.
TY_AVX512 __attribute__((always_inline)) inline __m512i pairs(const uint16_t* low,
                                                              const uint16_t* high, size_t count) {
  const auto mask = static_cast<__mmask16>(count < 16 ? 0xffffu >> (16 - count) : 0xffffu);
  const __m512i a = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(mask, low));
  const __m512i b = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(mask, high));
  return _mm512_or_si512(a, _mm512_slli_epi32(b, 16));
}

template <size_t Piece>
TY_AVX512 void interleave_avx512(const uint16_t* low, const uint16_t* high, size_t count,
                                 PieceTarget to) {
  for (size_t i = 0; i < count; i += 16) {
    const __m512i words = pairs(low + i, high + i, count - i);
    uint32_t* piece = to.words + i / Piece * to.stride + i % Piece;
    if constexpr (Piece >= 16) {
      _mm512_storeu_si512(piece, words);
    } else {
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(piece), _mm512_castsi512_si256(words));
      if (count - i > Piece)
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(piece + to.stride),
                            _mm512_extracti64x4_epi64(words, 1));
    }
  }
}

// The 128 entries fill four registers; two lookups of 64 entries each, and bit 6 picks one.
TY_AVX512 void widen_codes_avx512(const Bf16OfCode& table, const uint8_t* codes, size_t count,
                                  uint16_t* bf16) {
  const __m512i t0 = _mm512_loadu_si512(table.data());
  const __m512i t1 = _mm512_loadu_si512(table.data() + 32);
  const __m512i t2 = _mm512_loadu_si512(table.data() + 64);
  const __m512i t3 = _mm512_loadu_si512(table.data() + 96);
  const __m512i upper_half = _mm512_set1_epi16(0x40);
  const __m512i sign = _mm512_set1_epi16(static_cast<short>(0x8000));
  for (size_t i = 0; i < count; i += 32) {
    const size_t left = count - i;
    const auto mask = static_cast<__mmask32>(left < 32 ? 0xffffffffu >> (32 - left) : 0xffffffffu);
    const __m512i code = _mm512_cvtepu8_epi16(_mm256_maskz_loadu_epi8(mask, codes + i));
    const __m512i low = _mm512_permutex2var_epi16(t0, code, t1);
    const __m512i high = _mm512_permutex2var_epi16(t2, code, t3);
    const __mmask32 is_high = _mm512_test_epi16_mask(code, upper_half);
    const __m512i magnitude = _mm512_mask_blend_epi16(is_high, low, high);
    const __m512i signs = _mm512_and_si512(_mm512_slli_epi16(code, 8), sign);
    _mm512_storeu_si512(bf16 + i, _mm512_or_si512(magnitude, signs));
  }
}

// Transposes pairs of words, then pairs of pairs, then 128-bit quarters twice.
TY_AVX512 void transpose_tile_avx512(const uint32_t* from, size_t pitch, uint32_t* to) {
  __m512i r[16];
  __m512i t[16];
  for (size_t i = 0; i < 16; ++i) r[i] = _mm512_loadu_si512(from + i * pitch);
  for (size_t i = 0; i < 16; i += 2) {
    t[i] = _mm512_unpacklo_epi32(r[i], r[i + 1]);
    t[i + 1] = _mm512_unpackhi_epi32(r[i], r[i + 1]);
  }
  // r[4g + c]: rows 4g..4g+3 of columns c, c+4, c+8, c+12, one column per 128 bits.
  for (size_t i = 0; i < 16; i += 4) {
    r[i] = _mm512_unpacklo_epi64(t[i], t[i + 2]);
    r[i + 1] = _mm512_unpackhi_epi64(t[i], t[i + 2]);
    r[i + 2] = _mm512_unpacklo_epi64(t[i + 1], t[i + 3]);
    r[i + 3] = _mm512_unpackhi_epi64(t[i + 1], t[i + 3]);
  }
  for (size_t c = 0; c < 4; ++c) {
    const __m512i low01 = _mm512_shuffle_i32x4(r[c], r[4 + c], 0x44);
    const __m512i low23 = _mm512_shuffle_i32x4(r[8 + c], r[12 + c], 0x44);
    const __m512i high01 = _mm512_shuffle_i32x4(r[c], r[4 + c], 0xee);
    const __m512i high23 = _mm512_shuffle_i32x4(r[8 + c], r[12 + c], 0xee);
    _mm512_storeu_si512(to + 16 * c, _mm512_shuffle_i32x4(low01, low23, 0x88));
    _mm512_storeu_si512(to + 16 * (c + 4), _mm512_shuffle_i32x4(low01, low23, 0xdd));
    _mm512_storeu_si512(to + 16 * (c + 8), _mm512_shuffle_i32x4(high01, high23, 0x88));
    _mm512_storeu_si512(to + 16 * (c + 12), _mm512_shuffle_i32x4(high01, high23, 0xdd));
  }
}

}  // namespace

template <size_t Piece>
void interleave(const uint16_t* low, const uint16_t* high, size_t count, PieceTarget to) {
  if (is_available(GemmUnit::Avx512)) return interleave_avx512<Piece>(low, high, count, to);
  constexpr size_t kVector = Piece < 16 ? Piece : 16;
  for (size_t i = 0; i < (count + kVector - 1) / kVector * kVector; ++i)
    to.words[i / Piece * to.stride + i % Piece] =
        i < count ? low[i] | static_cast<uint32_t>(high[i]) << 16 : 0;
}

template void interleave<8>(const uint16_t*, const uint16_t*, size_t, PieceTarget);
template void interleave<16>(const uint16_t*, const uint16_t*, size_t, PieceTarget);
template void interleave<48>(const uint16_t*, const uint16_t*, size_t, PieceTarget);

void widen_codes(const Bf16OfCode& table, const uint8_t* codes, size_t count, uint16_t* bf16) {
  if (is_available(GemmUnit::Avx512)) return widen_codes_avx512(table, codes, count, bf16);
  for (size_t i = 0; i < count; ++i)
    bf16[i] = static_cast<uint16_t>(table[codes[i] & 0x7f] | (codes[i] & 0x80) << 8);
}

void transpose_tile(const uint32_t* from, size_t pitch, uint32_t* to) {
  if (is_available(GemmUnit::Avx512)) return transpose_tile_avx512(from, pitch, to);
  for (size_t i = 0; i < 16; ++i)
    for (size_t j = 0; j < 16; ++j) to[j * 16 + i] = from[i * pitch + j];
}

}  // namespace trainyard::sim
