#pragma once
// A model of AMX tile registers, so that the loops of gemm_amx.h are tested on any host. Follows
// the published definition of TDPBF16PS: even and odd products are summed apart, each rounded to
// nearest with denormals read and written as zero, and their sum is added to the destination.
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "sim/execute/gemm_amx.h"

namespace trainyard::sim::test {

struct SoftTiles {
  struct Tile {
    uint32_t word[kTileEdge][kTileEdge];
  };
  static inline Tile tile[8];

  static float flushed(float x) { return std::fpclassify(x) == FP_SUBNORMAL ? 0.0f * x : x; }
  static float half(uint32_t pair, bool high) {
    return flushed(std::bit_cast<float>(high ? pair & 0xffff0000u : pair << 16));
  }

  template <int T>
  static void load(const void* from, size_t row_bytes) {
    for (size_t row = 0; row < kTileEdge; ++row)
      std::memcpy(tile[T].word[row], static_cast<const std::byte*>(from) + row * row_bytes, 64);
  }
  template <int T>
  static void store(void* to, size_t row_bytes) {
    for (size_t row = 0; row < kTileEdge; ++row)
      std::memcpy(static_cast<std::byte*>(to) + row * row_bytes, tile[T].word[row], 64);
  }
  template <int T>
  static void start(const void* from, size_t row_bytes, bool from_memory) {
    if (from_memory) return load<T>(from, row_bytes);
    std::memset(&tile[T], 0, sizeof(Tile));
  }
  template <int C, int A, int B>
  static void multiply_add() {
    for (size_t m = 0; m < kTileEdge; ++m)
      for (size_t n = 0; n < kTileEdge; ++n) {
        float sum[2] = {0, 0};
        for (size_t k = 0; k < kTileEdge; ++k)
          for (int i : {0, 1})
            sum[i] =
                flushed(std::fma(half(tile[A].word[m][k], i), half(tile[B].word[k][n], i), sum[i]));
        const float old = flushed(std::bit_cast<float>(tile[C].word[m][n]));
        tile[C].word[m][n] = std::bit_cast<uint32_t>(flushed(old + flushed(sum[0] + sum[1])));
      }
  }
};

inline void nothing_to_set_up() {}

inline constexpr GemmRunner kSoftAmx{
    GemmLayout::Bf16Tiles, amx_strip<SoftTiles>, kAmxBlock, kAmxBlock, kTileEdge, 2,
    nothing_to_set_up,     nothing_to_set_up};

}  // namespace trainyard::sim::test
