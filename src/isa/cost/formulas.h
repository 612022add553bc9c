#pragma once
// The formulas of each datapath, one function per group of instructions. Internal to isa/cost/.
#include "isa/cost.h"
#include "isa/cost/math.h"
#include "isa/cost/operand_stream.h"

namespace trainyard::isa {

// Tensor [neuroncore 3.2]
Cost matmul_cost(const Program& program, const Matmul& i, const hw::CoreSpec& core);
Cost array_transpose_cost(const Transpose& i, const hw::CoreSpec& core);

// Vector [neuroncore 2.2, 3.3]
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

// Scalar [neuroncore 2.3, 3.4]
Cost scalar_cost(const Program& program, const Activation& i, const hw::CoreSpec& core);
Cost scalar_cost(const Program& program, const TensorCopy& i, const hw::CoreSpec& core);
Cost scalar_cost(const Program& program, const TensorScalar& i, const hw::CoreSpec& core);

// GpSimd: a start-up and a rate [neuroncore 3.5]
Cost gpsimd_cost(int64_t elements, const hw::Fact<double>& rate, const hw::CoreSpec& core);

}  // namespace trainyard::isa
