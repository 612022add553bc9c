#pragma once
// The formulas of each datapath, one function per group of instructions. Internal to isa/cost/.
#include "isa/cost.h"
#include "isa/cost/math.h"
#include "isa/cost/operand_stream.h"

namespace trainyard::isa {

// Tensor [nki-trn1, nki-perf, nki-isa-old]
Cost matmul_cost(const Program& program, const Matmul& i, const hw::CoreSpec& core);
Cost array_transpose_cost(const Transpose& i, const hw::CoreSpec& core);

// Vector [nki-trn2, nki-isa-old, voyager-3p]
Cost vector_cost(const Program& program, const Transpose& i, const hw::CoreSpec& core);
Cost vector_cost(const Program& program, const TensorTensor& i, const hw::CoreSpec& core);
Cost vector_cost(const Program& program, const TensorScalar& i, const hw::CoreSpec& core);
Cost vector_cost(const Program& program, const ScalarTensorTensor& i, const hw::CoreSpec& core);
Cost vector_cost(const Program& program, const TensorTensorScan& i, const hw::CoreSpec& core);
Cost vector_cost(const Program& program, const TensorReduce& i, const hw::CoreSpec& core);
Cost vector_cost(const Program& program, const TensorCopy& i, const hw::CoreSpec& core);
Cost vector_cost(const Program& program, const TensorCopyPredicated& i, const hw::CoreSpec& core);
Cost vector_cost(const Program& program, const Select& i, const hw::CoreSpec& core);
Cost vector_cost(const Program& program, const Reciprocal& i, const hw::CoreSpec& core);
Cost vector_cost(const Program& program, const Memset& i, const hw::CoreSpec& core);
Cost vector_cost(const Program& program, const BnStats& i, const hw::CoreSpec& core);
Cost vector_cost(const Program& program, const BnAggr& i, const hw::CoreSpec& core);
Cost vector_cost(const Program& program, const Max8& i, const hw::CoreSpec& core);

// Scalar [nki-isa-old, voyager-3p]
Cost scalar_cost(const Program& program, const Activation& i, const hw::CoreSpec& core);
Cost scalar_cost(const Program& program, const TensorCopy& i, const hw::CoreSpec& core);
Cost scalar_cost(const Program& program, const TensorScalar& i, const hw::CoreSpec& core);

// GpSimd: a start-up and a rate [nki-isa-old]
Cost gpsimd_cost(int64_t elements, const hw::Fact<double>& rate, const hw::CoreSpec& core);

// A whole GpSimd program, with the transfers of its windows. Loops make all of their turns.
Cost call_cost(const Program& program, const GpsimdCall& call, const hw::CoreSpec& core);

}  // namespace trainyard::isa
