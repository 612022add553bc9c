#pragma once
// The Python that commands start.
#include <string>

namespace trainyard::tools {

// TRAINYARD_PYTHON if it is set; in a clone the environment that `./dev` makes; else the first
// python3 of the search path.
std::string python_program();

}  // namespace trainyard::tools
