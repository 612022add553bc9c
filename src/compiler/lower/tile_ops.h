#pragma once
// What Vector and Scalar can do with a tile, operation by operation.
#include <optional>

#include "compiler/lower/lowering.h"

namespace trainyard::compiler {

// Types that tiles hold exactly and that the engines compute as StableHLO does.
bool is_tile_type(ElementType type);  // f32, bf16, f16, i1

// An element-wise operation that tiles can do on these operand and result types. The reasons why
// others cannot: Vector and Scalar compute in fp32 (wide integers, f64), round to nearest where
// StableHLO truncates (float to integer), or have no such function over its whole range.
bool is_tile_elementwise(const Lowering& lowering, const Op& op);

// A sum, maximum or minimum of one float operand that starts from the neutral element.
struct SimpleReduce {
  isa::AluOp op = isa::AluOp::Add;
  float start = 0;
};
std::optional<SimpleReduce> simple_reduce(const Lowering& lowering, const Op& op);

// The number in one element of a constant, as fp32. Only for tile types.
float number_of(const Constant& constant);

}  // namespace trainyard::compiler
