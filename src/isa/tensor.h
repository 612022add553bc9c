#pragma once
// Tensors of a body and the patterns by which instructions touch them.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/affine.h"
#include "numerics/dtype.h"

namespace trainyard::isa {

using numerics::Dtype;
using TensorId = int32_t;  // index into Program::tensors

enum class Memory : uint8_t { Hbm, Sbuf, Psum };
std::string_view name(Memory memory);  // "hbm", "sbuf", "psum"

// Whether the caller binds an HBM tensor before a run and reads it afterwards.
enum class Io : uint8_t { None, In, Out, InOut };
std::string_view name(Io io);  // "", "in", "out", "inout"

// A line of the file that a person wrote. `file` indexes Program::files; line 0 means unknown.
struct SourceRef {
  int32_t file = 0;
  int32_t line = 0;
  int32_t column = 0;
};

// A tensor belongs to the block that declares it; each entry of that block makes a new instance
// whose contents are undefined. Instance i, counted over the whole run, lives in slot i mod slots.
//
// On chip, shape[0] counts partitions (at most 128) and the rest lies in one partition, row-major.
// In HBM the whole shape is row-major.
//
// Two tensors never share bytes, except through `view`: then this tensor has no memory of its own
// and begins `view->offset` bytes into the base (into each partition of the base, if on chip).
struct Tensor {
  std::string name;
  Memory memory = Memory::Sbuf;
  Dtype dtype = Dtype::F32;
  std::vector<int64_t> shape;
  Io io = Io::None;

  struct View {
    TensorId base = -1;
    int64_t offset = 0;
    friend bool operator==(const View&, const View&) = default;
  };
  std::optional<View> view;
  SourceRef source;

  bool on_chip() const { return memory != Memory::Hbm; }
  int64_t partitions() const { return on_chip() ? shape[0] : 0; }
  // Elements in one partition on chip, in the whole tensor in HBM.
  int64_t free_elements() const;
  int64_t free_bytes() const { return free_elements() * numerics::size_of(dtype); }
  int64_t total_bytes() const;
};

struct Dim {
  int64_t step = 0;   // in elements of the access's dtype; 0 repeats, negative runs backwards
  int64_t count = 0;  // at least 1
  friend bool operator==(const Dim&, const Dim&) = default;
};

// Which elements of a tensor an instruction touches, and in which order (row-major over `dims`).
//
// On chip: partitions [partition, partition + partitions) of the tensor, and in each of them the
// elements offset + sum(step * index). In HBM: `partitions` is 0, `partition` is 0, and the
// elements are offset + sum(step * index) of the flat tensor. `dtype` may reinterpret the bytes;
// steps, counts and offset are then in elements of `dtype`.
struct Access {
  TensorId tensor = -1;
  Dtype dtype = Dtype::F32;
  Affine partition;
  int64_t partitions = 0;
  Affine offset;
  std::vector<Dim> dims;  // slowest first; empty means one element

  // Elements per partition on chip, all elements in HBM.
  int64_t free_elements() const;
  int64_t elements() const { return free_elements() * (partitions > 0 ? partitions : 1); }
  bool is_dynamic() const { return offset.has_register() || partition.has_register(); }
  friend bool operator==(const Access&, const Access&) = default;
};

// The access that covers all of `tensor`: one dim per free axis (HBM: per axis), merged by nobody.
Access whole(const Tensor& tensor, TensorId id);

// Lowest and one past the highest element that `access` touches in a partition (HBM: in the
// tensor), relative to its offset: the hull of the pattern.
struct Hull {
  int64_t begin = 0;
  int64_t end = 0;
};
Hull hull(const Access& access);

}  // namespace trainyard::isa
