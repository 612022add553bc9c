#pragma once
// The part of a body that holds some instructions, flattened into a list of steps with jumps, so
// that a walk needs no recursion.
#include <cstdint>
#include <vector>

#include "isa/program.h"

namespace trainyard::isa {

using InstSet = std::vector<char>;  // by InstId, or empty

struct Step {
  enum class Kind : uint8_t { Instruction, LoopBegin, LoopEnd, Exit, BranchBegin, ArmEnd, End };
  Kind kind = Kind::End;
  bool control = false;  // emits an item
  int32_t id = -1;       // InstId, LoopId or BranchId
  // LoopBegin and Exit: past the end; LoopEnd: first of the body; BranchBegin: the else arm;
  // ArmEnd: past the branch.
  int32_t jump = -1;
  int64_t position = 0;  // in its block
};

// Steps over the instructions in `wanted` and the loops and branches that hold one of them.
// Run-time loops and branches that hold one of `controlled` emit items of their own.
std::vector<Step> flatten(const Program& program, const InstSet& wanted, const InstSet& controlled);

}  // namespace trainyard::isa
