#include "runtime/event.h"

namespace trainyard::runtime {

const std::shared_ptr<Event>& Event::done() {
  static const std::shared_ptr<Event> event = [] {
    auto made = std::make_shared<Event>();
    made->set();
    return made;
  }();
  return event;
}

std::shared_ptr<Event> Event::failed(Status status) {
  auto event = std::make_shared<Event>();
  event->set(std::move(status));
  return event;
}

const Status& Event::wait() {
  if (!is_ready()) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_ready(); });
  }
  return status_;
}

void Event::on_ready(Callback callback) {
  {
    const std::lock_guard lock(mutex_);
    if (!is_ready()) {
      callbacks_.push_back(std::move(callback));
      return;
    }
  }
  callback(status_);
}

void Event::set(Status status) {
  std::vector<Callback> callbacks;
  {
    const std::lock_guard lock(mutex_);
    if (is_ready()) return;
    status_ = std::move(status);
    ready_.store(true, std::memory_order_release);
    callbacks.swap(callbacks_);
  }
  changed_.notify_all();
  for (const Callback& callback : callbacks) callback(status_);
}

}  // namespace trainyard::runtime
