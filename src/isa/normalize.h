#pragma once
// One numbering for equal programs.
#include "isa/program.h"

namespace trainyard::isa {

// The same program, numbered in the order of the body: tensors, instructions, loops and branches
// count up as a reader of the text meets them. What the body does not reach is dropped, fields that
// mean nothing for their kind of statement are reset (a `repeat` has no trips), and the placement
// has an entry for everything. Registers, semaphores and source lines stay as they are.
Program normalized(const Program& program);

}  // namespace trainyard::isa
