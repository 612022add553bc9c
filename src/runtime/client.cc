#include "runtime/client.h"

namespace trainyard::runtime {

Client::Client(std::shared_ptr<Process> process, Settings settings)
    : process_(std::move(process)),
      settings_(std::move(settings)),
      pool_(std::make_shared<MemoryPool>()) {
  const int64_t count = machine().chip.cores.value / machine().lnc;
  for (int64_t id = 0; id < count; ++id) {
    devices_.push_back(std::make_unique<Device>(static_cast<int>(id), machine(), pool_));
  }
}

Device* Client::find_device(int64_t id) const {
  const bool known = id >= 0 && id < static_cast<int64_t>(devices_.size());
  return known ? devices_[static_cast<size_t>(id)].get() : nullptr;
}

}  // namespace trainyard::runtime
