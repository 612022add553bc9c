#pragma once
// What this host can do at best, measured in the same process as what we do. The raw tile loop is
// a square bf16 product as nc_matmul instructions of 128 x 128 x 512, one at a time, operands
// packed beforehand, PSUM accumulated over k and copied out: the work of a simulated matmul with
// nothing around it. It shares no code with src/sim, so that it cannot share its mistakes.
#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

namespace trainyard::bench {

// 2 MiB aligned memory with huge pages where the host has them, filled with zeros.
struct FreeMemory {
  void operator()(void* memory) const;
};
template <class T>
using Memory = std::unique_ptr<T[], FreeMemory>;
void* allocate_memory(size_t bytes);
template <class T>
Memory<T> memory_of(size_t count) {
  return Memory<T>(static_cast<T*>(allocate_memory(count * sizeof(T))));
}

// The kernel of one instruction on one unit of the host.
struct RawUnit {
  std::string_view name;
  size_t value_bytes;  // of a packed operand value: bf16 or widened to fp32
  void (*enter)();     // makes the unit usable by the calling thread
  // `next_moving` is the operand of the next instruction, for prefetching.
  void (*matmul)(const void* stationary, const void* moving, const void* next_moving, float* psum,
                 size_t pitch, bool accumulate);
};

// The best unit of the host for bf16, or nullptr where there is neither AMX nor AVX-512.
const RawUnit* best_raw_unit();

class RawTileLoop {
 public:
  // `size` is a multiple of 512. Takes 2 operands and a float result of size x size.
  RawTileLoop(const RawUnit& unit, size_t size, int workers);

  std::string_view unit() const { return unit_.name; }
  size_t tiles() const;  // dst tiles of 128 x 512
  double flops_per_tile() const;
  // Computes dst tiles first ... last - 1, m fastest, in the calling thread. Disjoint ranges may
  // run at once, each with its own worker, 0 ... workers - 1.
  void run(size_t first, size_t last, int worker);
  // The whole product, by all workers at once; seconds.
  double seconds();

 private:
  const RawUnit& unit_;
  size_t size_;
  Memory<std::byte> stationary_;
  Memory<std::byte> moving_;
  Memory<float> result_;
  std::vector<Memory<float>> psums_;  // by worker
};

// Multiply-adds on registers alone, FLOP/s of one core; 0 where the host lacks the unit.
double fma_peak();
double bf16_dot_peak();
double amx_peak();

}  // namespace trainyard::bench
