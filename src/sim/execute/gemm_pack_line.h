#pragma once
// The two inner loops of packing that a compiler does not make fast alone. Internal to gemm_*.
#include <cstddef>
#include <cstdint>

namespace trainyard::sim {

// words[i] = low[i] | high[i] << 16, for i < count.
void interleave(const uint16_t* low, const uint16_t* high, size_t count, uint32_t* words);

// A block of 16 x 16 words, rows `pitch` words apart, transposed into 256 neighbouring words. Both
// 64-byte aligned, as is the pitch.
void transpose_tile(const uint32_t* from, size_t pitch, uint32_t* to);

}  // namespace trainyard::sim
