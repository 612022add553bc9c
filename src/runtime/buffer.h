#pragma once
// An array on a device. Its contents never change; it ends when it is deleted or given away.
#include <memory>
#include <mutex>
#include <span>
#include <utility>

#include "compiler/ir/types.h"
#include "runtime/device.h"
#include "runtime/event.h"
#include "runtime/memory_pool.h"

namespace trainyard::runtime {

using TypeRef = std::shared_ptr<const compiler::TensorType>;

// Bytes of a dense array of this type: elements below 8 bits take a byte each.
int64_t byte_size(const compiler::TensorType& type);

// Memory of an array: a part of the device's budget and, once somebody writes, host memory.
// Buffers, tasks and readers share it; the last one gives it back.
class Storage {
 public:
  Storage(std::shared_ptr<MemoryPool> pool, DeviceMemory::Reservation reservation, int64_t bytes)
      : pool_(std::move(pool)), reservation_(std::move(reservation)), bytes_(bytes) {}
  ~Storage() { pool_->give(data_, static_cast<size_t>(bytes_)); }
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  // Host memory, taken from the pool by the first call, which must come from the one who writes.
  // TY-RUN-022 if the host has none left. Memory that nobody backed reads as zeros.
  Status back();
  std::span<std::byte> bytes() const { return {data_, data_ ? static_cast<size_t>(bytes_) : 0}; }
  int64_t size() const { return bytes_; }
  // Takes over the budget, or the host memory, of an array of the same size that is given away.
  void take_reservation(Storage& other) { reservation_ = std::move(other.reservation_); }
  void adopt(Storage& other) { data_ = std::exchange(other.data_, nullptr); }

 private:
  std::shared_ptr<MemoryPool> pool_;
  DeviceMemory::Reservation reservation_;
  int64_t bytes_;
  std::byte* data_ = nullptr;
};

class Buffer {
 public:
  Buffer(TypeRef type, Device& device, std::shared_ptr<Storage> storage,
         std::shared_ptr<Event> ready)
      : type_(std::move(type)),
        device_(device),
        storage_(std::move(storage)),
        ready_(std::move(ready)) {}

  const compiler::TensorType& type() const { return *type_; }
  const TypeRef& type_ref() const { return type_; }
  Device& device() const { return device_; }
  int64_t size() const { return byte_size(*type_); }

  // When the contents are there, or why they never will be. TY-RUN-023 at once if it is deleted.
  std::shared_ptr<Event> ready() const;
  // The memory; null once deleted. Whoever holds it may go on reading after a deletion.
  std::shared_ptr<Storage> storage() const;
  bool is_deleted() const { return storage() == nullptr; }
  // Drops the memory; again is no error.
  void remove();
  // Gives the memory away, as a donated argument does. Null if it is deleted already.
  std::shared_ptr<Storage> donate();

  // Copies to dense host memory, `minor_to_major` as in dense_strides; returns at once if the
  // contents are not there yet.
  std::shared_ptr<Event> copy_to_host(std::byte* to, std::span<const int64_t> minor_to_major) const;
  // The same bytes from `offset` on.
  std::shared_ptr<Event> copy_raw_to_host(std::byte* to, int64_t offset, int64_t bytes) const;
  // The same array on another device.
  Result<std::unique_ptr<Buffer>> copy_to(Device& device) const;

 private:
  TypeRef type_;
  Device& device_;
  mutable std::mutex mutex_;
  std::shared_ptr<Storage> storage_;
  std::shared_ptr<Event> ready_;
};

// Memory on `device` for an array of `type`; TY-RUN-020 if there is no room.
Result<std::shared_ptr<Storage>> make_storage(Device& device, const TypeRef& type,
                                              std::shared_ptr<const std::string> origin = nullptr);

// An array with the host's values, copied before the call returns. `strides` in bytes; empty means
// dense and row-major.
Result<std::unique_ptr<Buffer>> buffer_from_host(Device& device, TypeRef type,
                                                 const std::byte* data,
                                                 std::span<const int64_t> strides);

}  // namespace trainyard::runtime
