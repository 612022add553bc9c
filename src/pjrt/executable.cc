#include "pjrt/element_types.h"
#include "pjrt/error.h"
#include "pjrt/handles.h"

namespace trainyard::pjrt {
namespace {

Status executable_destroy(PJRT_Executable_Destroy_Args& args) {
  delete args.executable;
  return {};
}

Status executable_name(PJRT_Executable_Name_Args& args) {
  const std::string& name = *args.executable->code->name();
  args.executable_name = name.c_str();
  args.executable_name_size = name.size();
  return {};
}

Status executable_num_replicas(PJRT_Executable_NumReplicas_Args& args) {
  args.num_replicas = 1;
  return {};
}

Status executable_num_partitions(PJRT_Executable_NumPartitions_Args& args) {
  args.num_partitions = 1;
  return {};
}

Status executable_num_outputs(PJRT_Executable_NumOutputs_Args& args) {
  args.num_outputs = args.executable->output_types.size();
  return {};
}

Status executable_code_size(PJRT_Executable_SizeOfGeneratedCodeInBytes_Args& args) {
  args.size_in_bytes = args.executable->code->sizes().code_bytes;
  return {};
}

// Costs are those of the placed and timed program, so they are worked out when first asked for.
Status executable_cost_analysis(PJRT_Executable_GetCostAnalysis_Args& args) {
  PJRT_Executable& executable = *args.executable;
  const std::lock_guard lock(executable.costs_mutex);
  if (executable.costs.empty()) {
    const Result<runtime::ProgramTime> time = executable.code->expected_time();
    if (!time.ok()) return time.status();
    const auto add = [&](const char* name, double value) {
      executable.costs.add(name, static_cast<float>(value));
    };
    add("flops", time->flops);
    add("bytes accessed", time->hbm_bytes);
    add("optimal_seconds", time->seconds);
    add("launch_seconds", time->launch_seconds);
  }
  args.properties = executable.costs.span().data();
  args.num_properties = executable.costs.span().size();
  return {};
}

Status executable_output_memory_kinds(PJRT_Executable_OutputMemoryKinds_Args& args) {
  args.num_outputs = args.executable->output_types.size();
  args.memory_kinds = args.executable->memory_kinds.data();
  args.memory_kind_sizes = args.executable->memory_kind_sizes.data();
  return {};
}

Status executable_parameter_memory_kinds(PJRT_Executable_ParameterMemoryKinds_Args& args) {
  args.num_parameters = args.executable->code->argument_types().size();
  args.memory_kinds = args.executable->memory_kinds.data();
  args.memory_kind_sizes = args.executable->memory_kind_sizes.data();
  return {};
}

Status executable_output_element_types(PJRT_Executable_OutputElementTypes_Args& args) {
  args.output_types = args.executable->output_types.data();
  args.num_output_types = args.executable->output_types.size();
  return {};
}

Status executable_output_dimensions(PJRT_Executable_OutputDimensions_Args& args) {
  args.num_outputs = args.executable->output_types.size();
  args.dims = args.executable->output_dims.data();
  args.dim_sizes = args.executable->output_dim_sizes.data();
  return {};
}

Status executable_fingerprint(PJRT_Executable_Fingerprint_Args& args) {
  args.executable_fingerprint = args.executable->fingerprint.c_str();
  args.executable_fingerprint_size = args.executable->fingerprint.size();
  return {};
}

Status executable_memory_stats(PJRT_Executable_GetCompiledMemoryStats_Args& args) {
  const runtime::ProgramSizes& sizes = args.executable->code->sizes();
  args.generated_code_size_in_bytes = sizes.code_bytes;
  args.argument_size_in_bytes = sizes.argument_bytes;
  args.output_size_in_bytes = sizes.output_bytes;
  args.alias_size_in_bytes = sizes.alias_bytes;
  args.temp_size_in_bytes = sizes.scratch_bytes + sizes.constant_bytes;
  args.host_generated_code_size_in_bytes = 0;
  args.host_argument_size_in_bytes = 0;
  args.host_output_size_in_bytes = 0;
  args.host_alias_size_in_bytes = 0;
  args.host_temp_size_in_bytes = 0;
  const int64_t total = sizes.argument_bytes + sizes.output_bytes - sizes.alias_bytes +
                        args.temp_size_in_bytes + sizes.code_bytes;
  if (TY_COVERS(args, peak_memory_in_bytes)) args.peak_memory_in_bytes = total;
  if (TY_COVERS(args, total_size_in_bytes)) args.total_size_in_bytes = total;
  if (TY_COVERS(args, total_allocation_bytes)) args.total_allocation_bytes = total;
  if (TY_COVERS(args, indefinite_allocations)) args.indefinite_allocations = 0;
  if (TY_COVERS(args, peak_unpadded_heap_bytes)) args.peak_unpadded_heap_bytes = total;
  return {};
}

// The options travel with the program: they say for which device it is.
Status executable_serialize(PJRT_Executable_Serialize_Args& args) {
  auto serialized = std::make_unique<PJRT_SerializedExecutable>();
  serialized->bytes = args.executable->code->serialize(args.executable->compile_options);
  args.serialized_bytes = serialized->bytes.data();
  args.serialized_bytes_size = serialized->bytes.size();
  args.serialized_executable = serialized.release();
  args.serialized_executable_deleter = [](PJRT_SerializedExecutable* bytes) { delete bytes; };
  return {};
}

// The bytes belong to the executable, which outlives the call that reads them.
Status executable_compile_options(PJRT_Executable_GetCompileOptions_Args& args) {
  args.serialized_bytes = args.executable->compile_options.data();
  args.serialized_bytes_size = args.executable->compile_options.size();
  args.serialized_compile_options = nullptr;
  args.serialized_compile_options_deleter = [](PJRT_SerializedCompileOptions*) {};
  return {};
}

}  // namespace

void add_executable_functions(PJRT_Api& api) {
  api.Executable_Destroy = Entry<executable_destroy>::call;
  api.Executable_Name = Entry<executable_name>::call;
  api.Executable_NumReplicas = Entry<executable_num_replicas>::call;
  api.Executable_NumPartitions = Entry<executable_num_partitions>::call;
  api.Executable_NumOutputs = Entry<executable_num_outputs>::call;
  api.Executable_SizeOfGeneratedCodeInBytes = Entry<executable_code_size>::call;
  api.Executable_GetCostAnalysis = Entry<executable_cost_analysis>::call;
  api.Executable_OutputMemoryKinds = Entry<executable_output_memory_kinds>::call;
  api.Executable_ParameterMemoryKinds = Entry<executable_parameter_memory_kinds>::call;
  api.Executable_OutputElementTypes = Entry<executable_output_element_types>::call;
  api.Executable_OutputDimensions = Entry<executable_output_dimensions>::call;
  api.Executable_Serialize = Entry<executable_serialize>::call;
  api.Executable_GetCompileOptions = Entry<executable_compile_options>::call;
  api.Executable_Fingerprint = Entry<executable_fingerprint>::call;
  api.Executable_GetCompiledMemoryStats = Entry<executable_memory_stats>::call;
}

}  // namespace trainyard::pjrt

PJRT_Executable::PJRT_Executable(std::shared_ptr<const trainyard::runtime::Code> compiled,
                                 std::string options)
    : code(std::move(compiled)),
      compile_options(std::move(options)),
      fingerprint(fmt::format("{:016x}", code->fingerprint())) {
  for (const auto& type : code->output_types()) {
    output_types.push_back(trainyard::pjrt::buffer_type(type->element));
    output_dims.insert(output_dims.end(), type->shape.begin(), type->shape.end());
    output_dim_sizes.push_back(type->shape.size());
  }
  const size_t most = std::max(output_types.size(), code->argument_types().size());
  memory_kinds.assign(most, trainyard::pjrt::kMemoryKind.data());
  memory_kind_sizes.assign(most, trainyard::pjrt::kMemoryKind.size());
}
