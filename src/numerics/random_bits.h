#pragma once
// Random bits as a function of a seed and a place, so that element i of a tensor gets the same bits
// whoever computes it. The machine's own generator is not public [neuroncore 8.26]; this one is
// ours.
#include <cstdint>

namespace trainyard::numerics {

// Splitmix64's finaliser: every input bit moves about half of the output bits.
constexpr uint64_t mix64(uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

// What all places that share the upper 32 bits of their counter have in common.
struct RandomKey {
  uint32_t first = 0;
  uint32_t second = 0;
};
constexpr RandomKey random_key(uint64_t seed, uint64_t counter) {
  const uint64_t key = mix64(mix64(seed) ^ (counter >> 32));
  return {static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32)};
}

inline constexpr uint32_t kMixA = 0x7FEB352Du;
inline constexpr uint32_t kMixB = 0x846CA68Bu;

// A 32-bit permutation with low bias (two multiply and xor-shift rounds).
constexpr uint32_t mix32(uint32_t x) {
  x = (x ^ (x >> 16)) * kMixA;
  x = (x ^ (x >> 15)) * kMixB;
  return x ^ (x >> 16);
}

// 32 uniform bits of place `low_counter` under `key`: two keyed rounds, 32-bit arithmetic only, so
// that vector code computes them lane by lane.
constexpr uint32_t random_bits(RandomKey key, uint32_t low_counter) {
  return mix32(mix32(low_counter ^ key.first) + key.second);
}
constexpr uint32_t random_bits(uint64_t seed, uint64_t counter) {
  return random_bits(random_key(seed, counter), static_cast<uint32_t>(counter));
}

}  // namespace trainyard::numerics
