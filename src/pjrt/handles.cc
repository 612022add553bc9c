#include "pjrt/handles.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace trainyard::pjrt {
namespace {

void* get_user_data(PJRT_Memory* memory, const void* key) {
  const std::lock_guard lock(memory->mutex);
  const auto found = memory->user_data.find(key);
  return found == memory->user_data.end() ? nullptr : found->second.data;
}

void set_user_data(PJRT_Memory* memory, const void* key, void* data, void (*dtor)(void*)) {
  PJRT_Memory::UserData old;
  {
    const std::lock_guard lock(memory->mutex);
    old = std::exchange(memory->user_data[key], {data, dtor});
  }
  if (old.dtor != nullptr) old.dtor(old.data);
}

constexpr PJRT_Memory_FunctionTable kMemoryTable = {
    .struct_size = sizeof(PJRT_Memory_FunctionTable),
    .extension_start = nullptr,
    .instance_struct_size = sizeof(PJRT_Memory),
    .get_user_data = get_user_data,
    .set_user_data = set_user_data,
};

NamedValues attributes_of(const runtime::Client& client, int id) {
  const hw::Machine& machine = client.machine();
  NamedValues out;
  out.add("target", machine.name);
  out.add("chip", std::string(machine.chip.product));
  out.add("core_on_chip", int64_t{id});
  out.add("lnc", int64_t{machine.lnc});
  out.add("hbm_bytes", runtime::hbm_bytes(machine));
  out.add("sbuf_bytes",
          machine.core.sbuf.partition_bytes.value * machine.core.limits.partitions.value);
  out.add("psum_bytes",
          machine.core.psum.partition_bytes.value * machine.core.limits.partitions.value);
  out.add("mode", std::string(runtime::name(client.settings().mode)));
  return out;
}

void describe(PJRT_Device& device, const runtime::Client& client) {
  const int id = device.device->id();
  const hw::Machine& machine = client.machine();
  device.description.id = id;
  device.description.kind = machine.core.name;
  device.description.debug = device.device->name();
  device.description.text = fmt::format("TrainyardDevice(id={}, {})", id, machine.core.name);
  device.description.attributes = attributes_of(client, id);
  device.memory.vtable = &kMemoryTable;
  device.memory.device = &device;
  device.memory.id = id;
  device.memory.text = fmt::format("HBM of {}", device.device->name());
}

}  // namespace

PJRT_Buffer* wrap(PJRT_Client* client, std::unique_ptr<runtime::Buffer> buffer) {
  return new PJRT_Buffer{client, std::move(buffer)};
}

}  // namespace trainyard::pjrt

PJRT_Memory::~PJRT_Memory() {
  for (auto& [key, entry] : user_data) {
    if (entry.dtor != nullptr) entry.dtor(entry.data);
  }
}

PJRT_Client::PJRT_Client(std::shared_ptr<trainyard::runtime::Process> process,
                         trainyard::runtime::Settings settings)
    : client(std::move(process), std::move(settings)) {
  for (const auto& device : client.devices()) {
    auto handle = std::make_unique<PJRT_Device>();
    handle->device = device.get();
    handle->client = this;
    trainyard::pjrt::describe(*handle, client);
    devices.push_back(handle.get());
    memories.push_back(&handle->memory);
    topology.descriptions.push_back(&handle->description);
    owned.push_back(std::move(handle));
  }
  topology.platform_version =
      fmt::format("trainyard {} on {}", TRAINYARD_VERSION, client.machine().name);
  const std::string& text = topology.platform_version;
  topology.fingerprint = XXH3_64bits_withSeed(text.data(), text.size(), devices.size());
  topology.attributes.add("target", client.machine().name);
}
