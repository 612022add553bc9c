#pragma once
// What a failed TY_CHECK does to a process that is not ours.
#include <stdexcept>

namespace trainyard {

// Thrown by a failed check after throw_failed_checks().
struct InternalError : std::logic_error {
  using std::logic_error::logic_error;
};

// From now on failed checks throw instead of ending the process. For libraries that a framework
// loads: its process has work of its own to lose. They catch everything where they are entered.
void throw_failed_checks();

}  // namespace trainyard
