#pragma once
// Puts every called function and every composite without a kernel of its own into `main`, and takes
// away what says only where a value lives: shardings and placements mean nothing on one device.
#include <string_view>

#include "base/status.h"
#include "compiler/ir/graph.h"

namespace trainyard::compiler {

// Ok for a program of one device: one partition, one replica, no mesh of more than one device.
// The passes and the lowering need it.
Status check_single_device(const Module& module);

// Before: check_single_device. After: no call, no Shardy operation and no identity custom call in
// `main`; the other functions are gone, except what a composite that stays decomposes to. An
// operation that has no line of its own got the line of its call.
Status inline_calls(Module& module);

// True for a composite that is lowered as one operation, for these types.
bool has_composite_kernel(const Function& function, const Op& op);

}  // namespace trainyard::compiler
