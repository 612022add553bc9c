#pragma once
// Writers of the parts of the text form, the mirror of values.h and statements.h. All take a
// normalized program (isa/normalize.h), for the names behind the ids.
#include <string>
#include <vector>

#include "isa/program.h"

namespace trainyard::isa::text {

std::string print(const Program& p, const Affine& affine);
// The shortest text that reads back to the same bits; it always shows that it is a float.
std::string print(float value);
std::string print(const std::vector<Dim>& dims);
// The nicest of `t`, `t[...]` and `t.ap(...)` that reads back to exactly this access.
std::string print(const Program& p, const Access& access);
std::string print(const Program& p, const Operand& operand);
std::string print(const Program& p, const RegisterOperand& operand);
// `name dst <- src, src words key=value flags`; what equals its default is left out.
std::string print(const Program& p, const Instruction& inst);
// What stands right of the `@`; empty if nothing is placed.
std::string print(const TensorPlace& place, Memory memory);
std::string print(const Program& p, const InstPlace& place);

}  // namespace trainyard::isa::text
