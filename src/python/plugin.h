#pragma once
// Asks the PJRT plug-in that JAX has loaded.
#include <string>

namespace trainyard::python {

// JSON of runtime::SimulatedTime. Loads `library` if nobody has; throws std::runtime_error with the
// code if it cannot be loaded, is no plug-in of ours, or a program cannot be timed.
std::string simulated_time(const std::string& library);

}  // namespace trainyard::python
