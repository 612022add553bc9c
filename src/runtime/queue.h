#pragma once
// The work of one device, in order. Whoever posts goes on at once; a thread of the queue's own does
// the work. It starts with the first task that needs it.
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace trainyard::runtime {

class Queue {
 public:
  using Task = std::function<void()>;
  // So many tasks may wait; the next one to post waits for room. A program that runs ahead of the
  // device would fill the memory with results.
  static constexpr size_t kMaxWaiting = 64;

  Queue() = default;
  ~Queue();  // after all tasks are done
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  void post(Task task);
  // Runs the task on this thread if nothing is running or waiting: cheaper than waking another
  // thread for less work than that takes. Otherwise the same as post.
  void run_or_post(Task task);

 private:
  void work();
  void start_locked();

  std::mutex mutex_;
  std::condition_variable changed_, room_;
  std::deque<Task> tasks_;
  bool busy_ = false;  // a task is running, here or on a caller's thread
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace trainyard::runtime
