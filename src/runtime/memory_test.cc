#include <gtest/gtest.h>

#include "runtime/device_memory.h"
#include "runtime/memory_pool.h"

namespace trainyard::runtime {
namespace {

Purpose array(std::vector<int64_t> shape) {
  return {std::make_shared<const compiler::TensorType>(
              compiler::tensor_of(compiler::ElementType::F32, std::move(shape))),
          nullptr};
}

TEST(MemoryPool, RoundsUpByAtMostAnEighthAndToCacheLines) {
  for (const size_t bytes : {1u, 64u, 65u, 1000u, 4096u, 100'000u, 1'234'567u}) {
    const size_t rounded = MemoryPool::rounded(bytes);
    EXPECT_GE(rounded, bytes);
    EXPECT_EQ(rounded % MemoryPool::kAlignment, 0u);
    EXPECT_LE(rounded, bytes + bytes / 8 + MemoryPool::kAlignment);
    EXPECT_EQ(MemoryPool::rounded(rounded), rounded);
  }
}

TEST(MemoryPool, BlocksAreAlignedAndComeBack) {
  MemoryPool pool;
  for (const size_t bytes : {size_t{1}, size_t{100}, size_t{5} << 20}) {
    std::byte* first = pool.take(bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(first) % MemoryPool::kAlignment, 0u);
    pool.give(first, bytes);
    EXPECT_EQ(pool.take(bytes), first);
    pool.give(first, bytes);
  }
  EXPECT_GT(pool.kept_bytes(), 0u);
  pool.trim();
  EXPECT_EQ(pool.kept_bytes(), 0u);
}

TEST(MemoryPool, KeepsNoMoreThanWasEverInUse) {
  MemoryPool pool;
  constexpr size_t kBlock = size_t{64} << 20;
  // Untouched pages take no memory of the host.
  std::vector<std::byte*> blocks;
  for (int i = 0; i < 8; ++i) blocks.push_back(pool.take(kBlock));
  for (std::byte* block : blocks) pool.give(block, kBlock);
  EXPECT_LE(pool.kept_bytes(), 8 * kBlock);
  EXPECT_GE(pool.kept_bytes(), 4 * kBlock);
}

TEST(DeviceMemory, CountsWhatIsLiveAndRemembersThePeak) {
  DeviceMemory memory("trainyard:0", 1000);
  {
    const auto a = memory.reserve(600, array({150}));
    ASSERT_TRUE(a.ok());
    EXPECT_EQ(memory.stats().in_use, 600);
  }
  const auto b = memory.reserve(100, array({25}));
  const MemoryStats stats = memory.stats();
  EXPECT_EQ(stats.in_use, 100);
  EXPECT_EQ(stats.peak, 600);
  EXPECT_EQ(stats.largest, 600);
  EXPECT_EQ(stats.allocations, 2);
  EXPECT_EQ(stats.limit, 1000);
}

TEST(DeviceMemory, TellsWhatIsLiveWhenItIsFull) {
  DeviceMemory memory("trainyard:0", 1000);
  auto a = memory.reserve(400, array({100}));
  auto b = memory.reserve(400, array({100}));
  const auto refused = memory.reserve(400, array({10, 10}));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.status().code(), "TY-RUN-020");
  EXPECT_NE(refused.status().message().find("2 x tensor<100xf32> from the host"),
            std::string::npos);
  EXPECT_NE(refused.status().message().find("tensor<10x10xf32>"), std::string::npos);
  a->release();
  EXPECT_TRUE(memory.reserve(400, array({100})).ok());
}

TEST(DeviceMemory, AMovedReservationIsGivenBackOnce) {
  DeviceMemory memory("trainyard:0", 1000);
  auto a = memory.reserve(400, array({100}));
  DeviceMemory::Reservation moved = std::move(*a);
  a->release();
  EXPECT_EQ(memory.stats().in_use, 400);
  moved.release();
  moved.release();
  EXPECT_EQ(memory.stats().in_use, 0);
}

}  // namespace
}  // namespace trainyard::runtime
