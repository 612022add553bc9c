#pragma once
// The ALU operators on one pair of numbers, for chains: the same bits as the vectors of alu.h.
#include "base/check.h"
#include "sim/execute/tile/alu.h"

namespace trainyard::sim {

inline bool is_nan(float v) { return v != v; }  // NOLINT: only a NaN differs from itself

template <AluOp Op>
inline float scalar_alu(float a, float b, bool propagate_nan) {
  const auto pick = [&](bool better) { return better || is_nan(propagate_nan ? a : b) ? a : b; };
  if constexpr (Op == AluOp::Add) return a + b;
  if constexpr (Op == AluOp::Subtract) return a - b;
  if constexpr (Op == AluOp::Multiply) return a * b;
  if constexpr (Op == AluOp::Max) return pick(a > b);
  if constexpr (Op == AluOp::Min) return pick(a < b);
  if constexpr (Op == AluOp::LogicalAnd) return a != 0 && b != 0 ? 1.0f : 0.0f;
  if constexpr (Op == AluOp::LogicalOr) return a != 0 || b != 0 ? 1.0f : 0.0f;
  if constexpr (Op == AluOp::LogicalXor) return (a != 0) != (b != 0) ? 1.0f : 0.0f;
}

}  // namespace trainyard::sim
