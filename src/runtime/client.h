#pragma once
// The machine as a program sees it: one chip, a device per NeuronCore.
#include <memory>
#include <span>
#include <vector>

#include "runtime/device.h"
#include "runtime/journal.h"
#include "runtime/settings.h"
#include "runtime/threads.h"

namespace trainyard::runtime {

// What all clients of a process share.
struct Process {
  explicit Process(int threads) : threads(threads) {}
  Threads threads;
  Journal journal;
};

class Client {
 public:
  Client(std::shared_ptr<Process> process, Settings settings);

  const Settings& settings() const { return settings_; }
  const hw::Machine& machine() const { return settings_.machine; }
  std::span<const std::unique_ptr<Device>> devices() const { return devices_; }
  Device* find_device(int64_t id) const;  // null if there is none
  Process& process() const { return *process_; }
  MemoryPool& pool() const { return *pool_; }

 private:
  std::shared_ptr<Process> process_;
  Settings settings_;
  std::shared_ptr<MemoryPool> pool_;
  std::vector<std::unique_ptr<Device>> devices_;
};

}  // namespace trainyard::runtime
