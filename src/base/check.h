#pragma once
// TY_CHECK states what must be true inside our own code, in every build. A failure is our bug,
// never the user's: it prints the place and aborts. What a user can cause is a Status
// (base/status.h).

namespace trainyard {

[[noreturn]] void check_failed(const char* file, int line, const char* expression);

}  // namespace trainyard

#define TY_CHECK(expression) \
  ((expression) ? (void)0 : ::trainyard::check_failed(__FILE_NAME__, __LINE__, #expression))
