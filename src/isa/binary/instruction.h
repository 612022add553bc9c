#pragma once
// Instructions in the binary form: a code, a mask that says which attributes follow, then the
// operands and those attributes in the order of `fields` (isa/instructions.h). An attribute that
// keeps its default is left out, so instructions stay short and may gain attributes at their end.
#include "isa/program.h"

namespace trainyard::isa::binary {

class Reader;
class Writer;

void write_instruction(Writer& a, const Instruction& inst);
void read_instruction(Reader& a, Instruction& inst);

}  // namespace trainyard::isa::binary
