#include "runtime/buffer.h"

#include <cstring>

#include "runtime/strided_copy.h"

namespace trainyard::runtime {
namespace {

Status deleted(const compiler::TensorType& type) {
  return error("TY-RUN-023",
               "this array ({}) has been deleted, or was donated to a program. Use the program's "
               "result instead, or don't donate it.",
               compiler::str(type));
}

}  // namespace

int64_t hbm_bytes(const hw::Machine& machine) {
  const auto& hbm = machine.core.hbm;
  const int64_t share = hbm.stack_bytes.value / hbm.cores_per_stack.value;
  return machine.lnc * (share - hbm.code_reserve_bytes.value);
}

int64_t byte_size(const compiler::TensorType& type) {
  return type.elements().value_or(0) * compiler::byte_size(type.element);
}

Status Storage::back() {
  if (data_ != nullptr || bytes_ == 0) return {};
  data_ = pool_->take(static_cast<size_t>(bytes_));
  if (data_ == nullptr) {
    return error("TY-RUN-022",
                 "the host has no memory left for an array of {} bytes. Free some, or simulate a "
                 "smaller program.",
                 bytes_);
  }
  return {};
}

std::shared_ptr<Storage> Buffer::storage() const {
  const std::lock_guard lock(mutex_);
  return storage_;
}

std::shared_ptr<Event> Buffer::ready() const {
  const std::lock_guard lock(mutex_);
  return storage_ ? ready_ : Event::failed(deleted(*type_));
}

void Buffer::remove() { donate(); }

std::shared_ptr<Storage> Buffer::donate() {
  const std::lock_guard lock(mutex_);
  return std::move(storage_);
}

std::shared_ptr<Event> Buffer::copy_to_host(std::byte* to,
                                            std::span<const int64_t> minor_to_major) const {
  const std::shared_ptr<Event> ready = this->ready();
  auto done = std::make_shared<Event>();
  std::vector<int64_t> order(minor_to_major.begin(), minor_to_major.end());
  ready->on_ready([done, to, order = std::move(order), type = type_,
                   storage = storage()](const Status& status) {
    if (status.ok() && storage->bytes().empty()) {
      std::memset(to, 0, static_cast<size_t>(storage->size()));
    } else if (status.ok()) {
      const int64_t element = compiler::byte_size(type->element);
      const std::vector<int64_t> to_strides = dense_strides(type->shape, element, order);
      const std::vector<int64_t> from_strides = dense_strides(type->shape, element);
      strided_copy({to, to_strides}, {storage->bytes().data(), from_strides}, type->shape, element);
    }
    done->set(status);
  });
  return done;
}

std::shared_ptr<Event> Buffer::copy_raw_to_host(std::byte* to, int64_t offset,
                                                int64_t bytes) const {
  if (offset < 0 || bytes < 0 || offset > size() || bytes > size() - offset) {
    return Event::failed(error("TY-RUN-024", "bytes {} to {} were asked of an array of {} bytes.",
                               offset, offset + bytes, size()));
  }
  auto done = std::make_shared<Event>();
  ready()->on_ready([done, to, offset, bytes, storage = storage()](const Status& status) {
    if (status.ok() && storage->bytes().empty()) {
      std::memset(to, 0, static_cast<size_t>(bytes));
    } else if (status.ok()) {
      std::memcpy(to, storage->bytes().data() + offset, static_cast<size_t>(bytes));
    }
    done->set(status);
  });
  return done;
}

Result<std::unique_ptr<Buffer>> Buffer::copy_to(Device& device) const {
  std::shared_ptr<Storage> from = storage();
  if (from == nullptr) return deleted(*type_);
  Result<std::shared_ptr<Storage>> to = make_storage(device, type_);
  if (!to.ok()) return to.status();
  auto done = std::make_shared<Event>();
  ready()->on_ready([done, from, to = *to](const Status& status) {
    const bool has_values = !from->bytes().empty();
    Status result = status.ok() && has_values ? to->back() : status;
    if (result.ok() && has_values) {
      std::memcpy(to->bytes().data(), from->bytes().data(), to->bytes().size());
    }
    done->set(std::move(result));
  });
  return std::make_unique<Buffer>(type_, device, std::move(*to), std::move(done));
}

Result<std::shared_ptr<Storage>> make_storage(Device& device, const TypeRef& type,
                                              std::shared_ptr<const std::string> origin) {
  const int64_t bytes = byte_size(*type);
  Result<DeviceMemory::Reservation> reservation =
      device.memory().reserve(bytes, {type, std::move(origin)});
  if (!reservation.ok()) return reservation.status();
  return std::make_shared<Storage>(device.pool(), std::move(*reservation), bytes);
}

Result<std::unique_ptr<Buffer>> buffer_from_host(Device& device, TypeRef type,
                                                 const std::byte* data,
                                                 std::span<const int64_t> strides) {
  Result<std::shared_ptr<Storage>> storage = make_storage(device, type);
  if (!storage.ok()) return storage.status();
  TY_TRY((*storage)->back());
  const int64_t element = compiler::byte_size(type->element);
  const std::vector<int64_t> dense = dense_strides(type->shape, element);
  const std::span<const int64_t> from = strides.empty() ? std::span(dense) : strides;
  strided_copy({(*storage)->bytes().data(), dense}, {const_cast<std::byte*>(data), from},
               type->shape, element);
  return std::make_unique<Buffer>(std::move(type), device, std::move(*storage), Event::done());
}

}  // namespace trainyard::runtime
