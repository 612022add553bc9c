#pragma once
// A product of two HBM matrices on the Tensor engine, written as a nest of tiles.
//
//   result[b, m, n] = sum over k of stationary[b, m, k] * moving[b, k, n]
//
// The array contracts over partitions, so both operands must reach SBUF with k on the partition
// axis. A matrix whose other axis is contiguous is loaded that way. One whose k is contiguous is
// loaded as it lies and turned by the array itself, 128 x 128 at a time: a DMA would have to fetch
// single elements.
#include "compiler/lower/lowering.h"

namespace trainyard::compiler {

struct Matrix {
  isa::TensorId tensor = -1;  // in HBM
  isa::Dtype dtype = isa::Dtype::F32;
  isa::Affine offset;
  int64_t free_step = 0;  // along m or n, in elements
  int64_t k_step = 0;
};

struct Product {
  Matrix stationary, moving;
  isa::TensorId result = -1;
  isa::Dtype result_dtype = isa::Dtype::F32;
  isa::Affine result_offset;
  int64_t result_m_step = 0, result_n_step = 1;
  int64_t m = 1, n = 1, k = 1;
};

// The type in which the array gets its operands: both alike, and exact for both.
isa::Dtype product_dtype(isa::Dtype a, isa::Dtype b);

// Emits the nest. m, n and k are at least 1.
void emit_product(Lowering& lowering, const Product& product, const std::string& label);

}  // namespace trainyard::compiler
