#include <array>

#include "base/check_failure.h"
#include "pjrt/error.h"
#include "pjrt/handles.h"

namespace trainyard::pjrt {
namespace {

// The process is the framework's: our own bugs must not end it.
Status plugin_initialize(PJRT_Plugin_Initialize_Args&) {
  throw_failed_checks();
  return {};
}

// What JAX may send us: StableHLO 1.13 is what the reader knows (specification of the reader).
Status plugin_attributes(PJRT_Plugin_Attributes_Args& args) {
  static const NamedValues attributes = [] {
    NamedValues made;
    made.add("stablehlo_current_version", std::vector<int64_t>{1, 13, 0});
    made.add("stablehlo_minimum_version", std::vector<int64_t>{0, 9, 0});
    return made;
  }();
  args.attributes = attributes.span().data();
  args.num_attributes = attributes.span().size();
  return {};
}

Status client_create(PJRT_Client_Create_Args& args) {
  const std::span options(args.create_options, args.num_options);
  const auto lookup = [&](std::string_view key) {
    const std::string given = find_text(options, key);
    return given.empty() ? runtime::from_environment(key) : given;
  };
  Result<runtime::Settings> settings = runtime::read_settings(lookup);
  if (!settings.ok()) return settings.status();
  Result<std::shared_ptr<runtime::Process>> shared = process();
  if (!shared.ok()) return shared.status();
  args.client = new PJRT_Client(std::move(*shared), std::move(*settings));
  return {};
}

Status client_destroy(PJRT_Client_Destroy_Args& args) {
  delete args.client;
  return {};
}

Status client_platform_name(PJRT_Client_PlatformName_Args& args) {
  args.platform_name = kPlatform.data();
  args.platform_name_size = kPlatform.size();
  return {};
}

Status client_platform_version(PJRT_Client_PlatformVersion_Args& args) {
  args.platform_version = args.client->topology.platform_version.c_str();
  args.platform_version_size = args.client->topology.platform_version.size();
  return {};
}

Status client_process_index(PJRT_Client_ProcessIndex_Args& args) {
  args.process_index = 0;
  return {};
}

Status client_devices(PJRT_Client_Devices_Args& args) {
  args.devices = args.client->devices.data();
  args.num_devices = args.client->devices.size();
  return {};
}

Status client_addressable_devices(PJRT_Client_AddressableDevices_Args& args) {
  args.addressable_devices = args.client->devices.data();
  args.num_addressable_devices = args.client->devices.size();
  return {};
}

Result<PJRT_Device*> find(const PJRT_Client& client, int id) {
  const runtime::Device* device = client.client.find_device(id);
  if (device != nullptr) return client.handle(*device);
  return error("TY-PJRT-005", "there is no device {}; {} has devices 0 to {}.", id,
               client.client.machine().name, client.devices.size() - 1);
}

Status client_lookup_device(PJRT_Client_LookupDevice_Args& args) {
  const Result<PJRT_Device*> device = find(*args.client, args.id);
  if (!device.ok()) return device.status();
  args.device = *device;
  return {};
}

Status client_lookup_addressable_device(PJRT_Client_LookupAddressableDevice_Args& args) {
  const Result<PJRT_Device*> device = find(*args.client, args.local_hardware_id);
  if (!device.ok()) return device.status();
  args.addressable_device = *device;
  return {};
}

Status client_addressable_memories(PJRT_Client_AddressableMemories_Args& args) {
  args.addressable_memories = args.client->memories.data();
  args.num_addressable_memories = args.client->memories.size();
  return {};
}

Status client_default_device_assignment(PJRT_Client_DefaultDeviceAssignment_Args& args) {
  const int64_t wanted = int64_t{args.num_replicas} * args.num_partitions;
  if (wanted > static_cast<int64_t>(args.client->devices.size()) ||
      wanted > static_cast<int64_t>(args.default_assignment_size)) {
    return error("TY-PJRT-005", "{} devices were asked for; {} has {}.", wanted,
                 args.client->client.machine().name, args.client->devices.size());
  }
  for (int64_t i = 0; i < wanted; ++i) args.default_assignment[i] = static_cast<int>(i);
  return {};
}

Status client_topology_description(PJRT_Client_TopologyDescription_Args& args) {
  args.topology = &args.client->topology;
  return {};
}

// There is one process, which knows itself. An error would end it.
Status client_update_global_process_info(PJRT_Client_UpdateGlobalProcessInfo_Args&) { return {}; }

}  // namespace

Result<std::shared_ptr<runtime::Process>> process() {
  static std::mutex mutex;
  static std::shared_ptr<runtime::Process> shared;
  const std::lock_guard lock(mutex);
  if (shared == nullptr) {
    const Result<int> threads = runtime::thread_count();
    if (!threads.ok()) return threads.status();
    shared = std::make_shared<runtime::Process>(*threads);
  }
  return shared;
}

void add_client_functions(PJRT_Api& api) {
  api.Plugin_Initialize = Entry<plugin_initialize>::call;
  api.Plugin_Attributes = Entry<plugin_attributes>::call;
  api.Client_Create = Entry<client_create>::call;
  api.Client_Destroy = Entry<client_destroy>::call;
  api.Client_PlatformName = Entry<client_platform_name>::call;
  api.Client_PlatformVersion = Entry<client_platform_version>::call;
  api.Client_ProcessIndex = Entry<client_process_index>::call;
  api.Client_Devices = Entry<client_devices>::call;
  api.Client_AddressableDevices = Entry<client_addressable_devices>::call;
  api.Client_LookupDevice = Entry<client_lookup_device>::call;
  api.Client_LookupAddressableDevice = Entry<client_lookup_addressable_device>::call;
  api.Client_AddressableMemories = Entry<client_addressable_memories>::call;
  api.Client_DefaultDeviceAssignment = Entry<client_default_device_assignment>::call;
  api.Client_TopologyDescription = Entry<client_topology_description>::call;
  api.Client_UpdateGlobalProcessInfo = Entry<client_update_global_process_info>::call;
}

}  // namespace trainyard::pjrt
