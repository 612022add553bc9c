#pragma once
// Copies between arrays of the same shape whose elements lie differently.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace trainyard::runtime {

// Bytes between neighbours along each axis of a dense array. `minor_to_major` lists the axes from
// the one that moves fastest; empty means row-major.
std::vector<int64_t> dense_strides(std::span<const int64_t> shape, int64_t element_bytes,
                                   std::span<const int64_t> minor_to_major = {});

// One side of a copy: where element (0, ..., 0) lies, and the bytes between neighbours, which may
// be negative or 0.
struct Strided {
  std::byte* data = nullptr;
  std::span<const int64_t> strides;
};
void strided_copy(const Strided& to, const Strided& from, std::span<const int64_t> shape,
                  int64_t element_bytes);

}  // namespace trainyard::runtime
