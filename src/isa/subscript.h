#pragma once
// Subscripts: `t[3, 128*k+:128, :]`, one entry per axis of the tensor, lowered to an Access. The
// text form, the builder and the bindings all lower through this one function.
#include <cstdint>
#include <optional>
#include <span>

#include "base/status.h"
#include "isa/tensor.h"

namespace trainyard::isa {

// One axis of a subscript.
//   Index  one element; the axis is dropped (the partition axis of an on-chip tensor: 1 partition)
//   Slice  `count` elements from `start` on, `step` apart
//   All    the whole axis
struct Subscript {
  enum class Kind : uint8_t { Index, Slice, All };
  Kind kind = Kind::All;
  Affine start;
  int64_t count = 0;
  int64_t step = 1;

  static Subscript index(Affine at) { return {Kind::Index, std::move(at), 1, 1}; }
  static Subscript slice(Affine start, int64_t count, int64_t step = 1) {
    return {Kind::Slice, std::move(start), count, step};
  }
  static Subscript all() { return {}; }
  friend bool operator==(const Subscript&, const Subscript&) = default;
};

// Bounds on what an Access may say, so that arithmetic on it never overflows: tensors, offsets,
// steps times counts and elements all stay within kMaxExtent (256 Ti, far above any memory).
inline constexpr int64_t kMaxExtent = int64_t{1} << 48;
inline constexpr size_t kMaxAxes = 16;   // of a tensor, and dims of an access
inline constexpr size_t kMaxTerms = 64;  // of an affine expression

// The shape of `tensor` read as `dtype`: the last axis counts elements of `dtype`. An error if its
// bytes are no whole number of them, or if an on-chip tensor has the partition axis alone and the
// sizes differ.
Result<std::vector<int64_t>> shape_as(const Tensor& tensor, Dtype dtype);

// Lowers `axes`, one entry per axis, of `tensor` read as `dtype`. Free axes become dims in their
// order, the step of an axis being its row-major stride times the slice's step. Errors: the wrong
// number of axes, a stepped slice of partitions, an empty slice, a number beyond kMaxExtent.
// Whether the elements lie inside the tensor is the verifier's business.
Result<Access> subscript(const Tensor& tensor, TensorId id, Dtype dtype,
                         std::span<const Subscript> axes);

// Ok if every number of `access` is within the bounds above and every count is at least 1.
Status check_extent(const Access& access);
// Ok if the terms and numbers of `affine` are within the bounds above.
Status check_extent(const Affine& affine);

}  // namespace trainyard::isa
