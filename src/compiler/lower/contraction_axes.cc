#include "compiler/lower/contraction_axes.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace trainyard::compiler {

void drop_single(Contraction& c) {
  for (ContractionAxes* group : {&c.batch, &c.m, &c.n, &c.k}) {
    std::erase_if(*group, [](const ContractionAxis& a) { return a.count == 1; });
  }
}

ContractionAxes merged(const ContractionAxes& axes, const std::vector<ContractionStep>& tensors) {
  ContractionAxes out;
  for (const ContractionAxis& a : axes) {
    const bool joins = !out.empty() && std::ranges::all_of(tensors, [&](ContractionStep s) {
      return out.back().*s == a.*s * a.count;
    });
    if (joins) {
      const int64_t count = out.back().count * a.count;
      out.back() = a;
      out.back().count = count;
    } else {
      out.push_back(a);
    }
  }
  return out;
}

std::vector<isa::Dim> dims_of(const ContractionAxes& axes, ContractionStep step) {
  std::vector<isa::Dim> dims;
  for (const ContractionAxis& a : merged(axes, {step})) dims.push_back({a.*step, a.count});
  return dims;
}

int64_t elements(const ContractionAxes& axes) {
  return std::accumulate(axes.begin(), axes.end(), int64_t{1},
                         [](int64_t n, const ContractionAxis& a) { return n * a.count; });
}

bool has_contiguous(const ContractionAxes& axes, ContractionStep step) {
  return std::ranges::any_of(axes,
                             [&](const ContractionAxis& a) { return std::abs(a.*step) == 1; });
}

AxesCut cut(const ContractionAxes& axes, int64_t most) {
  AxesCut out;
  if (axes.empty()) return out;
  size_t lead = axes.size() - 1;
  for (int64_t unit = 1; lead > 0 && unit * axes[lead].count <= most; --lead) {
    unit *= axes[lead].count;
  }
  const auto at = axes.begin() + static_cast<ptrdiff_t>(lead);
  out.around.assign(axes.begin(), at);
  out.lead = *at;
  out.inner.assign(at + 1, axes.end());
  return out;
}

}  // namespace trainyard::compiler
