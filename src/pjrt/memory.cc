#include "pjrt/error.h"
#include "pjrt/handles.h"

namespace trainyard::pjrt {
namespace {

// Ours alone; it only has to be the same for every "device" memory.
constexpr int kDeviceKindId = 0;

Status memory_id(PJRT_Memory_Id_Args& args) {
  args.id = args.memory->id;
  return {};
}

Status memory_kind(PJRT_Memory_Kind_Args& args) {
  args.kind = kMemoryKind.data();
  args.kind_size = kMemoryKind.size();
  return {};
}

Status memory_kind_id(PJRT_Memory_Kind_Id_Args& args) {
  args.kind_id = kDeviceKindId;
  return {};
}

Status memory_debug_string(PJRT_Memory_DebugString_Args& args) {
  args.debug_string = args.memory->text.c_str();
  args.debug_string_size = args.memory->text.size();
  return {};
}

Status memory_to_string(PJRT_Memory_ToString_Args& args) {
  args.to_string = args.memory->text.c_str();
  args.to_string_size = args.memory->text.size();
  return {};
}

Status memory_addressable_by_devices(PJRT_Memory_AddressableByDevices_Args& args) {
  args.devices = args.memory->device->self;
  args.num_devices = std::size(args.memory->device->self);
  return {};
}

}  // namespace

void add_memory_functions(PJRT_Api& api) {
  api.Memory_Id = Entry<memory_id>::call;
  api.Memory_Kind = Entry<memory_kind>::call;
  api.Memory_Kind_Id = Entry<memory_kind_id>::call;
  api.Memory_DebugString = Entry<memory_debug_string>::call;
  api.Memory_ToString = Entry<memory_to_string>::call;
  api.Memory_AddressableByDevices = Entry<memory_addressable_by_devices>::call;
}

}  // namespace trainyard::pjrt
