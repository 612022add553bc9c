#include "pjrt/error.h"
#include "pjrt/handles.h"

namespace trainyard::pjrt {
namespace {

Status check_format(const PJRT_Program& program) {
  const std::string_view format(program.format, program.format_size);
  if (format == "mlir") return {};
  return error("TY-PJRT-002",
               "the program comes as '{}'; StableHLO as MLIR bytecode (format 'mlir') is read.",
               format);
}

// The one device that the program is compiled for.
Result<PJRT_Device*> device_of(const CompileOptions& options, const PJRT_Client& client) {
  const int64_t devices = options.replicas * options.partitions;
  if (devices > 1) {
    return error("TY-PJRT-003",
                 "the program runs on {} devices ({} replicas, {} partitions); programs for one "
                 "device are run. Leave out shardings and meshes.",
                 devices, options.replicas, options.partitions);
  }
  const int64_t id = options.device_ids.empty() ? 0 : options.device_ids.front();
  const runtime::Device* device = client.client.find_device(id);
  if (device == nullptr) {
    return error("TY-PJRT-005", "there is no device {}; {} has devices 0 to {}.", id,
                 client.client.machine().name, client.devices.size() - 1);
  }
  return client.handle(*device);
}

// compiler_options={"trainyard_mode": "check"} changes the settings of one program.
Result<runtime::Settings> settings_of(const CompileOptions& options, const PJRT_Client& client) {
  constexpr std::string_view kPrefix = "trainyard_";
  if (options.overrides.empty()) return client.client.settings();
  for (const auto& [key, value] : options.overrides) {
    const std::string_view known =
        std::string_view(key).substr(std::min(kPrefix.size(), key.size()));
    if (!key.starts_with(kPrefix) || (known != "mode" && known != "trace" && known != "dump")) {
      return error("TY-PJRT-009",
                   "there is no compiler option '{}'. Options are trainyard_mode, trainyard_trace "
                   "and trainyard_dump.",
                   key);
    }
  }
  runtime::Settings settings = client.client.settings();
  TY_TRY(runtime::change_settings(settings, [&](std::string_view key) {
    const auto found = options.overrides.find(std::string(kPrefix) + std::string(key));
    return found == options.overrides.end() ? "" : found->second;
  }));
  return settings;
}

Result<PJRT_LoadedExecutable*> load_on(PJRT_Client* client, PJRT_Device* device,
                                       const CompileOptions& options,
                                       std::string_view serialized_options,
                                       const std::shared_ptr<runtime::Code>& code) {
  auto executable = runtime::LoadedExecutable::load(client->client, *device->device, code);
  if (!executable.ok()) return executable.status();
  auto loaded = std::make_unique<PJRT_LoadedExecutable>();
  loaded->client = client;
  loaded->device = device;
  loaded->code = code;
  loaded->executable = std::move(*executable);
  loaded->compile_options = serialized_options;
  loaded->device_assignment = options.device_assignment;
  return loaded.release();
}

Status client_compile(PJRT_Client_Compile_Args& args) {
  TY_TRY(check_format(*args.program));
  const std::string_view serialized(args.compile_options, args.compile_options_size);
  const Result<CompileOptions> options = read_compile_options(serialized);
  if (!options.ok()) return options.status();
  const Result<PJRT_Device*> device = device_of(*options, *args.client);
  if (!device.ok()) return device.status();
  const Result<runtime::Settings> settings = settings_of(*options, *args.client);
  if (!settings.ok()) return settings.status();
  const std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(args.program->code),
                                       args.program->code_size);
  Result<std::shared_ptr<runtime::Code>> code = runtime::Code::compile(bytes, *settings);
  if (!code.ok()) return code.status();
  const auto loaded = load_on(args.client, *device, *options, serialized, *code);
  if (!loaded.ok()) return loaded.status();
  args.executable = *loaded;
  return {};
}

// What Executable_Serialize gave, of this process or another one. The caller may send options of
// its own: for another device, say.
Status deserialize_and_load(PJRT_Executable_DeserializeAndLoad_Args& args) {
  Result<compiler::ExecutableFile> file = compiler::read_executable(
      std::string_view(args.serialized_executable, args.serialized_executable_size));
  if (!file.ok()) return file.status();
  std::string serialized = file->caller;
  if (TY_COVERS(args, overridden_serialized_compile_options_size) &&
      args.overridden_serialized_compile_options_size > 0) {
    serialized.assign(args.overridden_serialized_compile_options,
                      args.overridden_serialized_compile_options_size);
  }
  const Result<CompileOptions> options = read_compile_options(serialized);
  if (!options.ok()) return options.status();
  const Result<PJRT_Device*> device = device_of(*options, *args.client);
  if (!device.ok()) return device.status();
  const Result<runtime::Settings> settings = settings_of(*options, *args.client);
  if (!settings.ok()) return settings.status();
  Result<std::shared_ptr<runtime::Code>> code = runtime::Code::load(std::move(*file), *settings);
  if (!code.ok()) return code.status();
  const auto loaded = load_on(args.client, *device, *options, serialized, *code);
  if (!loaded.ok()) return loaded.status();
  args.loaded_executable = *loaded;
  return {};
}

Status loaded_destroy(PJRT_LoadedExecutable_Destroy_Args& args) {
  delete args.executable;
  return {};
}

Status loaded_get_executable(PJRT_LoadedExecutable_GetExecutable_Args& args) {
  args.executable =
      new PJRT_Executable(args.loaded_executable->code, args.loaded_executable->compile_options);
  return {};
}

Status loaded_addressable_devices(PJRT_LoadedExecutable_AddressableDevices_Args& args) {
  args.addressable_devices = args.executable->device->self;
  args.num_addressable_devices = 1;
  return {};
}

Status loaded_logical_ids(PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args& args) {
  args.addressable_device_logical_ids = args.executable->logical_ids;
  args.num_addressable_device_logical_ids = 1;
  return {};
}

Status loaded_delete(PJRT_LoadedExecutable_Delete_Args& args) {
  args.executable->executable.reset();
  return {};
}

Status loaded_is_deleted(PJRT_LoadedExecutable_IsDeleted_Args& args) {
  args.is_deleted = args.executable->executable == nullptr;
  return {};
}

// The bytes belong to the executable, which outlives the call that reads them.
Status loaded_device_assignment(PJRT_LoadedExecutable_GetDeviceAssignment_Args& args) {
  args.serialized_bytes = args.executable->device_assignment.data();
  args.serialized_bytes_size = args.executable->device_assignment.size();
  args.serialized_device_assignment = nullptr;
  args.serialized_device_assignment_deleter = [](PJRT_DeviceAssignmentSerialized*) {};
  return {};
}

std::span<const int64_t> not_donatable(const PJRT_ExecuteOptions* options) {
  if (options == nullptr || !TY_COVERS(*options, num_non_donatable_input_indices)) return {};
  return {options->non_donatable_input_indices, options->num_non_donatable_input_indices};
}

Status loaded_execute(PJRT_LoadedExecutable_Execute_Args& args) {
  PJRT_LoadedExecutable& loaded = *args.executable;
  if (loaded.executable == nullptr) {
    return error("TY-PJRT-010", "{} has been deleted.", *loaded.code->name());
  }
  if (args.num_devices != 1) {
    return error("TY-PJRT-003", "{} was compiled for one device; it is started on {}.",
                 *loaded.code->name(), args.num_devices);
  }
  if (args.execute_device != nullptr && args.execute_device != loaded.device) {
    return error("TY-PJRT-005", "{} was compiled for {}; it is started on {}.",
                 *loaded.code->name(), loaded.device->description.debug,
                 args.execute_device->description.debug);
  }
  std::vector<runtime::Buffer*> arguments(args.num_args);
  for (size_t i = 0; i < args.num_args; ++i) {
    arguments[i] = args.argument_lists[0][i]->buffer.get();
  }
  Result<runtime::Launch> launch =
      loaded.executable->launch(arguments, not_donatable(args.options));
  if (!launch.ok()) return launch.status();
  for (size_t i = 0; i < launch->outputs.size(); ++i) {
    args.output_lists[0][i] = wrap(loaded.client, std::move(launch->outputs[i]));
  }
  if (args.device_complete_events != nullptr) {
    args.device_complete_events[0] = wrap(std::move(launch->complete));
  }
  return {};
}

}  // namespace

void add_loaded_executable_functions(PJRT_Api& api) {
  api.Client_Compile = Entry<client_compile>::call;
  api.Executable_DeserializeAndLoad = Entry<deserialize_and_load>::call;
  api.LoadedExecutable_Destroy = Entry<loaded_destroy>::call;
  api.LoadedExecutable_GetExecutable = Entry<loaded_get_executable>::call;
  api.LoadedExecutable_AddressableDevices = Entry<loaded_addressable_devices>::call;
  api.LoadedExecutable_AddressableDeviceLogicalIds = Entry<loaded_logical_ids>::call;
  api.LoadedExecutable_Delete = Entry<loaded_delete>::call;
  api.LoadedExecutable_IsDeleted = Entry<loaded_is_deleted>::call;
  api.LoadedExecutable_GetDeviceAssignment = Entry<loaded_device_assignment>::call;
  api.LoadedExecutable_Execute = Entry<loaded_execute>::call;
}

}  // namespace trainyard::pjrt
