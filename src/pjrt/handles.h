#pragma once
// What is behind the handles that the framework holds.
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "pjrt/c_api/api.h"
#include "pjrt/compile_options.h"
#include "pjrt/named_values.h"
#include "runtime/client.h"
#include "runtime/loaded_executable.h"

struct PJRT_Event {
  std::shared_ptr<trainyard::runtime::Event> event;
};

struct PJRT_DeviceDescription {
  int id = 0;
  std::string kind;   // "NeuronCore-v3"
  std::string debug;  // "trainyard:0"
  std::string text;   // "TrainyardDevice(id=0, NeuronCore-v3)"
  trainyard::pjrt::NamedValues attributes;
};

// The device memory of one core. The first word is part of the interface.
struct PJRT_Memory {
  const PJRT_Memory_FunctionTable* vtable = nullptr;
  PJRT_Device* device = nullptr;
  int id = 0;
  std::string text;

  struct UserData {
    void* data = nullptr;
    void (*dtor)(void*) = nullptr;
  };
  std::mutex mutex;
  std::map<const void*, UserData> user_data;
  ~PJRT_Memory();
};

struct PJRT_Device {
  trainyard::runtime::Device* device = nullptr;
  PJRT_Client* client = nullptr;
  PJRT_DeviceDescription description;
  PJRT_Memory memory;
  PJRT_Memory* memories[1] = {&memory};
  PJRT_Device* self[1] = {this};
};

struct PJRT_TopologyDescription {
  std::string platform_version;
  std::vector<PJRT_DeviceDescription*> descriptions;
  trainyard::pjrt::NamedValues attributes;
  uint64_t fingerprint = 0;
};

struct PJRT_Client {
  explicit PJRT_Client(std::shared_ptr<trainyard::runtime::Process> process,
                       trainyard::runtime::Settings settings);
  trainyard::runtime::Client client;
  std::vector<std::unique_ptr<PJRT_Device>> owned;
  std::vector<PJRT_Device*> devices;
  std::vector<PJRT_Memory*> memories;
  PJRT_TopologyDescription topology;

  PJRT_Device* handle(const trainyard::runtime::Device& device) const {
    return devices[static_cast<size_t>(device.id())];
  }
};

struct PJRT_Buffer {
  PJRT_Client* client = nullptr;
  std::unique_ptr<trainyard::runtime::Buffer> buffer;
};

// A compiled program with the answers to everything that the framework asks about it.
struct PJRT_Executable {
  PJRT_Executable(std::shared_ptr<const trainyard::runtime::Code> code, std::string options);
  std::shared_ptr<const trainyard::runtime::Code> code;
  std::string compile_options;  // serialized, as they came
  std::string fingerprint;
  std::vector<PJRT_Buffer_Type> output_types;
  std::vector<int64_t> output_dims;       // of all results, one after another
  std::vector<size_t> output_dim_sizes;   // how many dims each has
  std::vector<const char*> memory_kinds;  // as many as the longer of arguments and results
  std::vector<size_t> memory_kind_sizes;
  trainyard::pjrt::NamedValues costs;  // filled when asked for
  std::mutex costs_mutex;
};

// The bytes of an executable file.
struct PJRT_SerializedExecutable {
  std::string bytes;
};

struct PJRT_LoadedExecutable {
  PJRT_Client* client = nullptr;
  PJRT_Device* device = nullptr;
  std::shared_ptr<const trainyard::runtime::Code> code;
  std::unique_ptr<trainyard::runtime::LoadedExecutable> executable;  // null once deleted
  std::string compile_options;                                       // serialized, as they came
  std::string device_assignment;                                     // the same, a part of them
  PJRT_LogicalDeviceIds logical_ids[1] = {{0, 0}};
};

namespace trainyard::pjrt {

inline constexpr std::string_view kPlatform = "trainyard";
inline constexpr std::string_view kMemoryKind = "device";

// The caller owns them.
PJRT_Event* wrap(std::shared_ptr<runtime::Event> event);
PJRT_Buffer* wrap(PJRT_Client* client, std::unique_ptr<runtime::Buffer> buffer);

// Threads and journal of this process, made by the first client.
Result<std::shared_ptr<runtime::Process>> process();

// The list of extensions that the table begins with.
PJRT_Extension_Base* extensions();

// Each adds its functions to the table.
void add_event_functions(PJRT_Api& api);
void add_client_functions(PJRT_Api& api);
void add_device_functions(PJRT_Api& api);
void add_memory_functions(PJRT_Api& api);
void add_buffer_functions(PJRT_Api& api);
void add_transfer_functions(PJRT_Api& api);
void add_executable_functions(PJRT_Api& api);
void add_loaded_executable_functions(PJRT_Api& api);
void add_topology_functions(PJRT_Api& api);

}  // namespace trainyard::pjrt
