#pragma once
// What is known about the numbers that a value can hold.
#include "compiler/lower/lowering.h"

namespace trainyard::compiler {

// Below it an inverse could overflow; divisors are then scaled by kDivisorScale, a power of two.
inline constexpr float kSmallestDivisor = 0x1p-100f;
inline constexpr float kDivisorScale = 0x1p60f;

// Proven: every element is NaN, or its magnitude is at least kSmallestDivisor.
bool is_far_from_zero(const Lowering& lowering, ValueId value);

}  // namespace trainyard::compiler
