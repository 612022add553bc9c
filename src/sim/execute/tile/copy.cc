// Runs of neighbours go through memmove. Where the two sides walk in different directions, blocks
// of 16 x 16 elements keep both in the cache. Guarded by bench/values_bench.
#include "sim/execute/tile/copy.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace trainyard::sim {
namespace {

// The two lists of dims as one list of loops, innermost last; empty if there is none.
std::vector<CopyLoop> refine(std::vector<Stride> to, std::vector<Stride> from) {
  std::vector<CopyLoop> loops;  // innermost first
  while (!to.empty() && !from.empty()) {
    Stride &t = to.back(), &f = from.back();
    const int64_t common = std::gcd(t.count, f.count);
    if (common == 1 && t.count > 1 && f.count > 1) return {};
    if (common > 1) {
      loops.push_back({common, t.step, f.step});
      t = {t.step * common, t.count / common};
      f = {f.step * common, f.count / common};
    }
    if (t.count == 1) to.pop_back();
    if (f.count == 1) from.pop_back();
  }
  std::vector<CopyLoop> joined;
  for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
    const bool follows = !joined.empty() && joined.back().to_step == loop->to_step * loop->count &&
                         joined.back().from_step == loop->from_step * loop->count;
    if (follows) {
      joined.back() = {joined.back().count * loop->count, loop->to_step, loop->from_step};
    } else {
      joined.push_back(*loop);
    }
  }
  if (joined.empty()) joined.push_back({1, 0, 0});
  return joined;
}

// A loop that both sides walk in order comes last; else the one that the destination does.
void order_loops(std::vector<CopyLoop>& loops, int64_t to_size, int64_t from_size) {
  const auto last = std::find_if(loops.begin(), loops.end(), [&](const CopyLoop& l) {
    return l.to_step == to_size && l.from_step == from_size;
  });
  if (last != loops.end()) {
    std::rotate(last, last + 1, loops.end());
    return;
  }
  // Two loops, each contiguous on one side, go innermost: they are copied in blocks.
  const auto by_from = std::find_if(loops.begin(), loops.end(),
                                    [&](const CopyLoop& l) { return l.from_step == from_size; });
  if (by_from != loops.end()) std::rotate(by_from, by_from + 1, loops.end());
  const auto by_to = std::find_if(loops.begin(), loops.end(),
                                  [&](const CopyLoop& l) { return l.to_step == to_size; });
  if (by_to != loops.end()) std::rotate(by_to, by_to + 1, loops.end());
}

CopyPlan plan_of(Pattern to, Pattern from) {
  CopyPlan plan{.to = as_one_row(to), .from = as_one_row(from)};
  plan.loops = refine(plan.to.dims, plan.from.dims);
  if (!plan.loops.empty()) order_loops(plan.loops, plan.to.size(), plan.from.size());
  return plan;
}

template <class T>
void copy_element(std::byte* to, const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  std::memcpy(to, &value, sizeof(T));
}

// Two loops of single elements.
template <class T>
void copy_block(const CopyLoop& outer, const CopyLoop& inner, std::byte* to,
                const std::byte* from) {
  constexpr int64_t kBlock = 16;
  for (int64_t i0 = 0; i0 < outer.count; i0 += kBlock) {
    const int64_t i1 = std::min(i0 + kBlock, outer.count);
    for (int64_t j0 = 0; j0 < inner.count; j0 += kBlock) {
      const int64_t j1 = std::min(j0 + kBlock, inner.count);
      for (int64_t i = i0; i < i1; ++i) {
        std::byte* t = to + i * outer.to_step;
        const std::byte* f = from + i * outer.from_step;
        for (int64_t j = j0; j < j1; ++j)
          copy_element<T>(t + j * inner.to_step, f + j * inner.from_step);
      }
    }
  }
}

// Calls work(to, from) for every index of the loops before the last `inner` ones.
template <class Work>
void each_outer(const std::vector<CopyLoop>& loops, size_t inner, std::byte* to,
                const std::byte* from, Work work) {
  const size_t outer = loops.size() - inner;
  if (outer == 0) return work(to, from);
  if (outer == 1) {
    for (int64_t i = 0; i < loops[0].count; ++i)
      work(to + i * loops[0].to_step, from + i * loops[0].from_step);
    return;
  }
  std::vector<int64_t> index(outer, 0);
  for (;;) {
    work(to, from);
    size_t d = outer;
    while (d-- > 0) {
      to += loops[d].to_step;
      from += loops[d].from_step;
      if (++index[d] < loops[d].count) break;
      to -= index[d] * loops[d].to_step;
      from -= index[d] * loops[d].from_step;
      index[d] = 0;
    }
    if (d == SIZE_MAX) return;
  }
}

template <class T>
void copy_elements(const CopyPlan& plan, std::byte* to, const std::byte* from) {
  std::vector<CopyLoop> loops = plan.loops;
  if (loops.size() == 1) loops.insert(loops.begin(), CopyLoop{});
  each_outer(loops, 2, to, from, [&](std::byte* t, const std::byte* f) {
    copy_block<T>(loops[loops.size() - 2], loops.back(), t, f);
  });
}

void copy_bits(const CopyPlan& plan, std::byte* to, const std::byte* from) {
  const CopyLoop& inner = plan.loops.back();
  const int64_t size = plan.to.size();
  if (inner.count == 1 || (inner.to_step == size && inner.from_step == size)) {
    const size_t bytes = inner.count * size;
    return each_outer(plan.loops, 1, to, from,
                      [&](std::byte* t, const std::byte* f) { std::memmove(t, f, bytes); });
  }
  switch (size) {
    case 1:
      return copy_elements<uint8_t>(plan, to, from);
    case 2:
      return copy_elements<uint16_t>(plan, to, from);
    default:
      return copy_elements<uint32_t>(plan, to, from);
  }
}

// Any patterns, any types: through strips.
void copy_strips(const CopyPlan& plan, std::byte* to, const std::byte* from, ExecContext& x) {
  const View dst{to, &plan.to};
  const View src{const_cast<std::byte*>(from), &plan.from};  // NOLINT: only read
  for (int64_t begin = 0; begin < plan.to.count; begin += kStrip) {
    const int64_t n = std::min(kStrip, plan.to.count - begin);
    if (plan.to.dtype == plan.from.dtype) {
      gather(plan.from, from, begin, n, x.words_a.values.data());
      scatter(plan.to, to, begin, n, x.words_a.values.data());
    } else {
      x.write(dst, 0, begin, n, read_floats(src, 0, begin, n, x.a));
    }
  }
}

}  // namespace

CopyPlan plan_copy(const Pattern& to, const Pattern& from) { return plan_of(to, from); }

CopyPlan plan_transpose(const Pattern& dst, const Pattern& data) {
  std::vector<Stride> dims = data.dims;
  dims.push_back({data.pitch, data.rows});
  return plan_of(dst, make_pattern(data.dtype, 1, 0, std::move(dims)));
}

CopyPlan plan_dma_transpose(Dtype dtype, const std::vector<Stride>& dst,
                            const std::vector<Stride>& src) {
  std::vector<Stride> turned = src;
  std::swap(turned.front(), turned.back());
  return plan_of(make_pattern(dtype, 1, 0, dst), make_pattern(dtype, 1, 0, std::move(turned)));
}

void run_copy(const CopyPlan& plan, std::byte* to, const std::byte* from, ExecContext& x) {
  if (plan.to.dtype == plan.from.dtype && !plan.loops.empty()) return copy_bits(plan, to, from);
  copy_strips(plan, to, from, x);
}

}  // namespace trainyard::sim
