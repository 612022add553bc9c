#include "runtime/queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "runtime/event.h"

namespace trainyard::runtime {
namespace {

TEST(Queue, TasksRunInTheOrderOfPosting) {
  std::vector<int> order;
  {
    Queue queue;
    for (int i = 0; i < 500; ++i) queue.post([&order, i] { order.push_back(i); });
  }
  ASSERT_EQ(order.size(), 500u);
  for (int i = 0; i < 500; ++i) EXPECT_EQ(order[i], i);
}

TEST(Queue, AnIdleQueueRunsAShortTaskOnTheCallersThread) {
  Queue queue;
  std::thread::id ran;
  queue.run_or_post([&] { ran = std::this_thread::get_id(); });
  EXPECT_EQ(ran, std::this_thread::get_id());
}

TEST(Queue, AShortTaskWaitsBehindALongOne) {
  Event release, both;
  std::vector<int> order;
  {
    Queue queue;
    queue.post([&] {
      release.wait();
      order.push_back(1);
    });
    queue.run_or_post([&] { order.push_back(2); });
    EXPECT_TRUE(order.empty());
    release.set();
  }
  EXPECT_EQ(order, (std::vector<int>{1, 2}));
}

TEST(Queue, ManyThreadsShareOneQueueWithoutOverlap) {
  std::atomic<int> running = 0, overlaps = 0, done = 0;
  {
    Queue queue;
    std::vector<std::thread> posters;
    for (int t = 0; t < 4; ++t) {
      posters.emplace_back([&, t] {
        for (int i = 0; i < 200; ++i) {
          const auto task = [&] {
            if (running.fetch_add(1) != 0) overlaps.fetch_add(1);
            running.fetch_sub(1);
            done.fetch_add(1);
          };
          if ((i + t) % 2 == 0) {
            queue.post(task);
          } else {
            queue.run_or_post(task);
          }
        }
      });
    }
    for (std::thread& poster : posters) poster.join();
  }
  EXPECT_EQ(done.load(), 800);
  EXPECT_EQ(overlaps.load(), 0);
}

}  // namespace
}  // namespace trainyard::runtime
