#pragma once
// Something that will have happened: a program has run, bytes have arrived. It happens once, well
// or with an error.
#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "base/status.h"

namespace trainyard::runtime {

class Event {
 public:
  using Callback = std::function<void(const Status&)>;

  // An event that has already happened, well. Shared by everybody.
  static const std::shared_ptr<Event>& done();
  static std::shared_ptr<Event> failed(Status status);

  bool is_ready() const { return ready_.load(std::memory_order_acquire); }
  // How it went; ok before it has happened.
  Status status() const { return is_ready() ? status_ : Status(); }
  // Blocks until it has happened.
  const Status& wait();
  // Calls back on the thread that sets the event, or at once. No lock is held meanwhile.
  void on_ready(Callback callback);
  // Only the first call counts.
  void set(Status status = {});

 private:
  std::atomic<bool> ready_ = false;
  Status status_;  // written before ready_, never after
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Callback> callbacks_;
};

}  // namespace trainyard::runtime
