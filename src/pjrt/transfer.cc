// Bytes between host and device, and between devices.
#include "pjrt/element_types.h"
#include "pjrt/error.h"
#include "pjrt/handles.h"
#include "runtime/strided_copy.h"

namespace trainyard::pjrt {
namespace {

Result<runtime::TypeRef> array_type(PJRT_Buffer_Type type, const int64_t* dims, size_t num_dims) {
  const std::optional<compiler::ElementType> element = element_type(type);
  if (!element) {
    return error("TY-PJRT-006", "arrays of PJRT's element type {} have no memory on the device.",
                 static_cast<int>(type));
  }
  return std::make_shared<const compiler::TensorType>(
      compiler::tensor_of(*element, std::vector<int64_t>(dims, dims + num_dims)));
}

// Arrays on the device are dense and row-major.
Status check_layout(const PJRT_Buffer_MemoryLayout* layout, size_t rank) {
  if (layout == nullptr) return {};
  bool row_major = layout->type == PJRT_Buffer_MemoryLayout_Type_Tiled &&
                   layout->tiled.num_tiles == 0 && layout->tiled.minor_to_major_size == rank;
  for (size_t i = 0; row_major && i < rank; ++i) {
    row_major = layout->tiled.minor_to_major[i] == static_cast<int64_t>(rank - 1 - i);
  }
  if (row_major) return {};
  return error("TY-PJRT-007",
               "arrays on the device are dense and row-major; another layout was asked for. Leave "
               "the layout to the default.");
}

PJRT_Device* device_of(PJRT_Device* device, PJRT_Memory* memory, const PJRT_Client& client) {
  if (memory != nullptr) return memory->device;
  return device != nullptr ? device : client.devices.front();
}

Status buffer_from_host_buffer(PJRT_Client_BufferFromHostBuffer_Args& args) {
  Result<runtime::TypeRef> type = array_type(args.type, args.dims, args.num_dims);
  if (!type.ok()) return type.status();
  TY_TRY(check_layout(args.device_layout, args.num_dims));
  const PJRT_Device* device = device_of(args.device, args.memory, *args.client);
  std::span<const int64_t> strides;
  if (args.byte_strides != nullptr) strides = {args.byte_strides, args.num_byte_strides};
  // JAX sends ImmutableZeroCopy and lets the user write to the NumPy array afterwards. So the copy
  // is made now, whatever the semantics allow, and the host's array is free at once.
  auto buffer = runtime::buffer_from_host(*device->device, std::move(*type),
                                          static_cast<const std::byte*>(args.data), strides);
  if (!buffer.ok()) return buffer.status();
  args.done_with_host_buffer = wrap(runtime::Event::done());
  args.buffer = wrap(args.client, std::move(*buffer));
  return {};
}

Status buffer_to_host_buffer(PJRT_Buffer_ToHostBuffer_Args& args) {
  const runtime::Buffer& buffer = *args.src->buffer;
  const auto size = static_cast<size_t>(buffer.size());
  if (args.dst == nullptr) {
    args.dst_size = size;
    args.event = nullptr;
    return {};
  }
  if (args.dst_size < size) {
    return error("TY-PJRT-008", "the array takes {} bytes; there is room for {}.", size,
                 args.dst_size);
  }
  std::span<const int64_t> order;
  if (const PJRT_Buffer_MemoryLayout* layout = args.host_layout; layout != nullptr) {
    if (layout->type != PJRT_Buffer_MemoryLayout_Type_Tiled || layout->tiled.num_tiles != 0) {
      return error("TY-PJRT-007", "arrays go to the host dense; tiles or strides were asked for.");
    }
    order = {layout->tiled.minor_to_major, layout->tiled.minor_to_major_size};
  }
  args.event = wrap(buffer.copy_to_host(static_cast<std::byte*>(args.dst), order));
  return {};
}

Status buffer_copy_raw_to_host(PJRT_Buffer_CopyRawToHost_Args& args) {
  args.event = wrap(args.buffer->buffer->copy_raw_to_host(static_cast<std::byte*>(args.dst),
                                                          args.offset, args.transfer_size));
  return {};
}

Result<PJRT_Buffer*> copy(const PJRT_Buffer& buffer, const PJRT_Device& to) {
  auto copied = buffer.buffer->copy_to(*to.device);
  if (!copied.ok()) return copied.status();
  return wrap(to.client, std::move(*copied));
}

Status buffer_copy_to_device(PJRT_Buffer_CopyToDevice_Args& args) {
  const Result<PJRT_Buffer*> made = copy(*args.buffer, *args.dst_device);
  if (!made.ok()) return made.status();
  args.dst_buffer = *made;
  return {};
}

Status buffer_copy_to_memory(PJRT_Buffer_CopyToMemory_Args& args) {
  const Result<PJRT_Buffer*> made = copy(*args.buffer, *args.dst_memory->device);
  if (!made.ok()) return made.status();
  args.dst_buffer = *made;
  return {};
}

Status create_uninitialized_buffer(PJRT_Client_CreateUninitializedBuffer_Args& args) {
  Result<runtime::TypeRef> type =
      array_type(args.shape_element_type, args.shape_dims, args.shape_num_dims);
  if (!type.ok()) return type.status();
  TY_TRY(check_layout(args.shape_layout, args.shape_num_dims));
  runtime::Device& device = *device_of(args.device, args.memory, *args.client)->device;
  auto storage = runtime::make_storage(device, *type);
  if (!storage.ok()) return storage.status();
  args.buffer =
      wrap(args.client, std::make_unique<runtime::Buffer>(
                            std::move(*type), device, std::move(*storage), runtime::Event::done()));
  return {};
}

Status create_error_buffer(PJRT_Client_CreateErrorBuffer_Args& args) {
  Result<runtime::TypeRef> type =
      array_type(args.shape_element_type, args.shape_dims, args.shape_num_dims);
  if (!type.ok()) return type.status();
  runtime::Device& device = *device_of(nullptr, args.memory, *args.client)->device;
  auto storage = runtime::make_storage(device, *type);
  if (!storage.ok()) return storage.status();
  auto failed = runtime::Event::failed(
      foreign_status(args.error_code, {args.error_message, args.error_message_size}));
  args.buffer = wrap(args.client, std::make_unique<runtime::Buffer>(std::move(*type), device,
                                                                    std::move(*storage), failed));
  return {};
}

}  // namespace

void add_transfer_functions(PJRT_Api& api) {
  api.Client_BufferFromHostBuffer = Entry<buffer_from_host_buffer>::call;
  api.Buffer_ToHostBuffer = Entry<buffer_to_host_buffer>::call;
  api.Buffer_CopyRawToHost = Entry<buffer_copy_raw_to_host>::call;
  api.Buffer_CopyToDevice = Entry<buffer_copy_to_device>::call;
  api.Buffer_CopyToMemory = Entry<buffer_copy_to_memory>::call;
  api.Client_CreateUninitializedBuffer = Entry<create_uninitialized_buffer>::call;
  api.Client_CreateErrorBuffer = Entry<create_error_buffer>::call;
}

}  // namespace trainyard::pjrt
