#pragma once
// A second opinion on a placement, by brute force: every byte, every pair of accesses, and the
// whole happens-before relation of the unrolled program as a bit matrix. Shares with sim::check
// only the stream walker, which says what an edge means. For small programs.
#include <string>

#include "isa/program.h"
#include "isa/stream.h"

namespace trainyard::check_test {

struct Verdict {
  bool deadlock = false;
  bool race = false;           // a pair that conflicts and is not ordered
  bool wrong = false;          // ordered, but a read does not see the writer that the body names
  bool uninitialised = false;  // a read that nothing was written for, in body order
  std::string why;             // the first of them, for a failing test

  bool silent() const { return !deadlock && !race && !wrong && !uninitialised; }
};

// No hand-written semaphores, registers in addresses or index tiles.
Verdict judge(const isa::Program& program, const isa::TripRecord& trips);

}  // namespace trainyard::check_test
