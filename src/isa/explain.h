#pragma once
// Pages about the instructions, for `trainyard explain nc_matmul`.
#include <vector>

#include "hw/explain.h"

namespace trainyard::isa {

// One page per instruction, in the order of isa::Instruction: what it computes, its operands, its
// engines, its limits and its cost, with the numbers of `machine`. The rows are the constants that
// the page names, with trust and source.
std::vector<hw::Page> instruction_pages(const hw::Machine& machine);

}  // namespace trainyard::isa
