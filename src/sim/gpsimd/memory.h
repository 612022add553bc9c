#pragma once
// Windows in the executor, and access to them by element numbers.
#include <span>
#include <vector>

#include "base/status.h"
#include "isa/gpsimd/program.h"
#include "sim/gpsimd/combine.h"

namespace trainyard::sim::gpsimd {

// The elements of a window, dense: the tensor itself, or a copy.
struct WindowData {
  const isa::gpsimd::Window* window = nullptr;
  std::span<std::byte> bytes;
  int64_t elements = 0;
  bool in_place = false;
  std::vector<std::byte> own;  // of a copy; kept for the next one

  Type type() const { return window->type; }
  int64_t size() const { return isa::gpsimd::size_of(window->type); }
  std::byte* at(int64_t i) { return bytes.data() + i * size(); }
  const std::byte* at(int64_t i) const { return bytes.data() + i * size(); }
};

// Copies a window out of its tensor, or back into it. Truth values become 0 or 1.
void copy_in(WindowData& data, std::span<const std::byte> tensor);
void copy_out(const WindowData& data, std::span<std::byte> tensor);

// Element `i` of integers as a signed number; what exceeds 63 bits is the largest one.
int64_t index_at(Type type, const void* indices, int64_t i);

// Turns indices into positions inside of [0, limit), or -1 for what is filled or dropped.
Status resolve(std::span<int64_t> indices, int64_t limit, isa::gpsimd::Bounds bounds,
               std::string_view what);

// dst[i] = src[positions[i]], or the fill element (zero if there is none) at -1.
void gather(Type type, const void* src, std::span<const int64_t> positions, const void* fill,
            void* dst);
// dst[positions[i]] = src[i] in order; -1 is dropped.
void scatter(Type type, const void* src, std::span<const int64_t> positions, void* dst);
// dst[p] = fold(dst[p], src[i]) in order. At most kMostLanes positions.
void scatter_fold(Type type, const void* src, std::span<const int64_t> positions, Folder& folder,
                  void* dst);

}  // namespace trainyard::sim::gpsimd
