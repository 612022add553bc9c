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
// Measured with this loop on one Sapphire Rapids core: 12-14 us per 128 x 128 x 512 instruction
// (1.14-1.37 TFLOP/s of 2.7 peak). Lost: strided loads from unpacked operands (33 us), dst rows at
// a 2 KiB pitch (10-20 % slower: cache-set conflicts; callers pad).
// Guard: `gemm_bench`, lines "matmul_packed" and "matmul_nest" against "raw tile loop".
#include "sim/execute/gemm_kernel.h"

namespace trainyard::sim {

inline constexpr size_t kTileEdge = 16;    // rows, or words in a row
inline constexpr size_t kTileWords = 256;  // 16 rows of 64 bytes
inline constexpr size_t kTileK = 32;
inline constexpr size_t kTileRowBytes = 64;
inline constexpr size_t kAmxBlock = 32;  // rows and columns of a block

// A block of `Down` x `Across` tiles of dst.
template <class Tiles, int Down, int Across>
void amx_tiles(const GemmBlock& block) {
  const size_t row_bytes = block.pitch * sizeof(float);
  float* dst = block.dst;
  float* lower = dst + kTileEdge * block.pitch;
  Tiles::template start<0>(dst, row_bytes, block.accumulate);
  if constexpr (Across == 2) Tiles::template start<1>(dst + kTileEdge, row_bytes, block.accumulate);
  if constexpr (Down == 2) Tiles::template start<2>(lower, row_bytes, block.accumulate);
  if constexpr (Down == 2 && Across == 2)
    Tiles::template start<3>(lower + kTileEdge, row_bytes, block.accumulate);
  for (size_t t = 0; t < block.instruction_count; ++t) {
    const GemmStep& step = block.instructions[t];
    const size_t stripe = step.steps * kTileWords;
    const uint32_t* a = step.stationary + block.row / kTileEdge * stripe;
    const uint32_t* b = step.moving + block.column / kTileEdge * stripe;
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

template <class Tiles>
void amx_block(const GemmBlock& block) {
  const bool down = block.rows > kTileEdge;
  const bool across = block.columns > kTileEdge;
  if (down && across) return amx_tiles<Tiles, 2, 2>(block);
  if (down) return amx_tiles<Tiles, 2, 1>(block);
  if (across) return amx_tiles<Tiles, 1, 2>(block);
  amx_tiles<Tiles, 1, 1>(block);
}

// The host's tiles. Their shape belongs to the thread, and any library may change or release it
// between two of our calls, so each call of ours sets it (enter) and gives it back (leave).
void amx_enter();
void amx_leave();
void gemm_block_amx(const GemmBlock& block);

}  // namespace trainyard::sim
