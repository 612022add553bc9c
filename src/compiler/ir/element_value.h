#pragma once
// Single elements of dense data as numbers and as text.
#include <cstdint>
#include <string>

#include "compiler/ir/attribute.h"

namespace trainyard::compiler {

// The number that `bits` stand for in a float type. Exact: every such type fits in a double.
double to_double(ElementType float_type, uint64_t bits);

// The number that `bits` stand for in an integer type, sign-extended where the type is signed.
int64_t to_integer(ElementType integer_type, uint64_t bits);

// The bits of element `index` (0 for every index of a splat). Not for complex types.
uint64_t element_bits(const Constant& constant, int64_t index);

// Element `index` as text: "1.5", "-3", "true", "(1, 0)", "0x7F" for a quantised one.
std::string element_text(const Constant& constant, int64_t index);

// The whole constant: "dense<0.5>" for a splat, a list when it is short, otherwise the first
// elements and a checksum of all bytes.
std::string str(const Constant& constant);

}  // namespace trainyard::compiler
