#pragma once
// One simulated NeuronCore: memory of its own, and a queue of work.
#include <memory>
#include <string>

#include "hw/catalogue.h"
#include "runtime/device_memory.h"
#include "runtime/memory_pool.h"
#include "runtime/queue.h"

namespace trainyard::runtime {

// Bytes of HBM that belong to one logical core: its share of a stack, less what the runtime keeps.
int64_t hbm_bytes(const hw::Machine& machine);

class Device {
 public:
  Device(int id, const hw::Machine& machine, std::shared_ptr<MemoryPool> pool)
      : id_(id),
        name_("trainyard:" + std::to_string(id)),
        memory_(name_, hbm_bytes(machine)),
        pool_(std::move(pool)) {}

  int id() const { return id_; }
  const std::string& name() const { return name_; }  // "trainyard:3"
  DeviceMemory& memory() { return memory_; }
  const std::shared_ptr<MemoryPool>& pool() const { return pool_; }
  Queue& queue() { return queue_; }

 private:
  const int id_;
  const std::string name_;
  DeviceMemory memory_;
  std::shared_ptr<MemoryPool> pool_;
  Queue queue_;  // last: its tasks use the rest
};

}  // namespace trainyard::runtime
