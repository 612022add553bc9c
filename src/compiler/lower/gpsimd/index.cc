// gather and scatter. Patterns bring every form to the one of the primitives: batching dims in
// front, the index vector last.
#include <algorithm>
#include <functional>

#include "compiler/lower/gpsimd/lowerings.h"

namespace trainyard::compiler {
namespace {

using Use = gp::Window::Use;

bool contains(const Dims& dims, int64_t d) {
  return std::find(dims.begin(), dims.end(), d) != dims.end();
}

// The words that gather and scatter share.
struct Indexing {
  Dims offset_dims;    // of the slices' tensor: the parts of a slice
  Dims dropped_dims;   // of the operand: size 1 in a slice and left out there
  Dims operand_batch;  // of the operand
  Dims index_batch;    // of the indices
  Dims index_map;      // entry of the index vector -> dim of the operand
  int64_t vector_dim = 0;
  Dims slice_sizes;  // per dim of the operand
};

// The dims of `view` in the order given; its shape is [b, ...].
struct Ordered {
  View view;
  Dims shape;
};

int64_t product(const std::vector<isa::Dim>& axes, size_t from, size_t to) {
  int64_t n = 1;
  for (size_t i = from; i < to; ++i) n *= axes[i].count;
  return n;
}

Dims other_dims(const Indexing& ix, size_t rank) {
  Dims out;
  for (int64_t d = 0; d < static_cast<int64_t>(rank); ++d) {
    if (!contains(ix.operand_batch, d)) out.push_back(d);
  }
  return out;
}

// x [b, dims that are no batching dims].
Ordered operand_window(const Indexing& ix, ValueId value, const std::vector<int64_t>& shape) {
  const View dense = dense_view(value, shape);
  Ordered out{{value, 0, {}, -1}, {}};
  for (const int64_t d : ix.operand_batch)
    out.view.axes.push_back(dense.axes[static_cast<size_t>(d)]);
  out.shape = {product(out.view.axes, 0, out.view.axes.size())};
  for (const int64_t d : other_dims(ix, shape.size())) {
    out.view.axes.push_back(dense.axes[static_cast<size_t>(d)]);
    out.shape.push_back(shape[static_cast<size_t>(d)]);
  }
  return out;
}

// index [b, m, c].
Ordered index_window(const Indexing& ix, ValueId value, const std::vector<int64_t>& shape) {
  const View dense = dense_view(value, shape);
  Ordered out{{value, 0, {}, -1}, {}};
  for (const int64_t d : ix.index_batch)
    out.view.axes.push_back(dense.axes[static_cast<size_t>(d)]);
  const size_t batch = out.view.axes.size();
  for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d) {
    if (d == ix.vector_dim || contains(ix.index_batch, d)) continue;
    out.view.axes.push_back(dense.axes[static_cast<size_t>(d)]);
  }
  const size_t all = out.view.axes.size();
  out.shape = {product(out.view.axes, 0, batch), product(out.view.axes, batch, all), 1};
  if (ix.vector_dim < static_cast<int64_t>(shape.size())) {
    out.view.axes.push_back(dense.axes[static_cast<size_t>(ix.vector_dim)]);
    out.shape[2] = shape[static_cast<size_t>(ix.vector_dim)];
  }
  return out;
}

// The slices [b, m, ...], which lie with their index dims and offset dims mixed.
Ordered slices_window(const Indexing& ix, ValueId value, const std::vector<int64_t>& shape,
                      size_t operand_rank, size_t index_rank) {
  const View dense = dense_view(value, shape);
  Dims index_dims;  // of the slices' tensor, in the order of the indices' dims
  for (int64_t d = 0; d < static_cast<int64_t>(shape.size()); ++d) {
    if (!contains(ix.offset_dims, d)) index_dims.push_back(d);
  }
  std::vector<isa::Dim> batch(ix.index_batch.size()), rest;
  size_t next = 0;
  for (int64_t d = 0; d < static_cast<int64_t>(index_rank); ++d) {
    if (d == ix.vector_dim) continue;
    const isa::Dim axis = dense.axes[static_cast<size_t>(index_dims[next++])];
    const auto at = std::find(ix.index_batch.begin(), ix.index_batch.end(), d);
    if (at == ix.index_batch.end()) {
      rest.push_back(axis);
    } else {
      batch[static_cast<size_t>(at - ix.index_batch.begin())] = axis;
    }
  }
  Ordered out{{value, 0, batch, -1},
              {product(batch, 0, batch.size()), product(rest, 0, rest.size())}};
  out.view.axes.insert(out.view.axes.end(), rest.begin(), rest.end());
  size_t offset = 0;
  for (const int64_t d : other_dims(ix, operand_rank)) {
    isa::Dim axis{0, 1};
    if (!contains(ix.dropped_dims, d))
      axis = dense.axes[static_cast<size_t>(ix.offset_dims[offset++])];
    out.view.axes.push_back(axis);
    out.shape.push_back(axis.count);
  }
  return out;
}

Dims index_axes(const Indexing& ix, size_t operand_rank) {
  const Dims others = other_dims(ix, operand_rank);
  Dims axes;
  for (const int64_t d : ix.index_map) {
    axes.push_back(std::find(others.begin(), others.end(), d) - others.begin() + 1);
  }
  return axes;
}

gp::WindowId add_window(Call& call, Use use, const Ordered& o) {
  return call.view(use, o.view, o.shape);
}

// An index vector without entries, as in x.at[:].set(y), puts every slice at the origin. The
// primitives want an entry: one more axis of size 1 takes it, and all indices are zero.
bool has_no_entries(const Indexing& ix, const std::vector<int64_t>& indices) {
  return ix.vector_dim < static_cast<int64_t>(indices.size()) &&
         indices[static_cast<size_t>(ix.vector_dim)] == 0;
}
void add_axis(Ordered& o) {
  o.view.axes.push_back({0, 1});
  o.shape.push_back(1);
}
Ordered zero_index(Lowering& lowering, Ordered index) {
  index.shape[2] = 1;
  const int64_t n = index.shape[0] * index.shape[1];
  const ElementType element = lowering.type(index.view.base).element;
  index.view.tensor =
      lowering.body.global(hbm_tensor(tensor_of(element, {n}), "origin", isa::Io::In));
  index.view.axes = {{1, n}};
  lowering.executable.constants.push_back(
      {index.view.tensor, std::vector<uint8_t>(static_cast<size_t>(n * byte_size(element)), 0)});
  return index;
}

// The windows of a gather or scatter, in one form: batching dims in front, index vector last.
struct IndexedWindows {
  Ordered operand, index, slices;
  Dims axes;
};
IndexedWindows indexed_windows(Lowering& lowering, const Indexing& ix, ValueId operand,
                               ValueId index, ValueId slices) {
  const auto &shape = lowering.type(operand).shape, &indices = lowering.type(index).shape;
  IndexedWindows w{
      operand_window(ix, operand, shape), index_window(ix, index, indices),
      slices_window(ix, slices, lowering.type(slices).shape, shape.size(), indices.size()),
      index_axes(ix, shape.size())};
  if (has_no_entries(ix, indices)) {
    w.axes = {static_cast<int64_t>(w.operand.shape.size())};
    add_axis(w.operand);
    add_axis(w.slices);
    w.index = zero_index(lowering, std::move(w.index));
  }
  return w;
}

}  // namespace

Status lower_gather(Lowering& lowering, const Op& op, OpId id) {
  const auto& a = std::get<GatherAttributes>(op.attributes);
  const ValueId x = op.operands[0], start = op.operands[1], y = op.results[0];
  if (is_empty(lowering.type(y))) return {};
  const Indexing ix{a.offset_dims,
                    a.collapsed_slice_dims,
                    a.operand_batching_dims,
                    a.start_indices_batching_dims,
                    a.start_index_map,
                    a.index_vector_dim,
                    a.slice_sizes};
  lowering.define(y);
  const IndexedWindows w = indexed_windows(lowering, ix, x, start, y);
  Call call(lowering, "gather");
  gp::WindowWork work;
  work.windows = {add_window(call, Use::Read, w.operand), add_window(call, Use::Read, w.index),
                  add_window(call, Use::Write, w.slices)};
  work.axes = w.axes;
  work.bounds = gp::Bounds::Clamp;
  call.body.primitive(gp::Code::GatherSlices, std::move(work));
  return call.emit(Lowering::label(op, id));
}

Status lower_scatter(Lowering& lowering, const Op& op, OpId id) {
  const auto& a = std::get<ScatterAttributes>(op.attributes);
  const size_t n = op.results.size();
  if (is_empty(lowering.type(op.results[0]))) return {};
  for (size_t i = 0; i < n; ++i) define_from(lowering, op, id, i, i);
  const ValueId index = op.operands[n];
  if (is_empty(lowering.type(op.operands[n + 1]))) return {};
  const Indexing ix{a.update_window_dims,
                    a.inserted_window_dims,
                    a.input_batching_dims,
                    a.scatter_indices_batching_dims,
                    a.scatter_dims_to_operand_dims,
                    a.index_vector_dim,
                    {}};
  Result<gp::Function> function = combiner(lowering, op.regions[0], "combine");
  if (!function.ok()) return function.status();
  std::vector<IndexedWindows> parts;
  for (size_t i = 0; i < n; ++i) {
    parts.push_back(indexed_windows(lowering, ix, op.results[i], index, op.operands[n + 1 + i]));
  }
  Call call(lowering, "scatter");
  gp::WindowWork work;
  for (const IndexedWindows& w : parts) {
    work.windows.push_back(add_window(call, Use::Update, w.operand));
  }
  work.windows.push_back(add_window(call, Use::Read, parts[0].index));
  for (const IndexedWindows& w : parts) {
    work.windows.push_back(add_window(call, Use::Read, w.slices));
  }
  // A combiner that gives the updates back only replaces.
  const gp::Block& body = function->blocks[0];
  const bool replaces = std::equal(body.results.begin(), body.results.end(),
                                   body.params.begin() + static_cast<int64_t>(n));
  if (!replaces) work.fold = call.fold(std::move(*function));
  work.axes = parts[0].axes;
  work.bounds = gp::Bounds::Drop;
  call.body.primitive(gp::Code::ScatterSlices, std::move(work));
  return call.emit(Lowering::label(op, id));
}

}  // namespace trainyard::compiler
