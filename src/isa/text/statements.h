#pragma once
// Readers of instructions and of what stands right of an `@`.
#include <string_view>
#include <vector>

#include "isa/text/context.h"

namespace trainyard::isa::text {

// The names of all instructions.
std::vector<std::string_view> instruction_names();
bool is_instruction_name(std::string_view name);

// An instruction from its name up to, and without, `on` and `@`:
//   name dst, ... <- src, ... words key=value flags
// Derived from the instruction's `fields`.
Instruction read_instruction(Context& c);

// `0x0 partition 64 slots 2 pitch 0x8000`, `bank 0 + 64 slots 8`; the `@` has been read.
TensorPlace read_tensor_place(Context& c, Memory memory);
// `tensor, after x, y(k){m-2}`; the `@` has been read. Edges go to c.pending.
InstPlace read_inst_place(Context& c, InstId waiter);

}  // namespace trainyard::isa::text
