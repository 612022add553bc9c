#include "runtime/strided_copy.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace trainyard::runtime {
namespace {

struct Axis {
  int64_t size, to, from;
};

// Axes of size 1 go; an axis that merely continues the next inner one is merged with it.
std::vector<Axis> merged(const Strided& to, const Strided& from, std::span<const int64_t> shape) {
  std::vector<Axis> axes;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] != 1) axes.push_back({shape[i], to.strides[i], from.strides[i]});
  }
  // The destination is written in its own order.
  std::ranges::stable_sort(axes, std::greater(), [](const Axis& a) { return std::abs(a.to); });
  std::vector<Axis> out;
  for (const Axis& axis : axes) {
    if (!out.empty() && out.back().to == axis.to * axis.size &&
        out.back().from == axis.from * axis.size) {
      out.back() = {out.back().size * axis.size, axis.to, axis.from};
    } else {
      out.push_back(axis);
    }
  }
  return out;
}

template <class Word>
void copy_line(std::byte* to, const std::byte* from, const Axis& axis) {
  for (int64_t i = 0; i < axis.size; ++i) {
    std::memcpy(to, from, sizeof(Word));
    to += axis.to;
    from += axis.from;
  }
}

struct Pair {
  uint64_t words[2];
};

void copy_line(std::byte* to, const std::byte* from, const Axis& axis, int64_t bytes) {
  if (axis.to == bytes && axis.from == bytes) {
    std::memcpy(to, from, static_cast<size_t>(axis.size * bytes));
    return;
  }
  switch (bytes) {
    case 1:
      return copy_line<uint8_t>(to, from, axis);
    case 2:
      return copy_line<uint16_t>(to, from, axis);
    case 4:
      return copy_line<uint32_t>(to, from, axis);
    case 8:
      return copy_line<uint64_t>(to, from, axis);
    default:
      return copy_line<Pair>(to, from, axis);
  }
}

void copy_block(std::byte* to, const std::byte* from, std::span<const Axis> axes, int64_t bytes) {
  if (axes.size() == 1) return copy_line(to, from, axes[0], bytes);
  for (int64_t i = 0; i < axes[0].size; ++i) {
    copy_block(to + i * axes[0].to, from + i * axes[0].from, axes.subspan(1), bytes);
  }
}

}  // namespace

std::vector<int64_t> dense_strides(std::span<const int64_t> shape, int64_t element_bytes,
                                   std::span<const int64_t> minor_to_major) {
  std::vector<int64_t> strides(shape.size());
  int64_t step = element_bytes;
  for (size_t i = 0; i < shape.size(); ++i) {
    const size_t axis =
        minor_to_major.empty() ? shape.size() - 1 - i : static_cast<size_t>(minor_to_major[i]);
    strides[axis] = step;
    step *= shape[axis];
  }
  return strides;
}

void strided_copy(const Strided& to, const Strided& from, std::span<const int64_t> shape,
                  int64_t element_bytes) {
  if (std::ranges::find(shape, 0) != shape.end()) return;
  std::vector<Axis> axes = merged(to, from, shape);
  if (axes.empty()) axes.push_back({1, element_bytes, element_bytes});
  copy_block(to.data, from.data, axes, element_bytes);
}

}  // namespace trainyard::runtime
