// The table of functions, and the one symbol that the library exports.
#include "pjrt/error.h"
#include "pjrt/handles.h"

namespace trainyard::pjrt {
namespace {

// Whatever has no row in an add_*_functions answers UNIMPLEMENTED, which the framework takes for an
// optional function.
PJRT_Api make_api() {
  PJRT_Api api = {};
  api.struct_size = sizeof(PJRT_Api);
  api.extension_start = extensions();
  api.pjrt_api_version.struct_size = sizeof(PJRT_Api_Version);
  api.pjrt_api_version.major_version = kPjrtMajor;
  api.pjrt_api_version.minor_version = kPjrtMinor;
#define TY_PJRT_VOID_FUNCTION(Name)
#define TY_PJRT_FUNCTION(Name) \
  api.Name = [](PJRT_##Name##_Args*) noexcept { return to_error(unimplemented(#Name)); };
#include "pjrt/c_api/functions.inc"
#undef TY_PJRT_FUNCTION
#undef TY_PJRT_VOID_FUNCTION
  add_error_functions(api);
  add_event_functions(api);
  add_client_functions(api);
  add_device_functions(api);
  add_memory_functions(api);
  add_buffer_functions(api);
  add_transfer_functions(api);
  add_executable_functions(api);
  add_loaded_executable_functions(api);
  add_topology_functions(api);
  return api;
}

}  // namespace
}  // namespace trainyard::pjrt

extern "C" __attribute__((visibility("default"))) const PJRT_Api* GetPjrtApi() {
  static const PJRT_Api api = trainyard::pjrt::make_api();
  return &api;
}
