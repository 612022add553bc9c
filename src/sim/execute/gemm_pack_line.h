#pragma once
// The inner loops of packing that a compiler does not make fast alone. Internal to gemm_*.
#include <array>
#include <cstddef>
#include <cstdint>

namespace trainyard::sim {

// A line of words is cut into pieces, which lie `stride` words apart in the packed tile.
struct PieceTarget {
  uint32_t* words;
  size_t stride;
};

// Word i = low[i] | high[i] << 16, for i < count, in pieces of `Piece` words: 8 (stationary
// panels), 16 (tiles) or 48 (moving panels). Zeros fill the last vector of 16 words, or of 8 where
// Piece is 8.
template <size_t Piece>
void interleave(const uint16_t* low, const uint16_t* high, size_t count, PieceTarget to);

// bf16 of the 128 codes of an 8-bit float without its sign bit.
using Bf16OfCode = std::array<uint16_t, 128>;

// 8-bit floats to bf16. The sign bit of a code becomes the sign bit of the result. `bf16` has room
// for a multiple of 32.
void widen_codes(const Bf16OfCode& table, const uint8_t* codes, size_t count, uint16_t* bf16);

// A block of 16 x 16 words, rows `pitch` words apart, transposed into 256 neighbouring words.
void transpose_tile(const uint32_t* from, size_t pitch, uint32_t* to);

}  // namespace trainyard::sim
