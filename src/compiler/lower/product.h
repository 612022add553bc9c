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
#include "compiler/lower/parts.h"

namespace trainyard::compiler {

struct Matrix {
  isa::TensorId tensor = -1;  // in HBM
  isa::Dtype dtype = isa::Dtype::F32;
  isa::Affine offset = {};
  Walk free = {};  // along m or n
  // Along k, for a matrix that is loaded with k on partitions.
  Walk k = {};
  // Not empty: k is contiguous, so the matrix is loaded as it lies and turned. All of k, slowest
  // first; k is taken in blocks only where this is one dim.
  std::vector<isa::Dim> lying = {};
};

// A sum over `count` products whose operands lie `stationary` and `moving` elements apart.
struct OuterSum {
  int64_t count = 1;
  int64_t stationary = 0, moving = 0;
};

// A loop around products: those of turn i have their operand and their result so many elements on.
struct AroundLoop {
  int64_t count = 1;
  int64_t operand = 0, result = 0;
};

struct Product {
  Matrix stationary, moving;
  isa::TensorId result = -1;
  isa::Dtype result_dtype = isa::Dtype::F32;
  isa::Affine result_offset;
  Walk result_m, result_n;
  Extent m, n, k;
  std::vector<OuterSum> outer;            // slowest first
  std::vector<AroundLoop> m_around = {};  // move the stationary operand
  std::vector<AroundLoop> n_around = {};  // move the moving one
};

// Elements of k that are loaded at the same time at most, for n elements of the moving operand.
int64_t most_k(const Lowering& lowering, isa::Dtype dtype, int64_t n);

// The type in which the array gets its operands: both alike, and exact for both.
isa::Dtype product_dtype(isa::Dtype a, isa::Dtype b);

// Emits the nest. Units of m and k are at most as long as the array has rows, units of n as long as
// the moving operand may be; a unit of n of a lying matrix is at most as long as one of m.
void emit_product(Lowering& lowering, const Product& product, const std::string& label);

}  // namespace trainyard::compiler
