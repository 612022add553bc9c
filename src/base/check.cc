#include "base/check.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/check_failure.h"

namespace trainyard {
namespace {

std::atomic<bool> throws = false;

}  // namespace

void throw_failed_checks() { throws = true; }

void check_failed(const char* file, int line, const char* expression) {
  if (throws) {
    throw InternalError(std::string("internal error at ") + file + ":" + std::to_string(line) +
                        ": " + expression + " does not hold. Please report it.");
  }
  std::fprintf(stderr, "trainyard: internal error at %s:%d: %s does not hold. Please report it.\n",
               file, line, expression);
  std::abort();
}

}  // namespace trainyard
