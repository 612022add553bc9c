// The compiled half of the Python package `trainyard`: bindings, no logic.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "python/plugin.h"

NB_MODULE(_native, module) {
  module.doc() = "Compiled parts of trainyard.";
  module.def("version", [] { return std::string(TRAINYARD_VERSION); });
  module.def("simulated_time", &trainyard::python::simulated_time, nanobind::arg("library"),
             nanobind::call_guard<nanobind::gil_scoped_release>(),
             "JSON: what ran since the last call in the plug-in `library`.");
}
