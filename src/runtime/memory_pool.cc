#include "runtime/memory_pool.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace trainyard::runtime {
namespace {

// From here on a block is worth whole huge pages: fewer faults, fewer TLB misses.
constexpr size_t kHugePage = size_t{2} << 20;
// Kept at any rate, even if less was ever in use.
constexpr size_t kKeepAlways = size_t{256} << 20;

std::byte* allocate(size_t bytes) {
  const bool huge = bytes >= kHugePage;
  const size_t alignment = huge ? kHugePage : MemoryPool::kAlignment;
  void* block = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
  if (block != nullptr && huge) madvise(block, bytes, MADV_HUGEPAGE);
  return static_cast<std::byte*>(block);
}

}  // namespace

size_t MemoryPool::rounded(size_t bytes) {
  constexpr size_t kSteps = 8;  // sizes per power of two
  bytes = std::max(bytes, kAlignment);
  const size_t step = std::max(kAlignment, std::bit_floor(bytes) / kSteps);
  return (bytes + step - 1) / step * step;
}

MemoryPool::~MemoryPool() { trim_locked(); }

std::byte* MemoryPool::take(size_t bytes) {
  const size_t size = rounded(bytes);
  const std::lock_guard lock(mutex_);
  in_use_ += size;
  peak_ = std::max(peak_, in_use_);
  if (const auto found = free_.find(size); found != free_.end() && !found->second.empty()) {
    std::byte* block = found->second.back();
    found->second.pop_back();
    kept_ -= size;
    return block;
  }
  std::byte* block = allocate(size);
  if (block == nullptr) {
    trim_locked();
    block = allocate(size);
  }
  if (block == nullptr) in_use_ -= size;
  return block;
}

void MemoryPool::give(std::byte* block, size_t bytes) {
  if (block == nullptr) return;
  const size_t size = rounded(bytes);
  const std::lock_guard lock(mutex_);
  in_use_ -= size;
  // What was needed at once may be needed at once again, more than that never was.
  if (in_use_ + kept_ + size > std::max(peak_, kKeepAlways)) {
    std::free(block);
    return;
  }
  free_[size].push_back(block);
  kept_ += size;
}

void MemoryPool::trim() {
  const std::lock_guard lock(mutex_);
  trim_locked();
}

void MemoryPool::trim_locked() {
  for (auto& [size, blocks] : free_) {
    for (std::byte* block : blocks) std::free(block);
  }
  free_.clear();
  kept_ = 0;
}

size_t MemoryPool::kept_bytes() const {
  const std::lock_guard lock(mutex_);
  return kept_;
}

}  // namespace trainyard::runtime
