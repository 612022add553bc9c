#include "sim/execute/tile/view.h"

#include <algorithm>

namespace trainyard::sim {
namespace {

std::vector<Stride> joined(const std::vector<Stride>& dims) {
  std::vector<Stride> out;
  for (const Stride& d : dims) {
    if (d.count == 1) continue;
    if (!out.empty() && out.back().step == d.step * d.count) {
      out.back() = {d.step, out.back().count * d.count};
    } else {
      out.push_back(d);
    }
  }
  return out;
}

}  // namespace

Pattern make_pattern(Dtype dtype, int64_t rows, int64_t pitch, std::vector<Stride> dims) {
  Pattern p{.dtype = dtype, .rows = rows, .pitch = pitch, .dims = joined(dims)};
  for (const Stride& d : p.dims) p.count *= d.count;
  p.dense = p.dims.empty() || (p.dims.size() == 1 && p.dims[0].step == p.size());
  return p;
}

Pattern as_one_row(const Pattern& pattern) {
  std::vector<Stride> dims = {{pattern.pitch, pattern.rows}};
  dims.insert(dims.end(), pattern.dims.begin(), pattern.dims.end());
  return make_pattern(pattern.dtype, 1, 0, std::move(dims));
}

bool fold_rows(std::initializer_list<Pattern*> patterns) {
  const bool gapless = std::all_of(patterns.begin(), patterns.end(), [](const Pattern* p) {
    return p->dense && (p->rows == 1 || p->pitch == p->count * p->size());
  });
  if (gapless) {
    for (Pattern* p : patterns) *p = as_one_row(*p);
  }
  return gapless;
}

}  // namespace trainyard::sim
