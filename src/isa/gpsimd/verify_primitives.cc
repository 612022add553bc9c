#include <algorithm>

#include "isa/gpsimd/primitives.h"
#include "isa/gpsimd/text.h"
#include "isa/gpsimd/verify.h"

namespace trainyard::isa::gpsimd {
namespace {

// A coordinate times a step stays far inside of 64 bits.
constexpr int64_t kMostStep = int64_t{1} << 20;

Status misfit(const Op& op, std::string_view what) {
  return error("TY-GPS-010", "'{}' {}", name(op.code), what);
}

struct View {
  const Program& program;
  const Function& f;
  const Op& op;
  const WindowWork& work;

  size_t count() const { return work.windows.size(); }
  const Window& window(size_t i) const { return program.windows[work.windows[i]]; }
  Status windows(size_t n) const {
    if (count() == n) return {};
    return error("TY-GPS-010", "'{}' works on {} windows, not {}", name(op.code), n, count());
  }
  // The values it takes: scalars of the types of the first windows.
  Status starts(size_t n) const {
    bool fits = op.in.size() == n;
    for (size_t i = 0; fits && i < n; ++i) {
      fits = f.values[op.in[i]] == ValueType{window(i).type, 0};
    }
    if (fits) return {};
    return error("TY-GPS-010", "'{}' takes {} scalars of the types of its windows", name(op.code),
                 n);
  }
};

Status verify_roles(const View& v) {
  for (size_t i = 0; i < v.count(); ++i) {
    const Window& w = v.window(i);
    const WindowRole r = role(v.op, i);
    if ((r.writes && w.use == Window::Use::Read) || (r.reads && w.use == Window::Use::Write)) {
      return error("TY-GPS-005", "'{}' {} window '{}', which is declared '{}'; declare it 'update'",
                   name(v.op.code), r.writes ? "writes" : "reads", w.name,
                   kUses[static_cast<int>(w.use)]);
    }
    const auto& ids = v.work.windows;
    if (r.writes && std::count(ids.begin(), ids.end(), ids[i]) > 1) {
      return misfit(v.op, "writes a window that it also names elsewhere; use two windows");
    }
  }
  return {};
}

Status verify_sort(const View& v) {
  if (v.count() == 0) return misfit(v.op, "needs a window");
  for (size_t i = 1; i < v.count(); ++i) {
    if (v.window(i).shape != v.window(0).shape) return misfit(v.op, "needs windows of one shape");
  }
  const auto rank = static_cast<int64_t>(v.window(0).shape.size());
  if (v.work.axes.size() != 1 || v.work.axes[0] < 0 || v.work.axes[0] >= rank) {
    return misfit(v.op, "needs one axis of its windows, as (axes 0)");
  }
  if (v.work.fold.kind == Fold::Kind::None) {
    const size_t keys = v.work.orders.size();
    return keys >= 1 && keys <= v.count() ? v.starts(0)
                                          : misfit(v.op, "needs an order per key or a comparator");
  }
  if (v.work.fold.kind != Fold::Kind::Function || !v.work.orders.empty()) {
    return misfit(v.op, "needs either orders or a comparator function");
  }
  const Function& less = v.program.functions[v.work.fold.function];
  const Block& body = less.blocks[0];
  bool fits = body.params.size() == 2 * v.count() && body.results.size() == 1 &&
              less.values[body.results[0]].type == Type::I1;
  for (size_t i = 0; fits && i < body.params.size(); ++i) {
    fits = less.values[body.params[i]].type == v.window(i / 2).type;
  }
  if (fits) return v.starts(0);
  return error("TY-GPS-007",
               "comparator '{}' does not fit; it takes two elements of each window in turn and "
               "gives an i1",
               less.name);
}

Status verify_top_k(const View& v) {
  TY_TRY(v.windows(3));
  const std::vector<int64_t>& x = v.window(0).shape;
  std::vector<int64_t> k = v.window(1).shape;
  if (x.empty() || k.size() != x.size() || k.back() > x.back() || k != v.window(2).shape) {
    return misfit(v.op, "needs values and indices shaped as x, with k at most its last axis");
  }
  k.back() = x.back();
  if (k != x || v.window(1).type != v.window(0).type || v.window(2).type != Type::S32) {
    return misfit(v.op, "needs values of x's type and s32 indices");
  }
  return v.work.orders.size() == 1 ? v.starts(0) : misfit(v.op, "needs one order");
}

Status verify_segmented_scan(const View& v) {
  if (v.count() != 2) TY_TRY(v.windows(3));
  const Window& x = v.window(0);
  const Window& y = v.window(v.count() - 1);
  const bool segments = v.count() == 2 || is_integer(v.window(1).type);
  if (x.shape.empty() || v.window(1).shape != x.shape || y.shape != x.shape || y.type != x.type ||
      !segments) {
    return misfit(v.op, "needs x, integer segments and y of one shape, y of x's type");
  }
  TY_TRY(v.starts(1));
  return verify_fold(v.program, v.work.fold, {x.type});
}

Status verify_rows(const View& v) {
  TY_TRY(v.windows(3));
  const bool scatter = v.op.code == Code::ScatterRows;
  const Window& x = v.window(0);
  const Window& index = v.window(1);
  std::vector<int64_t> rows = v.window(2).shape;
  if (index.shape.size() != 1 || !is_integer(index.type) || rows.empty() || x.shape.empty() ||
      rows[0] != index.shape[0] || v.window(2).type != x.type) {
    return misfit(v.op, "needs x [n, ...], integers [m] and rows [m, ...] of x's type");
  }
  rows[0] = x.shape[0];
  if (rows != x.shape) return misfit(v.op, "has rows of another shape than those of x");
  if (v.work.bounds > Bounds::Drop || v.work.bounds == (scatter ? Bounds::Fill : Bounds::Drop)) {
    return error("TY-GPS-009", "'{}' does not have that bounds policy; use clamp, {} or fault",
                 name(v.op.code), scatter ? "drop" : "fill");
  }
  TY_TRY(v.starts(v.work.bounds == Bounds::Fill ? 1 : 0));
  if (!scatter || v.work.fold.kind == Fold::Kind::None) return {};
  return verify_fold(v.program, v.work.fold, {x.type});
}

Status verify_inputs(const View& v) {
  const size_t n = v.count() / 2;
  if (n == 0 || v.count() != 2 * n) return misfit(v.op, "needs as many results as inputs");
  std::vector<Type> types;
  for (size_t i = 0; i < n; ++i) {
    types.push_back(v.window(i).type);
    if (v.window(i).shape != v.window(0).shape || v.window(n + i).shape != v.window(n).shape ||
        v.window(n + i).type != v.window(i).type) {
      return misfit(v.op, "needs inputs of one shape and results of one shape, of the same types");
    }
  }
  TY_TRY(v.starts(n));
  return verify_fold(v.program, v.work.fold, types);
}

Status verify_reduce(const View& v) {
  TY_TRY(verify_inputs(v));
  const std::vector<int64_t>& x = v.window(0).shape;
  std::vector<int64_t> kept;
  int64_t last = -1;
  for (const int64_t axis : v.work.axes) {
    if (axis <= last || axis >= static_cast<int64_t>(x.size())) {
      return misfit(v.op, "needs axes of its inputs in rising order");
    }
    last = axis;
  }
  for (size_t i = 0; i < x.size(); ++i) {
    const auto& axes = v.work.axes;
    if (std::count(axes.begin(), axes.end(), static_cast<int64_t>(i)) == 0) kept.push_back(x[i]);
  }
  return kept == v.window(v.count() / 2).shape ? Status()
                                               : misfit(v.op, "has results of a wrong shape");
}

Status verify_reduce_window(const View& v) {
  TY_TRY(verify_inputs(v));
  const size_t rank = v.window(0).shape.size();
  if (v.window(v.count() / 2).shape.size() != rank) {
    return misfit(v.op, "needs results of the rank of its inputs");
  }
  for (const auto* list : {&v.work.size, &v.work.stride, &v.work.dilation, &v.work.base}) {
    const bool fits =
        std::all_of(list->begin(), list->end(), [](int64_t n) { return n >= 1 && n <= kMostStep; });
    if (list->size() != rank || !fits) {
      return misfit(v.op, "needs size, stride, dilation and base, 1 or more for each axis");
    }
  }
  const bool fits = std::all_of(v.work.low.begin(), v.work.low.end(),
                                [](int64_t n) { return n >= -kMostStep && n <= kMostStep; });
  return v.work.low.size() == rank && fits ? Status()
                                           : misfit(v.op, "needs low, a padding for each axis");
}

Status verify_histogram(const View& v) {
  TY_TRY(v.windows(2));
  if (!is_integer(v.window(0).type) || !is_integer(v.window(1).type)) {
    return misfit(v.op, "needs integers and integer counts");
  }
  if (v.work.bounds > Bounds::Drop || v.work.bounds == Bounds::Fill) {
    return error("TY-GPS-009", "'histogram' has no policy 'fill'; use clamp, drop or fault");
  }
  return v.starts(0);
}

Status verify_search(const View& v) {
  TY_TRY(v.windows(3));
  const Type out = v.window(2).type;
  if (v.window(0).shape.size() != 1 || v.window(1).type != v.window(0).type ||
      v.window(2).shape != v.window(1).shape || (out != Type::S32 && out != Type::S64)) {
    return misfit(v.op, "needs sorted [n], queries of its type, and s32 or s64 results");
  }
  return v.starts(0);
}

// x [b, ...], index [b, m, c] and slices [b, m, ...] that are no larger than x.
Status verify_slices(const View& v, const Window& x, const Window& index, const Window& slices) {
  const size_t rank = x.shape.size();
  bool fits = rank >= 1 && index.shape.size() == 3 && is_integer(index.type) &&
              slices.shape.size() == rank + 1 && slices.type == x.type &&
              index.shape[0] == x.shape[0] && slices.shape[0] == x.shape[0] &&
              slices.shape[1] == index.shape[1];
  for (size_t i = 1; fits && i < rank; ++i) fits = slices.shape[i + 1] <= x.shape[i];
  if (!fits) {
    return misfit(v.op,
                  "needs x [b, ...], integers [b, m, c] and slices [b, m, ...] of x's type, "
                  "no larger than x");
  }
  const auto& axes = v.work.axes;
  fits = static_cast<int64_t>(axes.size()) == index.shape[2];
  for (const int64_t axis : axes) {
    fits = fits && axis >= 1 && axis < static_cast<int64_t>(rank) &&
           std::count(axes.begin(), axes.end(), axis) == 1;
  }
  return fits ? Status() : misfit(v.op, "needs one axis of x, from 1 on, for each index column");
}

Status verify_gather_slices(const View& v) {
  TY_TRY(v.windows(3));
  TY_TRY(verify_slices(v, v.window(0), v.window(1), v.window(2)));
  if (v.work.bounds > Bounds::Fill) {
    return error("TY-GPS-009", "'gather_slices' has no policy 'drop'; use clamp, fill or fault");
  }
  return v.starts(v.work.bounds == Bounds::Fill ? 1 : 0);
}

Status verify_scatter_slices(const View& v) {
  const size_t n = v.count() / 2;
  if (n == 0 || v.count() != 2 * n + 1) {
    return misfit(v.op, "needs as many updates as inputs, and an index between them");
  }
  std::vector<Type> types;
  for (size_t i = 0; i < n; ++i) {
    TY_TRY(verify_slices(v, v.window(i), v.window(n), v.window(n + 1 + i)));
    if (v.window(i).shape != v.window(0).shape ||
        v.window(n + 1 + i).shape != v.window(n + 1).shape) {
      return misfit(v.op, "needs inputs of one shape and updates of one shape");
    }
    types.push_back(v.window(i).type);
  }
  if (v.work.bounds > Bounds::Drop || v.work.bounds == Bounds::Fill) {
    return error("TY-GPS-009", "'scatter_slices' has no policy 'fill'; use clamp, drop or fault");
  }
  TY_TRY(v.starts(0));
  return v.work.fold.kind == Fold::Kind::None ? Status()
                                              : verify_fold(v.program, v.work.fold, types);
}

Status verify_dot(const View& v) {
  TY_TRY(v.windows(3));
  const auto &x = v.window(0).shape, &y = v.window(1).shape, &z = v.window(2).shape;
  const bool fits = x.size() == 3 && y.size() == 3 && z.size() == 3 && x[0] == y[0] &&
                    x[0] == z[0] && x[2] == y[1] && z[1] == x[1] && z[2] == y[2];
  if (!fits) return misfit(v.op, "needs x [b, m, k], y [b, k, n] and z [b, m, n]");
  if (v.window(2).type == Type::I1) return misfit(v.op, "does not sum to i1; use u8");
  return v.starts(0);
}

}  // namespace

Status verify_primitive(const Program& program, const Function& f, const Op& op) {
  const View v{program, f, op, std::get<WindowWork>(op.attributes)};
  TY_TRY(verify_roles(v));
  switch (op.code) {
    case Code::Sort:
      return verify_sort(v);
    case Code::TopK:
      return verify_top_k(v);
    case Code::SegmentedScan:
      return verify_segmented_scan(v);
    case Code::GatherRows:
    case Code::ScatterRows:
      return verify_rows(v);
    case Code::ReduceAxes:
      return verify_reduce(v);
    case Code::ReduceWindow:
      return verify_reduce_window(v);
    case Code::Histogram:
      return verify_histogram(v);
    case Code::GatherSlices:
      return verify_gather_slices(v);
    case Code::ScatterSlices:
      return verify_scatter_slices(v);
    case Code::Dot:
      return verify_dot(v);
    default:
      return verify_search(v);
  }
}

}  // namespace trainyard::isa::gpsimd
