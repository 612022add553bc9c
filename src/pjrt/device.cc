#include "pjrt/error.h"
#include "pjrt/handles.h"

namespace trainyard::pjrt {
namespace {

Status description_id(PJRT_DeviceDescription_Id_Args& args) {
  args.id = args.device_description->id;
  return {};
}

Status description_process_index(PJRT_DeviceDescription_ProcessIndex_Args& args) {
  args.process_index = 0;
  return {};
}

Status description_attributes(PJRT_DeviceDescription_Attributes_Args& args) {
  const auto values = args.device_description->attributes.span();
  args.attributes = values.data();
  args.num_attributes = values.size();
  return {};
}

Status description_kind(PJRT_DeviceDescription_Kind_Args& args) {
  args.device_kind = args.device_description->kind.c_str();
  args.device_kind_size = args.device_description->kind.size();
  return {};
}

Status description_debug_string(PJRT_DeviceDescription_DebugString_Args& args) {
  args.debug_string = args.device_description->debug.c_str();
  args.debug_string_size = args.device_description->debug.size();
  return {};
}

Status description_to_string(PJRT_DeviceDescription_ToString_Args& args) {
  args.to_string = args.device_description->text.c_str();
  args.to_string_size = args.device_description->text.size();
  return {};
}

Status device_get_description(PJRT_Device_GetDescription_Args& args) {
  args.device_description = &args.device->description;
  return {};
}

Status device_is_addressable(PJRT_Device_IsAddressable_Args& args) {
  args.is_addressable = true;
  return {};
}

Status device_local_hardware_id(PJRT_Device_LocalHardwareId_Args& args) {
  args.local_hardware_id = args.device->description.id;
  return {};
}

Status device_addressable_memories(PJRT_Device_AddressableMemories_Args& args) {
  args.memories = args.device->memories;
  args.num_memories = std::size(args.device->memories);
  return {};
}

Status device_default_memory(PJRT_Device_DefaultMemory_Args& args) {
  args.memory = &args.device->memory;
  return {};
}

// The attributes live as long as the device: there is nothing to delete.
Status device_get_attributes(PJRT_Device_GetAttributes_Args& args) {
  const auto values = args.device->description.attributes.span();
  args.attributes = values.data();
  args.num_attributes = values.size();
  args.device_attributes = nullptr;
  args.attributes_deleter = [](PJRT_Device_Attributes*) {};
  return {};
}

Status device_memory_stats(PJRT_Device_MemoryStats_Args& args) {
  const runtime::MemoryStats stats = args.device->device->memory().stats();
  args.bytes_in_use = stats.in_use;
  args.peak_bytes_in_use = stats.peak;
  args.peak_bytes_in_use_is_set = true;
  args.num_allocs = stats.allocations;
  args.num_allocs_is_set = true;
  args.largest_alloc_size = stats.largest;
  args.largest_alloc_size_is_set = true;
  args.bytes_limit = stats.limit;
  args.bytes_limit_is_set = true;
  args.bytes_reserved_is_set = false;
  args.peak_bytes_reserved_is_set = false;
  args.bytes_reservable_limit_is_set = false;
  args.largest_free_block_bytes_is_set = false;
  args.pool_bytes_is_set = false;
  args.peak_pool_bytes_is_set = false;
  if (TY_COVERS(args, peak_allocated_bytes_is_set)) args.peak_allocated_bytes_is_set = false;
  return {};
}

Status device_clear_memory_stats(PJRT_Device_ClearMemoryStats_Args& args) {
  args.device->device->memory().clear_peak();
  return {};
}

}  // namespace

void add_device_functions(PJRT_Api& api) {
  api.DeviceDescription_Id = Entry<description_id>::call;
  api.DeviceDescription_ProcessIndex = Entry<description_process_index>::call;
  api.DeviceDescription_Attributes = Entry<description_attributes>::call;
  api.DeviceDescription_Kind = Entry<description_kind>::call;
  api.DeviceDescription_DebugString = Entry<description_debug_string>::call;
  api.DeviceDescription_ToString = Entry<description_to_string>::call;
  api.Device_GetDescription = Entry<device_get_description>::call;
  api.Device_IsAddressable = Entry<device_is_addressable>::call;
  api.Device_LocalHardwareId = Entry<device_local_hardware_id>::call;
  api.Device_AddressableMemories = Entry<device_addressable_memories>::call;
  api.Device_DefaultMemory = Entry<device_default_memory>::call;
  api.Device_GetAttributes = Entry<device_get_attributes>::call;
  api.Device_MemoryStats = Entry<device_memory_stats>::call;
  api.Device_ClearMemoryStats = Entry<device_clear_memory_stats>::call;
}

}  // namespace trainyard::pjrt
