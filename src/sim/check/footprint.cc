#include "sim/check/footprint.h"

#include <algorithm>
#include <tuple>

namespace trainyard::sim::hazard {
namespace {

constexpr int64_t kMostRuns = int64_t{1} << 16;

void merge_adjacent(std::vector<Run>& runs) {
  std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.begin < b.begin; });
  size_t last = 0;
  for (size_t i = 1; i < runs.size(); ++i) {
    if (runs[i].begin <= runs[last].end) {
      runs[last].end = std::max(runs[last].end, runs[i].end);
    } else {
      runs[++last] = runs[i];
    }
  }
  runs.resize(last + 1);
}

int64_t floor_div(int64_t a, int64_t b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }

}  // namespace

Footprint footprint(const isa::Access& access) {
  const int64_t size = numerics::size_of(access.dtype);
  Run run{0, size};
  std::vector<isa::Dim> dims;  // in bytes, forward
  for (isa::Dim d : access.dims) {
    d.step *= size;
    if (d.step < 0) {
      run.begin += d.step * (d.count - 1);
      run.end += d.step * (d.count - 1);
      d.step = -d.step;
    }
    if (d.step != 0 && d.count > 1) dims.push_back(d);
  }
  std::sort(dims.begin(), dims.end(),
            [](const isa::Dim& a, const isa::Dim& b) { return a.step < b.step; });
  size_t outer = 0;
  for (; outer < dims.size() && dims[outer].step <= run.end - run.begin; ++outer)
    run.end += dims[outer].step * (dims[outer].count - 1);
  Footprint out{{run}, true};
  int64_t pieces = 1;
  for (size_t d = outer; d < dims.size(); ++d) {
    if (dims[d].count > kMostRuns / pieces) {
      out.exact = false;
      break;
    }
    pieces *= dims[d].count;
  }
  for (; outer < dims.size(); ++outer) {
    const isa::Dim& d = dims[outer];
    if (!out.exact) {
      out.runs[0].end += d.step * (d.count - 1);
      continue;
    }
    const std::vector<Run> inner = out.runs;
    for (int64_t i = 1; i < d.count; ++i) {
      for (const Run& r : inner) out.runs.push_back({r.begin + i * d.step, r.end + i * d.step});
    }
    merge_adjacent(out.runs);
  }
  return out;
}

std::vector<Box> boxes_in_rows(const std::vector<Run>& runs, int64_t first, int64_t pitch) {
  std::vector<Box> out;
  for (const Run& r : runs) {
    int64_t from = first + r.begin;
    const int64_t to = first + r.end;
    while (from < to) {
      const int64_t row = floor_div(from, pitch);
      const int64_t column = from - row * pitch;
      // Whole rows go together.
      const int64_t whole = column == 0 ? (to - from) / pitch : 0;
      const int64_t end = whole > 0 ? pitch : std::min(pitch, column + to - from);
      out.push_back({row, row + std::max<int64_t>(1, whole), column, end});
      from += whole > 0 ? whole * pitch : end - column;
    }
  }
  std::sort(out.begin(), out.end(), [](const Box& a, const Box& b) {
    return std::tie(a.begin, a.end, a.row) < std::tie(b.begin, b.end, b.row);
  });
  size_t last = 0;
  for (size_t i = 1; i < out.size(); ++i) {
    Box& before = out[last];
    if (out[i].begin == before.begin && out[i].end == before.end && out[i].row == before.row_end) {
      before.row_end = out[i].row_end;
    } else {
      out[++last] = out[i];
    }
  }
  if (!out.empty()) out.resize(last + 1);
  return out;
}

}  // namespace trainyard::sim::hazard
