#pragma once
// Who touches which tensor: the operands of all instructions, by the tensor whose memory they use.
#include <string_view>
#include <vector>

#include "isa/operands.h"
#include "isa/program.h"
#include "isa/structure.h"
#include "sim/values/compile.h"

namespace trainyard::sim {

struct Use {
  isa::InstId inst = -1;
  const isa::Access* access = nullptr;  // in the program
  isa::Role role = isa::Role::Read;
};

struct Uses {
  Uses(const isa::Program& program, const std::vector<Home>& homes);

  isa::Structure structure;
  std::vector<std::vector<Use>> of;  // by root, in body order
  std::vector<bool> has_views;       // by root: other tensors lie in it
};

// Whether `inner` lies inside the block that `outer` encloses.
bool is_inside(const std::vector<isa::Enclosure>& inner, const std::vector<isa::Enclosure>& outer);

}  // namespace trainyard::sim
