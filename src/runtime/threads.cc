#include "runtime/threads.h"

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <optional>
#include <thread>

namespace trainyard::runtime {
namespace {

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
  return {count_, [arena](int64_t n, const std::function<void(int64_t, int)>& work) {
            arena->execute([&] {
              tbb::parallel_for(
                  int64_t{0}, n,
                  [&](int64_t i) { work(i, tbb::this_task_arena::current_thread_index()); },
                  tbb::simple_partitioner());
            });
          }};
}

}  // namespace trainyard::runtime
