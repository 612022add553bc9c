#pragma once
// The whole-window primitives; isa/gpsimd/primitives.h says what each means.
#include <span>
#include <vector>

#include "sim/gpsimd/memory.h"

namespace trainyard::sim::gpsimd {

// A primitive with its windows and scalars (pointers to one element) in hand.
struct Work {
  const isa::gpsimd::Program& program;
  const isa::gpsimd::Op& op;
  const isa::gpsimd::WindowWork& work;
  std::vector<WindowData*> windows;
  std::vector<const void*> scalars;
};

Status run_primitive(const Work& work);

void run_sort(const Work& work);
void run_top_k(const Work& work);
void run_segmented_scan(const Work& work);
Status run_gather_rows(const Work& work);
Status run_scatter_rows(const Work& work);
void run_reduce_axes(const Work& work);
void run_reduce_window(const Work& work);
Status run_histogram(const Work& work);
void run_binary_search(const Work& work);
Status run_gather_slices(const Work& work);
Status run_scatter_slices(const Work& work);
void run_dot(const Work& work);

// Sorts `order` (element numbers) by keys[order[i]], stably. `bytes` low bytes of the keys count.
void radix_sort(std::vector<int32_t>& order, const std::vector<uint64_t>& keys, int64_t bytes);

}  // namespace trainyard::sim::gpsimd
