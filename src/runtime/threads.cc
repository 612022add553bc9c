#include "runtime/threads.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <optional>
#include <thread>
#include <vector>

#ifdef TRAINYARD_TSAN
#include <sanitizer/tsan_interface.h>
#else
#define __tsan_acquire(address) static_cast<void>(address)
#define __tsan_release(address) static_cast<void>(address)
#endif

namespace trainyard::runtime {
namespace {

// The order that TBB keeps, told to ThreadSanitizer, which does not see into TBB's library: work
// begins after the call and ends before it returns, and one worker does one piece after the other.
// Nothing orders the pieces of different workers, so their races are found.
class Order {
 public:
  explicit Order(int workers) : workers_(static_cast<size_t>(workers)) { __tsan_release(&begin_); }
  ~Order() { __tsan_acquire(&end_); }
  Order(const Order&) = delete;
  Order& operator=(const Order&) = delete;

  void enter(int worker) {
    __tsan_acquire(&begin_);
    __tsan_acquire(&workers_[worker]);
  }
  void leave(int worker) {
    __tsan_release(&workers_[worker]);
    __tsan_release(&end_);
  }

 private:
  char begin_ = 0, end_ = 0;
  std::vector<char> workers_;
};

int host_threads() { return static_cast<int>(std::max(1u, std::thread::hardware_concurrency())); }

}  // namespace

struct Threads::Pool {
  explicit Pool(int count) : arena(count) {
    // Without this TBB warns and starts no more threads than the host has.
    if (count > host_threads())
      limit.emplace(tbb::global_control::max_allowed_parallelism, static_cast<size_t>(count));
  }
  std::optional<tbb::global_control> limit;
  tbb::task_arena arena;
};

Threads::Threads(int count)
    : count_(count > 0 ? count : host_threads()),
      pool_(count_ > 1 ? std::make_unique<Pool>(count_) : nullptr) {}

Threads::~Threads() = default;

sim::ParallelFor Threads::parallel_for() const {
  if (pool_ == nullptr) return sim::serial();
  tbb::task_arena* arena = &pool_->arena;
  return {
      count_, [arena](int64_t n, const std::function<void(int64_t, int)>& work) {
        Order order(arena->max_concurrency());
        const auto piece = [&](int64_t i) {
          const int worker = tbb::this_task_arena::current_thread_index();
          order.enter(worker);
          work(i, worker);
          order.leave(worker);
        };
        arena->execute([&] { tbb::parallel_for(int64_t{0}, n, piece, tbb::simple_partitioner()); });
      }};
}

}  // namespace trainyard::runtime
