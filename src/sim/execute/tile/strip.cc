// Gathers and scatters with arbitrary dims. The innermost dim is a loop of its own for each element
// size; everything around it is an odometer that is set once per strip.
#include "sim/execute/tile/strip.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"
#include "sim/execute/tile/odometer.h"

namespace trainyard::sim {
namespace {

template <class T>
void gather_run(const std::byte* from, int64_t step, int64_t n, T* out) {
  if (step == sizeof(T)) {
    std::memcpy(out, from, n * sizeof(T));
    return;
  }
  if (step == 0) {
    T value;
    std::memcpy(&value, from, sizeof(T));
    std::fill_n(out, n, value);
    return;
  }
  for (int64_t i = 0; i < n; ++i) std::memcpy(out + i, from + i * step, sizeof(T));
}

template <class T>
void scatter_run(std::byte* to, int64_t step, int64_t n, const T* in) {
  if (step == sizeof(T)) {
    std::memcpy(to, in, n * sizeof(T));
    return;
  }
  for (int64_t i = 0; i < n; ++i) std::memcpy(to + i * step, in + i, sizeof(T));
}

template <class T>
void gather_as(const Pattern& p, const std::byte* row, int64_t begin, int64_t n, T* out) {
  if (p.dims.empty()) return gather_run(row, 0, n, out);
  const int64_t step = p.dims.back().step;
  Odometer at(p.dims, begin);
  while (n > 0) {
    const int64_t run = std::min(n, at.left());
    gather_run(row + at.offset(), step, run, out);
    at.advance(run);
    out += run;
    n -= run;
  }
}

template <class T>
void scatter_as(const Pattern& p, std::byte* row, int64_t begin, int64_t n, const T* in) {
  if (p.dims.empty()) return scatter_run(row, 0, n, in);
  const int64_t step = p.dims.back().step;
  Odometer at(p.dims, begin);
  while (n > 0) {
    const int64_t run = std::min(n, at.left());
    scatter_run(row + at.offset(), step, run, in);
    at.advance(run);
    in += run;
    n -= run;
  }
}

template <class From>
void extend(const void* from, int64_t n, uint32_t* out) {
  const auto* bytes = static_cast<const std::byte*>(from);
  for (int64_t i = 0; i < n; ++i) {
    From value;
    std::memcpy(&value, bytes + i * sizeof(From), sizeof(From));
    out[i] = static_cast<uint32_t>(value);
  }
}

void extend(Dtype dtype, const void* from, int64_t n, uint32_t* out) {
  switch (dtype) {
    case Dtype::S8:
      return extend<int8_t>(from, n, out);
    case Dtype::S16:
      return extend<int16_t>(from, n, out);
    case Dtype::U8:
    case Dtype::F8E5M2:
    case Dtype::F8E4M3:
    case Dtype::F8E4M3FN:
    case Dtype::F8E3M4:
      return extend<uint8_t>(from, n, out);
    case Dtype::U16:
    case Dtype::BF16:
    case Dtype::F16:
      return extend<uint16_t>(from, n, out);
    case Dtype::F32:
    case Dtype::TF32:
    case Dtype::S32:
    case Dtype::U32:
      std::memcpy(out, from, n * sizeof(uint32_t));
  }
}

// The unsigned type of the same size: extending it fills with zeros.
Dtype pattern_type(int64_t size) {
  return size == 1 ? Dtype::U8 : size == 2 ? Dtype::U16 : Dtype::U32;
}

const uint32_t* read_as(Dtype dtype, const View& view, int64_t row, int64_t begin, int64_t n,
                        WordStrip& room) {
  const Pattern& p = *view.pattern;
  const std::byte* from = view.row(row);
  if (is_direct_word(p)) return reinterpret_cast<const uint32_t*>(from) + begin;
  TY_CHECK(n <= kStrip);
  if (p.dense) {
    extend(dtype, from + begin * p.size(), n, room.values.data());
    return room.values.data();
  }
  WordStrip raw;
  gather(p, from, begin, n, raw.values.data());
  extend(dtype, raw.values.data(), n, room.values.data());
  return room.values.data();
}

template <class T>
void truncate(const uint32_t* words, int64_t n, void* out) {
  auto* to = static_cast<std::byte*>(out);
  for (int64_t i = 0; i < n; ++i) {
    const T value = static_cast<T>(words[i]);
    std::memcpy(to + i * sizeof(T), &value, sizeof(T));
  }
}

void truncate(int64_t size, const uint32_t* words, int64_t n, void* out) {
  if (size == 1) return truncate<uint8_t>(words, n, out);
  if (size == 2) return truncate<uint16_t>(words, n, out);
  std::memmove(out, words, n * sizeof(uint32_t));
}

}  // namespace

void gather(const Pattern& pattern, const std::byte* row, int64_t begin, int64_t n, void* out) {
  switch (pattern.size()) {
    case 1:
      return gather_as(pattern, row, begin, n, static_cast<uint8_t*>(out));
    case 2:
      return gather_as(pattern, row, begin, n, static_cast<uint16_t*>(out));
    default:
      return gather_as(pattern, row, begin, n, static_cast<uint32_t*>(out));
  }
}

void scatter(const Pattern& pattern, std::byte* row, int64_t begin, int64_t n, const void* in) {
  switch (pattern.size()) {
    case 1:
      return scatter_as(pattern, row, begin, n, static_cast<const uint8_t*>(in));
    case 2:
      return scatter_as(pattern, row, begin, n, static_cast<const uint16_t*>(in));
    default:
      return scatter_as(pattern, row, begin, n, static_cast<const uint32_t*>(in));
  }
}

const float* read_floats(const View& view, int64_t row, int64_t begin, int64_t n,
                         FloatStrip& room) {
  const Pattern& p = *view.pattern;
  const std::byte* from = view.row(row);
  if (is_direct(p)) return reinterpret_cast<const float*>(from) + begin;
  TY_CHECK(n <= kStrip);
  float* out = room.values.data();
  if (p.dense) {
    numerics::widen(p.dtype, from + begin * p.size(), out, n);
  } else if (p.dtype == Dtype::F32) {
    gather(p, from, begin, n, out);
  } else {
    WordStrip raw;
    gather(p, from, begin, n, raw.values.data());
    numerics::widen(p.dtype, raw.values.data(), out, n);
  }
  return out;
}

const uint32_t* read_words(const View& view, int64_t row, int64_t begin, int64_t n,
                           WordStrip& room) {
  return read_as(view.dtype(), view, row, begin, n, room);
}

const uint32_t* read_bits(const View& view, int64_t row, int64_t begin, int64_t n,
                          WordStrip& room) {
  return read_as(pattern_type(view.pattern->size()), view, row, begin, n, room);
}

void write_floats(const View& view, int64_t row, int64_t begin, int64_t n, const float* values,
                  const numerics::ConvertOptions& options) {
  const Pattern& p = *view.pattern;
  std::byte* to = view.row(row);
  if (p.dense) {
    std::byte* target = to + begin * p.size();
    if (static_cast<const void*>(target) == values) return;
    numerics::narrow(p.dtype, values, target, n, options);
    return;
  }
  TY_CHECK(n <= kStrip);
  WordStrip raw;
  numerics::narrow(p.dtype, values, raw.values.data(), n, options);
  scatter(p, to, begin, n, raw.values.data());
}

void write_words(const View& view, int64_t row, int64_t begin, int64_t n, const uint32_t* words) {
  const Pattern& p = *view.pattern;
  std::byte* to = view.row(row);
  if (p.dense) return truncate(p.size(), words, n, to + begin * p.size());
  TY_CHECK(n <= kStrip);
  WordStrip raw;
  truncate(p.size(), words, n, raw.values.data());
  scatter(p, to, begin, n, raw.values.data());
}

float read_float(const Pattern& pattern, const std::byte* element) {
  float value;
  numerics::widen(pattern.dtype, element, &value, 1);
  return value;
}

int64_t read_integer(Dtype dtype, const std::byte* element) {
  uint32_t word = 0;
  extend(dtype, element, 1, &word);
  return dtype == Dtype::U32 ? int64_t{word} : int64_t{static_cast<int32_t>(word)};
}

}  // namespace trainyard::sim
