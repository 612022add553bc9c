#pragma once
// Checks a program from anywhere before it is run or costed. What passes cannot crash the executor:
// its only ends are the results, a fault (TY-GPS-020, 021) or the step limit (TY-GPS-022).
//
//   TY-GPS-001  a damaged program          TY-GPS-006  no declared maximum
//   TY-GPS-002  types do not fit           TY-GPS-007  a combiner does not fit or is not pure
//   TY-GPS-003  a strip is too long        TY-GPS-008  working memory is exceeded
//   TY-GPS-004  a window does not fit      TY-GPS-009  a bounds policy does not fit
//   TY-GPS-005  a window is not for that   TY-GPS-010  a primitive does not fit its windows
#include "base/status.h"
#include "hw/core_spec.h"
#include "isa/gpsimd/program.h"

namespace trainyard::isa::gpsimd {

// What a core offers to a program.
struct Limits {
  int64_t strip = 0;          // elements
  int64_t working_bytes = 0;  // the local memories of all processors
  int64_t scratch_bytes = 0;  // SBUF
};
Limits limits(const hw::CoreSpec& core);

// Places are the lines of the text that the program was read from, if it was.
Status verify(const Program& program, const Limits& limits);

// Most bytes of values that are alive at once. The function must be well formed.
int64_t working_bytes(const Function& function);

// The parts of `verify`, in the order in which they rely on each other.
Status verify_windows(const Program& program);
Status verify_structure(const Program& program, const Function& function);
Status verify_op(const Program& program, const Function& function, const Op& op);
Status verify_primitive(const Program& program, const Function& function, const Op& op);
// That `fold` combines `types` (their scalars); a function takes them twice.
Status verify_fold(const Program& program, const Fold& fold, const std::vector<Type>& types);

}  // namespace trainyard::isa::gpsimd
