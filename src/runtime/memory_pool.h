#pragma once
// Host memory for the arrays of simulated devices. Blocks are kept and handed out again: a training
// step asks for the same sizes over and over, and fresh pages cost more than the work on them.
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

namespace trainyard::runtime {

// Thread-safe.
class MemoryPool {
 public:
  // Every block begins at a multiple of this: a cache line, and a whole AVX-512 register.
  static constexpr size_t kAlignment = 64;

  MemoryPool() = default;
  ~MemoryPool();
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;

  // A block of at least `bytes` with undefined contents; null if the host has no memory left.
  std::byte* take(size_t bytes);
  // Gives back what take(bytes) returned.
  void give(std::byte* block, size_t bytes);
  // Returns all kept blocks to the host.
  void trim();

  size_t kept_bytes() const;
  // Blocks of these many bytes are interchangeable: sizes are rounded up by at most an eighth.
  static size_t rounded(size_t bytes);

 private:
  void trim_locked();

  mutable std::mutex mutex_;
  std::map<size_t, std::vector<std::byte*>> free_;  // by rounded size
  size_t kept_ = 0, in_use_ = 0, peak_ = 0;
};

}  // namespace trainyard::runtime
