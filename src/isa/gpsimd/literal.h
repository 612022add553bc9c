#pragma once
// Literals of GpSimd programs: numbers to bits and back to text.
#include <string>

#include "isa/gpsimd/types.h"

namespace trainyard::isa::gpsimd {

// The low bits of `value`; of i1: whether it is not 0.
uint64_t integer_bits(Type type, int64_t value);
// `value` rounded to a float type, once.
uint64_t real_bits(Type type, double value);
// A fp64 value rounded to fp32 so that a second rounding to 16 bits rounds right: an inexact result
// has an odd last bit.
float round_to_odd(double value);

// "-3", "0.1", "bits 0x7fc1" for what has no number. Reading it gives the same bits.
std::string print_literal(Type type, uint64_t bits);
// The bits of a decimal number in a float type; nothing if the text is none.
std::optional<uint64_t> parse_real(Type type, std::string_view text);

}  // namespace trainyard::isa::gpsimd
