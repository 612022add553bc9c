#pragma once
// A sum over products of two strided HBM tensors along any number of axes: dot_general, and a
// convolution, whose windows are axes that walk over the same elements more than once. Finds the
// matrices for the Tensor engine in it.
#include <string>
#include <vector>

#include "compiler/lower/product.h"

namespace trainyard::compiler {

// One axis as both operands and the result see it; steps in elements, 0 where it does not appear.
struct ContractionAxis {
  int64_t count = 1;
  int64_t lhs = 0, rhs = 0, out = 0;
};
using ContractionAxes = std::vector<ContractionAxis>;

//   result[batch, m, n] = sum over k of lhs[batch, m, k] * rhs[batch, k, n]
struct Contraction {
  struct Side {
    isa::TensorId tensor = -1;
    isa::Dtype dtype = isa::Dtype::F32;
    int64_t offset = 0;
  };
  Side lhs, rhs, result;
  ContractionAxes batch, m, n, k;
};

// On the Tensor engine. Every count is at least 1.
void emit_contraction(Lowering& lowering, Contraction contraction, const std::string& label);

// Whether there is so little to sum for each of many groups (the batch axes) that the Vector engine
// is the better place.
bool fits_vector(const Contraction& contraction);
// On the Vector engine: products and sums of f32.
void emit_vector_contraction(Lowering& lowering, Contraction contraction, const std::string& label);

// Whether much is summed for few results in each of many groups that lie side by side.
bool fits_column_sums(const Contraction& contraction);
// Products of f32 on the Vector engine, added up by the Tensor engine.
void emit_column_sums(Lowering& lowering, Contraction contraction, const std::string& label);

}  // namespace trainyard::compiler
