#include "gemm_ceiling.h"

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <new>
#include <thread>
#include <vector>

namespace trainyard::bench {
namespace {

constexpr size_t kM = 128;
constexpr size_t kN = 512;
constexpr size_t kK = 128;
// PSUM rows padded by one cache line: at 2 KiB they would share cache sets.
constexpr size_t kPsumPitch = kN + 16;

}  // namespace

void FreeMemory::operator()(void* memory) const { std::free(memory); }

void* allocate_memory(size_t bytes) {
  constexpr size_t kHugePage = size_t{2} << 20;
  const size_t rounded = (std::max<size_t>(bytes, 1) + kHugePage - 1) / kHugePage * kHugePage;
  void* memory = std::aligned_alloc(kHugePage, rounded);
  if (memory == nullptr) throw std::bad_alloc();
  madvise(memory, rounded, MADV_HUGEPAGE);
  std::memset(memory, 0, rounded);
  return memory;
}

RawTileLoop::RawTileLoop(const RawUnit& unit, size_t size, int workers)
    : unit_(unit),
      size_(size),
      stationary_(memory_of<std::byte>(size * size * unit.value_bytes)),
      moving_(memory_of<std::byte>(size * size * unit.value_bytes)),
      result_(memory_of<float>(size * size)) {
  for (int i = 0; i < workers; ++i) psums_.push_back(memory_of<float>(kM * kPsumPitch));
  // 1.0 in either format. The values do not change the time, as long as none is denormal or NaN.
  const uint32_t one = unit.value_bytes == 4 ? 0x3f800000u : 0x3f803f80u;
  std::fill_n(reinterpret_cast<uint32_t*>(stationary_.get()), size * size * unit.value_bytes / 4,
              one);
  std::fill_n(reinterpret_cast<uint32_t*>(moving_.get()), size * size * unit.value_bytes / 4, one);
}

size_t RawTileLoop::tiles() const { return size_ / kM * (size_ / kN); }

double RawTileLoop::flops_per_tile() const { return 2.0 * kM * kN * static_cast<double>(size_); }

void RawTileLoop::run(size_t first, size_t last, int worker) {
  float* psum = psums_[worker].get();
  const size_t m_tiles = size_ / kM;
  const size_t n_tiles = size_ / kN;
  const size_t k_tiles = size_ / kK;
  const size_t stationary_bytes = kK * kM * unit_.value_bytes;
  const size_t moving_bytes = kK * kN * unit_.value_bytes;
  unit_.enter();
  for (size_t tile = first; tile < last; ++tile) {
    const size_t n = tile / m_tiles;
    const size_t m = tile % m_tiles;
    for (size_t k = 0; k < k_tiles; ++k) {
      const size_t next = k + 1 < k_tiles ? k + 1 : 0;
      unit_.matmul(stationary_.get() + (k * m_tiles + m) * stationary_bytes,
                   moving_.get() + (k * n_tiles + n) * moving_bytes,
                   moving_.get() + (next * n_tiles + n) * moving_bytes, psum, kPsumPitch, k > 0);
    }
    for (size_t row = 0; row < kM; ++row)
      std::memcpy(result_.get() + (m * kM + row) * size_ + n * kN, psum + row * kPsumPitch,
                  kN * sizeof(float));
  }
}

double RawTileLoop::seconds() {
  const auto start = std::chrono::steady_clock::now();
  const size_t workers = psums_.size();
  std::vector<std::thread> others;
  for (size_t w = 1; w < workers; ++w)
    others.emplace_back([this, w, workers] {
      run(tiles() * w / workers, tiles() * (w + 1) / workers, static_cast<int>(w));
    });
  run(0, tiles() / workers, 0);
  for (std::thread& other : others) other.join();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace trainyard::bench
