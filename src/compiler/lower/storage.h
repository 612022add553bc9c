#pragma once
// How a graph tensor lies in HBM: dense, row-major, in StableHLO's own bytes. The machine has no
// 64-bit and no complex types, so those are stored as several 32-bit words an element.
#include "compiler/ir/types.h"
#include "isa/tensor.h"

namespace trainyard::compiler {

struct Storage {
  isa::Dtype dtype = isa::Dtype::F32;
  int64_t words = 1;  // elements of `dtype` per element of the graph's type
};

// Truth values are u8, 0 or 1. Types that check_supported refuses have no storage.
Storage storage_of(ElementType element);

// The tensor in HBM for a value of `type`, which must have elements.
isa::Tensor hbm_tensor(const TensorType& type, std::string name, isa::Io io = isa::Io::None);

// Row-major strides in elements.
std::vector<int64_t> row_major(const std::vector<int64_t>& shape);

// True for a tensor without elements. Such values have no memory.
bool is_empty(const TensorType& type);

}  // namespace trainyard::compiler
