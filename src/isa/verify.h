#pragma once
// Says whether a program can run on a core at all: every documented limit of the instructions, of
// the body and of the placement that does not depend on data. Race freedom, capacity at the peak
// and run-time addresses are not decided here but by `check` and by the run.
//
// Messages name the operand, the limit, the value and a way out, and lie at the user's line. Each
// code has a page in docs/errors/.
#include <vector>

#include "hw/core_spec.h"
#include "isa/program.h"

namespace trainyard::isa {

// Ok, or the first reason why `program` can never run on `core`. Safe for any Program whatever its
// contents: ids are checked before they are used.
Status verify(const Program& program, const hw::CoreSpec& core);

// All reasons, as far as they do not follow from each other: of the structure, or else of tensors,
// or else of loops, or else of placed tensors, or else one per instruction in body order.
std::vector<Status> verify_all(const Program& program, const hw::CoreSpec& core);

// One instruction, by itself: operators, types, memories, shapes, patterns, generation. Ids must be
// valid. Addresses that depend on counters are not bounded here, because the loops around are not
// known.
Status verify(const Program& program, const Inst& inst, const hw::CoreSpec& core);

}  // namespace trainyard::isa
