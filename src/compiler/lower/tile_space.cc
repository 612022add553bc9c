#include "compiler/lower/tile_space.h"

#include <algorithm>

namespace trainyard::compiler {
namespace {

// Enough for an instruction's fixed cost to be small, few enough for tiles to stay in a host cache.
constexpr int64_t kColumns = 1024;
constexpr int64_t kPartitions = 128;

std::vector<SpaceAxis> axes_of(const Dims& shape, size_t from, size_t to,
                               const std::vector<std::vector<int64_t>>& steps) {
  std::vector<SpaceAxis> axes;
  for (size_t d = from; d < to; ++d) {
    if (shape[d] == 1) continue;
    SpaceAxis axis{shape[d], {}};
    for (const auto& s : steps) axis.steps.push_back(s[d]);
    if (!axes.empty()) {
      SpaceAxis& last = axes.back();
      bool joins = true;
      for (size_t v = 0; v < steps.size(); ++v) {
        joins = joins && last.steps[v] == axis.steps[v] * axis.count;
      }
      if (joins) {
        axis.count *= last.count;
        last = std::move(axis);
        continue;
      }
    }
    axes.push_back(std::move(axis));
  }
  return axes;
}

// One axis cut in two: `inner` steps stay together.
std::pair<SpaceAxis, SpaceAxis> cut(const SpaceAxis& axis, int64_t inner) {
  SpaceAxis outer{axis.count / inner, axis.steps}, rest{inner, axis.steps};
  for (int64_t& s : outer.steps) s *= inner;
  return {std::move(outer), std::move(rest)};
}

int64_t divisor_below(int64_t n, int64_t most) {
  for (int64_t d = std::min(n, most); d > 1; --d) {
    if (n % d == 0) return d;
  }
  return 1;
}

SpaceAxis take_rows(std::vector<SpaceAxis>& axes, size_t values) {
  if (axes.empty()) return {1, std::vector<int64_t>(values, 0)};
  const auto best = std::ranges::max_element(
      axes, {}, [](const SpaceAxis& a) { return std::min(a.count, kPartitions); });
  SpaceAxis rows = std::move(*best);
  axes.erase(best);
  return rows;
}

}  // namespace

int64_t TileSpace::column_count() const {
  int64_t n = 1;
  for (const SpaceAxis& a : columns) n *= a.count;
  return n;
}

bool TileSpace::is_row_value(size_t i) const {
  return std::ranges::all_of(columns, [&](const SpaceAxis& a) { return a.steps[i] == 0; });
}

bool TileSpace::is_same_in_rows(size_t i) const {
  return rows.steps[i] == 0 &&
         std::ranges::all_of(loops, [&](const SpaceAxis& a) { return a.steps[i] == 0; });
}

TileSpace make_space(const Dims& shape, int64_t row_rank,
                     const std::vector<std::vector<int64_t>>& steps) {
  TileSpace space;
  const size_t values = steps.size();
  if (row_rank >= 0) {
    const auto split = static_cast<size_t>(row_rank);
    space.loops = axes_of(shape, 0, split, steps);
    space.rows = take_rows(space.loops, values);
    space.columns = axes_of(shape, split, shape.size(), steps);
    return space;
  }
  std::vector<SpaceAxis> axes = axes_of(shape, 0, shape.size(), steps);
  if (axes.empty()) axes.push_back({1, std::vector<int64_t>(values, 0)});
  // The last axis is contiguous for most: it becomes the columns. A long one alone is cut.
  SpaceAxis last = std::move(axes.back());
  axes.pop_back();
  const bool few_rows =
      std::ranges::all_of(axes, [](const SpaceAxis& a) { return a.count < kPartitions; });
  if (few_rows && last.count > kColumns) {
    // Keep all partitions busy: at least 128 pieces if it is that long.
    const int64_t most = std::clamp<int64_t>(last.count / kPartitions, 1, kColumns);
    const int64_t inner = divisor_below(last.count, most);
    if (inner * 8 >= most) {
      auto [outer, rest] = cut(last, inner);
      axes.push_back(std::move(outer));
      last = std::move(rest);
    }
  }
  space.rows = take_rows(axes, values);
  space.loops = std::move(axes);
  space.columns = {std::move(last)};
  return space;
}

}  // namespace trainyard::compiler
