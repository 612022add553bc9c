#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace trainyard {

void check_failed(const char* file, int line, const char* expression) {
  std::fprintf(stderr, "trainyard: internal error at %s:%d: %s does not hold. Please report it.\n",
               file, line, expression);
  std::abort();
}

}  // namespace trainyard
