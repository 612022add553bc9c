#include "sim/values/axes.h"

#include <algorithm>
#include <cstdlib>

namespace trainyard::sim {
namespace {

// The slowest axis whose positions are `step` elements or a divisor apart; -1 if there is none.
int axis_of(int64_t step, const Axes& axes) {
  for (size_t i = 0; i < axes.size(); ++i) {
    if (std::abs(step) >= axes[i].step && step % axes[i].step == 0) return static_cast<int>(i);
  }
  return -1;
}

// Cuts a dim at the end of its axis, slowest part first.
bool split_dim(const isa::Dim& dim, const Axes& axes, std::vector<AxisDim>& out) {
  if (dim.count == 1) return true;
  if (dim.step == 0) {
    out.push_back({-1, 0, dim.count});
    return true;
  }
  const int i = axis_of(dim.step, axes);
  if (i < 0) return false;
  const Axis& axis = axes[i];
  const int64_t move = dim.step / axis.step;
  const int64_t room = move > 0 ? axis.count / move : dim.count;
  if (move > 0 && dim.count > room) {
    if (axis.count % move != 0 || dim.count % room != 0 || i == 0) return false;
    if (!split_dim({axis.step * axis.count, dim.count / room}, axes, out)) return false;
    if (room > 1) out.push_back({i, move, room});
    return true;
  }
  out.push_back({i, move, dim.count});
  return true;
}

}  // namespace

Axes axes_of(std::span<const int64_t> shape) {
  Axes axes;
  int64_t step = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    if (shape[i] > 1) axes.insert(axes.begin(), {step, shape[i]});
    step *= shape[i];
  }
  if (axes.empty()) axes.push_back({1, 1});
  return axes;
}

isa::Interval AxisAccess::reach(int axis) const {
  isa::Interval reach{0, 0};
  for (const AxisDim& d : dims) {
    if (d.axis != axis) continue;
    const int64_t far = d.step * (d.count - 1);
    (far < 0 ? reach.low : reach.high) += far;
  }
  return reach;
}

std::optional<AxisAccess> split_access(const isa::Program& program,
                                       const std::vector<isa::Enclosure>& around,
                                       const isa::Affine& offset, const std::vector<isa::Dim>& dims,
                                       const Axes& axes) {
  if (offset.has_register() || offset.constant < 0) return std::nullopt;
  AxisAccess access{.at = std::vector<isa::Affine>(axes.size())};
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t position = offset.constant / axes[i].step;
    access.at[i].constant = i == 0 ? position : position % axes[i].count;
  }
  for (const isa::Term& t : offset.terms) {
    const int i = axis_of(t.coefficient, axes);
    if (i < 0) return std::nullopt;
    access.at[i] += isa::Affine::counter(t.variable.id, t.coefficient / axes[i].step);
  }
  for (const isa::Dim& d : dims) {
    if (!split_dim(d, axes, access.dims)) return std::nullopt;
  }
  for (size_t i = 0; i < axes.size(); ++i) {
    const isa::Interval at = isa::bounds(program, access.at[i], around);
    const isa::Interval reach = access.reach(static_cast<int>(i));
    if (at.low + reach.low < 0 || at.high + reach.high >= axes[i].count) return std::nullopt;
  }
  return access;
}

}  // namespace trainyard::sim
