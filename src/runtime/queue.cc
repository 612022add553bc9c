#include "runtime/queue.h"

namespace trainyard::runtime {

Queue::~Queue() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Queue::start_locked() {
  if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
}

void Queue::post(Task task) {
  {
    std::unique_lock lock(mutex_);
    const bool own_thread = std::this_thread::get_id() == thread_.get_id();
    if (!own_thread) room_.wait(lock, [&] { return tasks_.size() < kMaxWaiting; });
    tasks_.push_back(std::move(task));
    start_locked();
  }
  changed_.notify_one();
}

void Queue::run_or_post(Task task) {
  {
    std::unique_lock lock(mutex_);
    if (busy_ || !tasks_.empty()) {
      lock.unlock();
      return post(std::move(task));
    }
    busy_ = true;
  }
  task();
  bool waiting = false;
  {
    const std::lock_guard lock(mutex_);
    busy_ = false;
    waiting = !tasks_.empty();
  }
  if (waiting) changed_.notify_one();
}

void Queue::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return !busy_ && (stop_ || !tasks_.empty()); });
    if (tasks_.empty()) return;
    Task task = std::move(tasks_.front());
    tasks_.pop_front();
    busy_ = true;
    lock.unlock();
    room_.notify_one();
    task();
    task = nullptr;  // what it held goes before the next one begins
    lock.lock();
    busy_ = false;
  }
}

}  // namespace trainyard::runtime
