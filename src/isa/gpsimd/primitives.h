#pragma once
// What the primitives mean. They work on whole windows, in row-major order, and give no values.
//
//   sort_window     windows: m of one shape, updated. axes: the one to sort along. Either `orders`,
//                   one per key, the first windows being the keys; or fold = a comparator of 2m
//                   scalars (a0, b0, a1, b1...) that gives "a before b". Stable.
//   top_k           windows: x, values, indices (s32), the last axes k wide. orders: [Descending]
//                   takes the largest first. Equal ones by index. Along the last axis.
//   segmented_scan  windows: x, segment numbers (integers), y. in: start. y folds along the last
//                   axis, inclusive, and begins again where the segment number changes. Without the
//                   segment numbers (windows: x, y) each row is one segment.
//   gather_rows     windows: x [n, ...], index [m], y [m, ...]. in: fill value if bounds are Fill.
//   scatter_rows    windows: x [n, ...] updated, index [m], u [m, ...]. x[i] = fold(x[i], u).
//                   Duplicates are combined in the order of `index`.
//   reduce_axes     windows: x0.. (n of one shape), y0.. (n, without `axes`). in: n starts. A
//                   function fold takes n accumulators, then n elements, and gives n. Elements are
//                   folded in row-major order.
//   reduce_window   as reduce_axes, y of the rank of x. Element w of the window at p reads x at
//                   (p * stride + w * dilation - low) / base; what lies outside or between is the
//                   start value.
//   histogram       windows: x (integers), counts (integers, updated). counts[x] += 1.
//   binary_search   windows: sorted [n], queries, out (s32 or s64). out = how many sorted elements
//                   are less than the query, or with `right` not greater.
//   gather_slices   windows: x [b, ...], index [b, m, c], y [b, m, ...]. axes: the c axes of x that
//                   an index names, each at least 1. y[b, i] is the slice of x[b] that begins at
//                   index[b, i] (at 0 in other axes) and has the shape of y's last axes. Clamp
//                   moves a slice inside; Fill (in: the value) replaces one that is not all inside.
//   scatter_slices  windows: n of x [b, ...] updated, index [b, m, c], n of u [b, m, ...]. axes as
//                   above. The slice of x[b] at index[b, i] becomes fold(slice, u[b, i]), in the
//                   order of i. Drop leaves out a slice that is not all inside. A function takes n
//                   accumulators, then n elements, and gives n; without a fold u replaces.
//   dot             windows: x [b, m, k], y [b, k, n], z [b, m, n]. z = sum over k of x * y, in the
//                   order of k; both are converted to z's type first. Of 16-bit floats the sum is
//                   f32 and is rounded once.
//
// Orders of floats are total: -NaN < -Inf < ... < -0 < +0 < ... < +Inf < +NaN.
#include "isa/gpsimd/program.h"

namespace trainyard::isa::gpsimd {

// How a primitive uses its window number `i`.
struct WindowRole {
  bool reads = false;
  bool writes = false;
};
WindowRole role(const Op& op, size_t i);

// The order of a comparator that compares key k alone (lt or gt of integers, lt_total or gt_total
// of floats on its params 2k, 2k+1): the executor then needs not run it.
struct KeyOrder {
  int key = 0;
  Order order = Order::Ascending;
};
std::optional<KeyOrder> recognise_order(const Function& comparator);

// The same of a comparator that compares a function of key k: `function` takes the element.
// JAX's comparators of floats map all NaNs and both zeros to one value first.
struct KeyFunction {
  KeyOrder order;
  Function function;
};
std::optional<KeyFunction> recognise_key(const Function& comparator);

}  // namespace trainyard::isa::gpsimd
