#include "runtime/event.h"

#include <gtest/gtest.h>

#include <thread>

namespace trainyard::runtime {
namespace {

TEST(Event, CallsBackOnceInEitherOrder) {
  Event event;
  int calls = 0;
  event.on_ready([&](const Status& status) { calls += status.ok() ? 1 : 100; });
  EXPECT_EQ(calls, 0);
  event.set();
  EXPECT_EQ(calls, 1);
  event.on_ready([&](const Status&) { ++calls; });
  EXPECT_EQ(calls, 2);
}

TEST(Event, OnlyTheFirstOutcomeCounts) {
  Event event;
  event.set(error("TY-RUN-010", "first"));
  event.set();
  EXPECT_EQ(event.status().code(), "TY-RUN-010");
  EXPECT_EQ(event.wait().message(), "first");
}

TEST(Event, ACallbackMayAskTheEventAgain) {
  Event event;
  bool was_ready = false;
  event.on_ready(
      [&](const Status&) { event.on_ready([&](const Status&) { was_ready = event.is_ready(); }); });
  event.set();
  EXPECT_TRUE(was_ready);
}

TEST(Event, WaitersWakeWhenAnotherThreadSetsIt) {
  Event event;
  std::thread setter([&] { event.set(); });
  EXPECT_TRUE(event.wait().ok());
  setter.join();
}

}  // namespace
}  // namespace trainyard::runtime
