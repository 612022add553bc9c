#include "pjrt/element_types.h"
#include "pjrt/error.h"
#include "pjrt/handles.h"

namespace trainyard::pjrt {
namespace {

Status buffer_destroy(PJRT_Buffer_Destroy_Args& args) {
  delete args.buffer;
  return {};
}

Status buffer_element_type(PJRT_Buffer_ElementType_Args& args) {
  args.type = buffer_type(args.buffer->buffer->type().element);
  return {};
}

Status buffer_dimensions(PJRT_Buffer_Dimensions_Args& args) {
  const auto& shape = args.buffer->buffer->type().shape;
  args.dims = shape.data();
  args.num_dims = shape.size();
  return {};
}

Status buffer_unpadded_dimensions(PJRT_Buffer_UnpaddedDimensions_Args& args) {
  const auto& shape = args.buffer->buffer->type().shape;
  args.unpadded_dims = shape.data();
  args.num_dims = shape.size();
  return {};
}

Status buffer_dynamic_dimension_indices(PJRT_Buffer_DynamicDimensionIndices_Args& args) {
  args.dynamic_dim_indices = nullptr;
  args.num_dynamic_dims = 0;
  return {};
}

Status buffer_on_device_size(PJRT_Buffer_OnDeviceSizeInBytes_Args& args) {
  args.on_device_size_in_bytes = static_cast<size_t>(args.buffer->buffer->size());
  return {};
}

Status buffer_device(PJRT_Buffer_Device_Args& args) {
  args.device = args.buffer->client->handle(args.buffer->buffer->device());
  return {};
}

Status buffer_memory(PJRT_Buffer_Memory_Args& args) {
  args.memory = &args.buffer->client->handle(args.buffer->buffer->device())->memory;
  return {};
}

Status buffer_delete(PJRT_Buffer_Delete_Args& args) {
  args.buffer->buffer->remove();
  return {};
}

Status buffer_is_deleted(PJRT_Buffer_IsDeleted_Args& args) {
  args.is_deleted = args.buffer->buffer->is_deleted();
  return {};
}

// A simulated device is not the host: frameworks must copy, never look inside.
Status buffer_is_on_cpu(PJRT_Buffer_IsOnCpu_Args& args) {
  args.is_on_cpu = false;
  return {};
}

Status buffer_ready_event(PJRT_Buffer_ReadyEvent_Args& args) {
  args.event = wrap(args.buffer->buffer->ready());
  return {};
}

}  // namespace

void add_buffer_functions(PJRT_Api& api) {
  api.Buffer_Destroy = Entry<buffer_destroy>::call;
  api.Buffer_ElementType = Entry<buffer_element_type>::call;
  api.Buffer_Dimensions = Entry<buffer_dimensions>::call;
  api.Buffer_UnpaddedDimensions = Entry<buffer_unpadded_dimensions>::call;
  api.Buffer_DynamicDimensionIndices = Entry<buffer_dynamic_dimension_indices>::call;
  api.Buffer_OnDeviceSizeInBytes = Entry<buffer_on_device_size>::call;
  api.Buffer_Device = Entry<buffer_device>::call;
  api.Buffer_Memory = Entry<buffer_memory>::call;
  api.Buffer_Delete = Entry<buffer_delete>::call;
  api.Buffer_IsDeleted = Entry<buffer_is_deleted>::call;
  api.Buffer_IsOnCpu = Entry<buffer_is_on_cpu>::call;
  api.Buffer_ReadyEvent = Entry<buffer_ready_event>::call;
}

}  // namespace trainyard::pjrt
