#include "pjrt/error.h"
#include "pjrt/handles.h"

namespace trainyard::pjrt {
namespace {

// A client's topology goes with the client, and there are no others.
Status topology_destroy(PJRT_TopologyDescription_Destroy_Args&) { return {}; }

Status topology_platform_name(PJRT_TopologyDescription_PlatformName_Args& args) {
  args.platform_name = kPlatform.data();
  args.platform_name_size = kPlatform.size();
  return {};
}

Status topology_platform_version(PJRT_TopologyDescription_PlatformVersion_Args& args) {
  args.platform_version = args.topology->platform_version.c_str();
  args.platform_version_size = args.topology->platform_version.size();
  return {};
}

Status topology_device_descriptions(PJRT_TopologyDescription_GetDeviceDescriptions_Args& args) {
  args.descriptions = args.topology->descriptions.data();
  args.num_descriptions = args.topology->descriptions.size();
  return {};
}

Status topology_attributes(PJRT_TopologyDescription_Attributes_Args& args) {
  const auto values = args.topology->attributes.span();
  args.attributes = values.data();
  args.num_attributes = values.size();
  return {};
}

Status topology_fingerprint(PJRT_TopologyDescription_Fingerprint_Args& args) {
  args.fingerprint = args.topology->fingerprint;
  return {};
}

}  // namespace

void add_topology_functions(PJRT_Api& api) {
  api.TopologyDescription_Destroy = Entry<topology_destroy>::call;
  api.TopologyDescription_PlatformName = Entry<topology_platform_name>::call;
  api.TopologyDescription_PlatformVersion = Entry<topology_platform_version>::call;
  api.TopologyDescription_GetDeviceDescriptions = Entry<topology_device_descriptions>::call;
  api.TopologyDescription_Attributes = Entry<topology_attributes>::call;
  api.TopologyDescription_Fingerprint = Entry<topology_fingerprint>::call;
}

}  // namespace trainyard::pjrt
