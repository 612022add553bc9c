#pragma once
// Whether the tensors lie inside their memories at all.
#include "sim/check/findings.h"

namespace trainyard::sim::hazard {

// One finding per memory that is too small, with the table of what reaches beyond its end.
void check_capacity(const isa::Program& program, const Layout& layout, const hw::CoreSpec& core,
                    Findings& findings);

}  // namespace trainyard::sim::hazard
