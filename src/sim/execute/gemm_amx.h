#pragma once
// The AMX kernel, over any set of tile registers: the host's (gemm_amx.cc) or a model of them in
// software, with which its loops are tested on hosts without AMX.
//
// Shape of the data: 32-bit words, pairs of bf16, in tiles of 16 x 16 words (1 KiB, contiguous, so
// that a tile load touches 16 neighbouring lines). A tile covers 32 k; `steps` counts tiles along
// k.
//   stationary: word[m / 16][k / 32][m % 16][k % 32 / 2]   (transposed while packing)
//   moving:     word[n / 16][k / 32][k % 32 / 2][n % 16]
// A block is 2 x 2 tiles of dst in tmm0-3, two stationary tiles in tmm4-5, two moving ones in
// tmm6-7: 4 loads for 4 products, the best that 8 registers allow. tdpbf16ps sums the 32 products
// of a tile apart and adds the result to dst, so the order is a function of the instructions' k.
// A loop of the same form took 12-15 us per 128 x 128 x 512 instruction on one core with AMX
// (1.14-1.37 TFLOP/s of 2.7 peak); this code itself has run on the model of the tiles only. There
// lost: strided loads from unpacked operands (33 us), dst rows at a 2 KiB pitch (10-20 % slower:
// cache-set conflicts; callers pad).
// Guard: `gemm_bench`, lines "matmul_packed" and "matmul_nest" against "raw tile loop".
#include "sim/execute/gemm_kernel.h"

namespace trainyard::sim {

inline constexpr size_t kTileEdge = 16;    // rows, or words in a row
inline constexpr size_t kTileWords = 256;  // 16 rows of 64 bytes
inline constexpr size_t kTileK = 32;
inline constexpr size_t kTileRowBytes = 64;
inline constexpr size_t kAmxBlock = 32;  // rows and columns of a block

// `Down` x `Across` tiles of dst. The instructions' stationary and moving tiles start at row `m`
// and column strip.column.
template <class Tiles, int Down, int Across>
void amx_block(const GemmStrip& strip, size_t m, float* dst) {
  const size_t row_bytes = strip.pitch * sizeof(float);
  float* lower = dst + kTileEdge * strip.pitch;
  Tiles::template start<0>(dst, row_bytes, strip.accumulate);
  if constexpr (Across == 2) Tiles::template start<1>(dst + kTileEdge, row_bytes, strip.accumulate);
  if constexpr (Down == 2) Tiles::template start<2>(lower, row_bytes, strip.accumulate);
  if constexpr (Down == 2 && Across == 2)
    Tiles::template start<3>(lower + kTileEdge, row_bytes, strip.accumulate);
  for (size_t t = 0; t < strip.instruction_count; ++t) {
    const GemmStep& step = strip.instructions[t];
    const size_t stripe = step.steps * kTileWords;
    const uint32_t* a = step.stationary + m / kTileEdge * stripe;
    const uint32_t* b = step.moving + strip.column / kTileEdge * stripe;
    for (size_t k = 0; k < step.steps; ++k, a += kTileWords, b += kTileWords) {
      Tiles::template load<4>(a, kTileRowBytes);
      Tiles::template load<6>(b, kTileRowBytes);
      Tiles::template multiply_add<0, 4, 6>();
      if constexpr (Down == 2) {
        Tiles::template load<5>(a + stripe, kTileRowBytes);
        Tiles::template multiply_add<2, 5, 6>();
      }
      if constexpr (Across == 2) {
        Tiles::template load<7>(b + stripe, kTileRowBytes);
        Tiles::template multiply_add<1, 4, 7>();
      }
      if constexpr (Down == 2 && Across == 2) Tiles::template multiply_add<3, 5, 7>();
    }
  }
  Tiles::template store<0>(dst, row_bytes);
  if constexpr (Across == 2) Tiles::template store<1>(dst + kTileEdge, row_bytes);
  if constexpr (Down == 2) Tiles::template store<2>(lower, row_bytes);
  if constexpr (Down == 2 && Across == 2) Tiles::template store<3>(lower + kTileEdge, row_bytes);
}

template <class Tiles, int Across>
void amx_strip_of(const GemmStrip& strip) {
  size_t m = 0;
  for (; m + kAmxBlock <= strip.rows; m += kAmxBlock)
    amx_block<Tiles, 2, Across>(strip, strip.row + m, strip.dst + m * strip.pitch);
  if (m < strip.rows)
    amx_block<Tiles, 1, Across>(strip, strip.row + m, strip.dst + m * strip.pitch);
}

template <class Tiles>
void amx_strip(const GemmStrip& strip) {
  if (strip.columns > kTileEdge) return amx_strip_of<Tiles, 2>(strip);
  amx_strip_of<Tiles, 1>(strip);
}

// The host's tiles. Their shape belongs to the thread, and any library may change or release it
// between two of our calls, so each call of ours sets it (enter) and gives it back (leave).
void amx_enter();
void amx_leave();
void gemm_strip_amx(const GemmStrip& strip);

}  // namespace trainyard::sim
