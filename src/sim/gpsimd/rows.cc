#include <algorithm>
#include <cstring>

#include "sim/gpsimd/primitives.h"
#include "sim/gpsimd/typed.h"

namespace trainyard::sim::gpsimd {

using namespace isa::gpsimd;

namespace {

// Positions of all indices of a window, checked before anything is written.
Status positions_of(const WindowData& indices, int64_t limit, Bounds bounds,
                    std::vector<int64_t>& out) {
  out.resize(indices.elements);
  for (int64_t i = 0; i < indices.elements; ++i) {
    out[i] = index_at(indices.type(), indices.bytes.data(), i);
  }
  return resolve(out, limit, bounds, "window '" + indices.window->name + "'");
}

}  // namespace

Status run_gather_rows(const Work& w) {
  const WindowData& x = *w.windows[0];
  WindowData& y = *w.windows[2];
  std::vector<int64_t> positions;
  TY_TRY(positions_of(*w.windows[1], x.window->shape[0], w.work.bounds, positions));
  const int64_t row = x.elements / x.window->shape[0];
  for (size_t i = 0; i < positions.size(); ++i) {
    std::byte* const to = y.at(static_cast<int64_t>(i) * row);
    if (positions[i] >= 0) {
      std::memcpy(to, x.at(positions[i] * row), row * x.size());
      continue;
    }
    for (int64_t k = 0; k < row; ++k) std::memcpy(to + k * x.size(), w.scalars[0], x.size());
  }
  return {};
}

Status run_scatter_rows(const Work& w) {
  WindowData& x = *w.windows[0];
  const WindowData& u = *w.windows[2];
  std::vector<int64_t> positions;
  TY_TRY(positions_of(*w.windows[1], x.window->shape[0], w.work.bounds, positions));
  const int64_t row = x.elements / x.window->shape[0];
  if (w.work.fold.kind == Fold::Kind::None) {
    for (size_t i = 0; i < positions.size(); ++i) {
      if (positions[i] < 0) continue;
      std::memcpy(x.at(positions[i] * row), u.at(static_cast<int64_t>(i) * row), row * x.size());
    }
    return {};
  }
  Folder folder(w.program, w.work.fold, {x.type()});
  if (row == 1) {
    const auto m = static_cast<int64_t>(positions.size());
    for (int64_t i = 0; i < m; i += kMostLanes) {
      const auto lanes = static_cast<size_t>(std::min(kMostLanes, m - i));
      scatter_fold(x.type(), u.at(i), {positions.data() + i, lanes}, folder, x.bytes.data());
    }
    return {};
  }
  for (size_t i = 0; i < positions.size(); ++i) {
    if (positions[i] < 0) continue;
    for (int64_t k = 0; k < row; k += kMostLanes) {
      void* const acc = x.at(positions[i] * row + k);
      const void* const from = u.at(static_cast<int64_t>(i) * row + k);
      folder.lanes({&acc, 1}, {&from, 1}, std::min(kMostLanes, row - k));
    }
  }
  return {};
}

Status run_histogram(const Work& w) {
  WindowData& counts = *w.windows[1];
  std::vector<int64_t> positions;
  TY_TRY(positions_of(*w.windows[0], counts.elements, w.work.bounds, positions));
  with_bits(counts.type(), [&]<class T>(T) {
    auto* const count = reinterpret_cast<T*>(counts.bytes.data());
    for (const int64_t p : positions) {
      if (p >= 0) count[p] = static_cast<T>(count[p] + 1);
    }
  });
  return {};
}

Status run_primitive(const Work& w) {
  switch (w.op.code) {
    case Code::Sort:
      run_sort(w);
      return {};
    case Code::TopK:
      run_top_k(w);
      return {};
    case Code::SegmentedScan:
      run_segmented_scan(w);
      return {};
    case Code::GatherRows:
      return run_gather_rows(w);
    case Code::ScatterRows:
      return run_scatter_rows(w);
    case Code::ReduceAxes:
      run_reduce_axes(w);
      return {};
    case Code::ReduceWindow:
      run_reduce_window(w);
      return {};
    case Code::Histogram:
      return run_histogram(w);
    case Code::GatherSlices:
      return run_gather_slices(w);
    case Code::ScatterSlices:
      return run_scatter_slices(w);
    case Code::Dot:
      run_dot(w);
      return {};
    default:
      run_binary_search(w);
      return {};
  }
}

}  // namespace trainyard::sim::gpsimd
