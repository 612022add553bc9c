#pragma once
// The ALU operators on contiguous fp32: each operator rounds once, nothing is fused, the bits are
// the same at every SIMD level (a NaN from two NaNs apart). [neuroncore 6.2, nki 1.16]
//
//   max, min          a if a > b (a < b), else b; a NaN wins or loses by the switch
//   abs_max, abs_min  the operand of larger (smaller) magnitude with its sign; ties give b
//   comparisons       1 or 0; NaN is unequal to everything; logical: x != 0
//   abs square relu rsqrt reciprocal, bypass   of a alone
#include <cstddef>

#include "isa/ops.h"

namespace trainyard::sim {

using isa::AluOp;

// One operator with its second side. `reverse` swaps the sides; `propagate_nan` is the rule of max,
// min, abs_max, abs_min and relu: true: NaN if either is, false: the other operand.
struct AluStage {
  AluOp op = AluOp::Bypass;
  bool reverse = false;
  bool propagate_nan = true;
};

struct TwoStages {
  AluStage first, second;
};

// y[i] = a[i] op b[i]. Arrays are equal or do not overlap, here and below.
void alu_tiles(const AluStage& stage, const float* a, const float* b, float* y, size_t n);

// y[i] = a[i] op b.
void alu_number(const AluStage& stage, const float* a, float b, float* y, size_t n);

// y[i] = (a[i] first b0) second b1, in one pass for the common pairs.
void alu_numbers(const AluStage& first, float b0, const AluStage& second, float b1, const float* a,
                 float* y, size_t n);

// y[i] = (a[i] first b0) second b[i].
void alu_number_tile(const AluStage& first, float b0, const AluStage& second, const float* b,
                     const float* a, float* y, size_t n);

// y[i] = where[i] != 0 ? yes[i] : no[i]; `no_step` 0 takes no[0] for every element.
void choose(const float* where, const float* yes, const float* no, size_t no_step, float* y,
            size_t n);

// a op b for one pair: the state of scans and reductions. Only binary arithmetic operators.
float alu_one(const AluStage& stage, float a, float b);

}  // namespace trainyard::sim
