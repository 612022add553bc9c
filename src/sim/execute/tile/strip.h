#pragma once
// Strips: runs of a row as contiguous elements, so that inner loops see arrays. A strip of an
// operand that is dense and already of the wanted type is the operand itself; nothing is copied.
#include <array>
#include <cstdint>

#include "numerics/convert.h"
#include "sim/execute/tile/view.h"

namespace trainyard::sim {

// Elements of a strip that is a copy: four strips and their operands stay in the first-level cache.
inline constexpr int64_t kStrip = 1024;

struct alignas(64) FloatStrip {
  std::array<float, kStrip> values;
};
struct alignas(64) WordStrip {
  std::array<uint32_t, kStrip> values;
};

// Elements begin ... begin + n - 1 of a row, as they are.
void gather(const Pattern& pattern, const std::byte* row, int64_t begin, int64_t n, void* out);
void scatter(const Pattern& pattern, std::byte* row, int64_t begin, int64_t n, const void* in);

// Whether strips of the pattern are the operand itself, of any length.
inline bool is_direct(const Pattern& p) { return p.dense && p.dtype == Dtype::F32; }
inline bool is_direct_word(const Pattern& p) { return p.dense && p.size() == 4; }

// Elements as fp32: the operand itself, or a copy in `room` (then n <= kStrip).
const float* read_floats(const View& view, int64_t row, int64_t begin, int64_t n, FloatStrip& room);

// Elements as 32-bit words: integers extended by their sign, anything else by zeros.
const uint32_t* read_words(const View& view, int64_t row, int64_t begin, int64_t n,
                           WordStrip& room);
// The same, but extended by zeros whatever the type: bit patterns.
const uint32_t* read_bits(const View& view, int64_t row, int64_t begin, int64_t n, WordStrip& room);

// Where results go: the operand itself, or `room`, which write_* then brings to its place.
// A direct target must not be used where fp32 results are changed on their way (ftz).
inline float* float_target(const View& view, int64_t row, int64_t begin, bool direct,
                           FloatStrip& room) {
  return direct ? reinterpret_cast<float*>(view.row(row)) + begin : room.values.data();
}
void write_floats(const View& view, int64_t row, int64_t begin, int64_t n, const float* values,
                  const numerics::ConvertOptions& options);

// Stores the low bytes of each word.
void write_words(const View& view, int64_t row, int64_t begin, int64_t n, const uint32_t* words);

// One element.
float read_float(const Pattern& pattern, const std::byte* element);
int64_t read_integer(Dtype dtype, const std::byte* element);

}  // namespace trainyard::sim
