// Tile kernels: loads, element-wise instructions and reductions on tiles, stores.
//
// Rows lie on partitions. Where all columns fit SBUF at once, each operation is emitted once, in
// order. Longer rows come in chunks, and each reduction is a pass over the chunks that computes
// again what it needs: reading twice is cheaper than keeping.
#include <algorithm>
#include <set>
#include <unordered_map>

#include "base/check.h"
#include "compiler/lower/contraction.h"
#include "compiler/lower/group_tile.h"
#include "compiler/lower/kernels.h"
#include "compiler/lower/tile_emit.h"
#include "compiler/lower/tile_ops.h"
#include "compiler/lower/tile_range.h"
#include "compiler/lower/tile_space.h"
#include "compiler/lower/views.h"

namespace trainyard::compiler {
namespace {

using isa::Affine;
using isa::TensorId;

// SBUF per partition for the tiles of one iteration; `place` keeps two or three iterations.
constexpr int64_t kTileBytes = 96 << 10;
constexpr int64_t kFewColumns = 16;
constexpr int64_t kMostColumns = 1024;  // of a chunk, where nothing is reduced

// A run of equal pieces along an axis.
struct Piece {
  int64_t start = 0, count = 1, size = 1;
};
std::vector<Piece> pieces_of(int64_t extent, int64_t size) {
  std::vector<Piece> pieces;
  if (extent / size > 0) pieces.push_back({0, extent / size, size});
  if (extent % size > 0) pieces.push_back({extent / size * size, 1, extent % size});
  return pieces;
}

class TileLowering {
 public:
  TileLowering(Lowering& lowering, const Kernel& kernel)
      : l_(lowering), b_(lowering.body), kernel_(kernel) {
    const Op& first = lowering.function.op(kernel.ops.front());
    label_ = Lowering::label(first, kernel.ops.front());
    for (const OpId id : kernel.ops) {
      for (const ValueId v : lowering.function.op(id).results) made_.insert(v);
    }
  }

  Status run() {
    find_externals();
    find_space();
    find_read_once();
    for (const ValueId v : outputs_) {
      externals_[index_.at(v)].view = {l_.define(v), 0, {}};
    }
    const int64_t columns = space_.column_count();
    const int64_t most = most_columns();
    is_chunked_ = columns > most;
    // A block of its own: kernels side by side share SBUF.
    b_.repeat(label_ + "_kernel", 1);
    for (const Piece& rows : pieces_of(space_.rows.count, partitions())) {
      rows_ = rows;
      hoist(columns);
      open_loops();
      row0_ = rows.count > 1 ? b_.repeat(label_ + "_r", rows.count) * rows.size + rows.start
                             : Affine(rows.start);
      if (kernel_.row_rank >= 0 && is_chunked_) {
        emit_passes(most);
      } else {
        for (const Piece& c : pieces_of(columns, most)) emit_chunk(c);
      }
      if (rows.count > 1) b_.end();
      close_loops();
      hoisted_.clear();
    }
    b_.end();
    return {};
  }

 private:
  struct External {
    ValueId value = -1;
    StridedView view;
    bool is_output = false;
  };

  int64_t partitions() const { return l_.core.pe.rows.value; }

  // ------------------------------------------------------------ what comes in and goes out

  void find_externals() {
    const Function& f = l_.function;
    std::set<ValueId> seen;
    for (const OpId id : kernel_.ops) {
      const Op& op = f.op(id);
      // The start of a reduction is known to be neutral.
      const size_t operands = op.kind == OpKind::Reduce ? 1 : op.operands.size();
      for (size_t i = 0; i < operands; ++i) {
        const ValueId v = op.operands[i];
        if (made_.contains(v) || splat(l_, v) != nullptr || !seen.insert(v).second) continue;
        add_external({v, l_.view(v), false});
      }
    }
    std::set<ValueId> outputs;
    for (const ValueId v : made_) {
      if (is_used_outside(v)) outputs.insert(stored_for(v));
    }
    for (const ValueId v : outputs) {
      outputs_.push_back(v);
      add_external({v, {}, true});
    }
  }

  // A row value that is spread over the columns is stored as it is; others read it as a view.
  ValueId stored_for(ValueId v) const {
    while (made_.contains(v)) {
      const Op& op = *l_.maker(v);
      const bool spread = op.kind == OpKind::BroadcastInDim || op.kind == OpKind::Reshape;
      if (!spread || !made_.contains(op.operands[0])) break;
      v = op.operands[0];
    }
    return v;
  }
  void add_external(External e) {
    index_[e.value] = externals_.size();
    externals_.push_back(std::move(e));
  }

  bool is_used_outside(ValueId value) const { return l_.is_used_outside(value, kernel_.ops); }

  // Steps of an external value along the dimensions of the space.
  std::vector<int64_t> steps_of(const External& e) const {
    const Dims& shape = l_.type(e.value).shape;
    const std::vector<int64_t> own = e.is_output ? row_major(shape) : e.view.steps;
    std::vector<int64_t> steps(kernel_.space.size(), 0);
    if (shape == kernel_.space) return own;
    // A row value, or a single number.
    for (size_t d = 0; d < std::min(shape.size(), steps.size()); ++d) {
      if (shape[d] > 1) steps[d] = own[d];
    }
    return steps;
  }

  void find_space() {
    Dims shape = kernel_.space;
    std::vector<std::vector<int64_t>> steps;
    for (const External& e : externals_) steps.push_back(steps_of(e));
    const Op& first = l_.function.op(kernel_.ops.front());
    if (first.kind == OpKind::Reduce) reorder_for_reduce(first, shape, steps);
    space_ = make_space(shape, kernel_.row_rank, steps);
  }

  // A reduction over any dimensions: those that are kept come first.
  void reorder_for_reduce(const Op& op, Dims& shape, std::vector<std::vector<int64_t>>& steps) {
    const Dims& dims = std::get<DimsAttributes>(op.attributes).dims;
    std::vector<size_t> order;
    for (size_t d = 0; d < shape.size(); ++d) {
      if (std::ranges::count(dims, static_cast<int64_t>(d)) == 0) order.push_back(d);
    }
    const std::vector<size_t> kept = order;
    for (const int64_t d : dims) order.push_back(static_cast<size_t>(d));
    std::ranges::sort(order.begin() + static_cast<int64_t>(kept.size()), order.end());
    if (std::ranges::is_sorted(order)) return;  // the last ones already
    const Dims old = shape;
    for (size_t i = 0; i < order.size(); ++i) shape[i] = old[order[i]];
    for (size_t v = 0; v < steps.size(); ++v) {
      const std::vector<int64_t> was = steps[v];
      if (externals_[v].is_output) {
        // Dense over the dimensions that are kept.
        const std::vector<int64_t> dense = row_major(l_.type(externals_[v].value).shape);
        for (size_t i = 0; i < order.size(); ++i) steps[v][i] = i < kept.size() ? dense[i] : 0;
      } else {
        for (size_t i = 0; i < order.size(); ++i) steps[v][i] = was[order[i]];
      }
    }
  }

  // Full tiles that an operation needs besides its result.
  int64_t extra_tiles(const Op& op) const {
    if (op.kind == OpKind::Clamp || op.kind == OpKind::IsFinite) return 1;
    if (op.kind != OpKind::Divide) return 0;
    const bool wide = is_full(op.operands[1]) && splat(l_, op.operands[1]) == nullptr &&
                      stored_for(op.operands[1]) == op.operands[1];
    return !wide ? 0 : is_far_from_zero(l_, op.operands[1]) ? 1 : 5;
  }

  int64_t most_columns() const {
    // Every operation has a tile of its own, as wide as its type.
    int64_t bytes = 0;
    for (const OpId id : kernel_.ops) {
      const Op& op = l_.function.op(id);
      const TensorType& type = l_.type(op.results[0]);
      if (type.shape != kernel_.space || stored_for(op.results[0]) != op.results[0]) continue;
      const int64_t size = numerics::size_of(storage_of(type.element).dtype);
      bytes += size + 4 * extra_tiles(op);
    }
    for (size_t i = 0; i < externals_.size(); ++i) {
      const External& e = externals_[i];
      if (!e.is_output && !space_.is_row_value(i)) {
        bytes += numerics::size_of(storage_of(l_.type(e.value).element).dtype);
      }
    }
    const int64_t fit = std::max<int64_t>(16, kTileBytes / std::max<int64_t>(bytes, 4));
    return kernel_.row_rank >= 0 ? fit : std::min(fit, kMostColumns);
  }

  // ------------------------------------------------------------ loops

  void open_loops() {
    loop_counters_.clear();
    for (const SpaceAxis& a : space_.loops) {
      loop_counters_.push_back(b_.repeat(label_ + "_l", a.count));
    }
  }
  void close_loops() {
    for (size_t i = 0; i < space_.loops.size(); ++i) b_.end();
  }

  // Offset of the chunk's first element, and the pattern of its rows and columns.
  isa::Access chunk_access(size_t i, const Affine& column0, int64_t columns, bool rows_only) {
    const External& e = externals_[i];
    Affine offset;
    for (size_t k = 0; k < space_.loops.size(); ++k) {
      offset += loop_counters_[k] * space_.loops[k].steps[i];
    }
    offset += row0_ * space_.rows.steps[i];
    std::vector<isa::Dim> dims = {{space_.rows.steps[i], rows_.size}};
    if (!rows_only && (is_chunked_ || space_.columns.size() == 1)) {
      // Chunks cut the last axis; the others are loops around them.
      const SpaceAxis& last = space_.columns.back();
      for (size_t k = 0; k < column_counters_.size(); ++k) {
        offset += column_counters_[k] * space_.columns[k].steps[i];
      }
      offset += column0 * last.steps[i];
      dims.push_back({last.steps[i], columns});
    } else if (!rows_only) {
      for (const SpaceAxis& a : space_.columns) dims.push_back({a.steps[i], a.count});
    }
    return l_.access(e.view, l_.type(e.value).element, std::move(offset), std::move(dims));
  }

  TensorId load(size_t i, const Affine& column0, int64_t columns) {
    const bool row = space_.is_row_value(i);
    const isa::Access from = chunk_access(i, column0, columns, row);
    const TensorId tile =
        b_.sbuf(label_ + "_x" + std::to_string(i), from.dtype, {rows_.size, row ? 1 : columns});
    b_.emit(isa::DmaCopy{.dst = b_.all(tile), .src = from}, label_ + "_ld" + std::to_string(i));
    return tile;
  }

  // What every row and iteration reads alike is loaded once.
  void hoist(int64_t columns) {
    if (is_chunked_) return;
    row0_ = rows_.start;
    loop_counters_.assign(space_.loops.size(), 0);
    for (size_t i = 0; i < externals_.size(); ++i) {
      if (externals_[i].is_output || !space_.is_same_in_rows(i)) continue;
      if (!space_.loops.empty() || rows_.count > 1) hoisted_[i] = load(i, 0, columns);
    }
  }

  TileRef external(ValueId v, TileEmitter& emit, const Affine& column0, int64_t columns) {
    const size_t i = index_.at(v);
    const bool row = space_.is_row_value(i);
    if (const auto known = emit.values.find(v); known != emit.values.end()) return known->second;
    const auto early = hoisted_.find(i);
    const TensorId tile = early != hoisted_.end() ? early->second : load(i, column0, columns);
    const TileRef ref = row ? TileRef::row(tile) : TileRef::full(tile);
    emit.values[v] = ref;
    return ref;
  }

  // ------------------------------------------------------------ emission

  void store(ValueId v, const TileRef& ref, TileEmitter& emit, const Affine& column0,
             int64_t columns) {
    const size_t i = index_.at(v);
    const bool row = space_.is_row_value(i) && ref.kind == TileRef::Kind::Row;
    const TensorId tile = row ? ref.tile : emit.as_full(ref, l_.type(v).element, columns);
    b_.emit(isa::DmaCopy{.dst = chunk_access(i, column0, columns, row), .src = b_.all(tile)},
            label_ + "_st" + std::to_string(i));
  }

  void prepare(const Op& op, TileEmitter& emit, const Affine& column0, int64_t columns) {
    const size_t operands = op.kind == OpKind::Reduce ? 1 : op.operands.size();
    for (size_t k = 0; k < operands; ++k) {
      const ValueId v = op.operands[k];
      if (emit.values.contains(v)) continue;
      if (const Constant* number = splat(l_, v); number != nullptr && !made_.contains(v)) {
        emit.values[v] = TileRef::number(number_of(*number));
      } else if (!made_.contains(v)) {
        external(v, emit, column0, columns);
      }
    }
  }

  bool is_full(ValueId v) const { return l_.type(v).shape == kernel_.space; }

  // Values of the kernel with one reader, which is of the kernel, too.
  void find_read_once() {
    std::unordered_map<ValueId, int> readers;
    for (const OpId id : kernel_.ops) {
      for (const ValueId v : l_.function.op(id).operands) ++readers[v];
    }
    for (const ValueId v : made_) {
      if (readers[v] == 1 && !is_used_outside(v)) read_once_.insert(v);
    }
  }

  // All operations on one chunk.
  void emit_chunk(const Piece& c) {
    const Affine column0 =
        c.count > 1 ? b_.repeat(label_ + "_c", c.count) * c.size + c.start : Affine(c.start);
    TileEmitter emit(l_, label_, rows_.size, c.size);
    emit.read_once = &read_once_;
    for (const OpId id : kernel_.ops) {
      const Op& op = l_.function.op(id);
      l_.set_source(op);
      prepare(op, emit, column0, c.size);
      const bool full = op.kind != OpKind::Reduce && is_full(op.results[0]);
      if (op.kind == OpKind::Reduce) {
        emit.reduce(op, *simple_reduce(l_, op));
      } else {
        emit.op(op, full);
      }
      if (index_.contains(op.results[0])) {
        store(op.results[0], emit.values.at(op.results[0]), emit, column0, c.size);
      }
    }
    if (c.count > 1) b_.end();
  }

  // The full operations of the kernel that `target` is computed from, in order.
  std::vector<OpId> needed(const std::vector<ValueId>& targets) const {
    std::set<ValueId> wanted(targets.begin(), targets.end());
    std::vector<OpId> out;
    for (auto id = kernel_.ops.rbegin(); id != kernel_.ops.rend(); ++id) {
      const Op& op = l_.function.op(*id);
      if (!wanted.contains(op.results[0]) || !is_full(op.results[0])) continue;
      out.push_back(*id);
      for (const ValueId v : op.operands) wanted.insert(v);
    }
    std::ranges::reverse(out);
    return out;
  }

  // Chunks of `ops`; `finish` sees each chunk's values.
  template <class Finish>
  void each_chunk(const std::vector<OpId>& ops, ValueId extra, int64_t most, TileEmitter& rows,
                  Finish finish) {
    column_counters_.clear();
    for (size_t k = 0; k + 1 < space_.columns.size(); ++k) {
      column_counters_.push_back(b_.repeat(label_ + "_o", space_.columns[k].count));
    }
    for (const Piece& c : pieces_of(space_.columns.back().count, most)) {
      const Affine column0 =
          c.count > 1 ? b_.repeat(label_ + "_c", c.count) * c.size + c.start : Affine(c.start);
      TileEmitter emit(l_, label_, rows_.size, c.size);
      emit.values = rows.values;
      emit.read_once = &read_once_;
      for (const OpId id : ops) {
        const Op& op = l_.function.op(id);
        prepare(op, emit, column0, c.size);
        emit.op(op, true);
      }
      if (extra >= 0 && !emit.values.contains(extra)) external(extra, emit, column0, c.size);
      finish(emit, column0, c.size);
      if (c.count > 1) b_.end();
    }
    for (size_t k = 0; k < column_counters_.size(); ++k) b_.end();
    column_counters_.clear();
  }

  void emit_passes(int64_t most) {
    TileEmitter rows(l_, label_, rows_.size, 1);
    for (const OpId id : kernel_.ops) {
      const Op& op = l_.function.op(id);
      l_.set_source(op);
      if (op.kind == OpKind::Reduce) {
        reduce_pass(op, most, rows);
      } else if (!is_full(op.results[0])) {
        prepare(op, rows, 0, 1);
        rows.op(op, false);
      } else {
        continue;
      }
      if (index_.contains(op.results[0])) {
        store(op.results[0], rows.values.at(op.results[0]), rows, 0, 1);
      }
    }
    std::vector<ValueId> full;
    for (const ValueId v : outputs_) {
      if (is_full(v)) full.push_back(v);
    }
    if (full.empty()) return;
    each_chunk(needed(full), -1, most, rows,
               [&](TileEmitter& emit, const Affine& column0, int64_t columns) {
                 for (const ValueId v : full) {
                   store(v, emit.values.at(v), emit, column0, columns);
                 }
               });
  }

  void reduce_pass(const Op& op, int64_t most, TileEmitter& rows) {
    const SimpleReduce how = *simple_reduce(l_, op);
    const TensorId sum = rows.start_reduce(how);
    const ValueId from = op.operands[0];
    each_chunk(needed({from}), from, most, rows, [&](TileEmitter& emit, const Affine&, int64_t) {
      emit.reduce_into(sum, from, how);
    });
    rows.values[op.results[0]] = rows.end_reduce(op, sum);
  }

  Lowering& l_;
  isa::ProgramBuilder& b_;
  const Kernel& kernel_;
  std::string label_;
  std::set<ValueId> made_, read_once_;
  std::vector<External> externals_;
  std::unordered_map<ValueId, size_t> index_;
  std::vector<ValueId> outputs_;
  TileSpace space_;
  bool is_chunked_ = false;
  std::vector<Affine> loop_counters_, column_counters_;
  Piece rows_;
  Affine row0_;
  std::unordered_map<size_t, TensorId> hoisted_;
};

// A sum over rows, whose columns are contiguous: a product with ones on the Tensor engine. As a
// reduction along partitions it would have to fetch single elements.
bool lower_column_sum(Lowering& lowering, const Kernel& kernel) {
  const OpId id = kernel.ops.front();
  const Op& op = lowering.function.op(id);
  if (kernel.ops.size() != 1 || op.kind != OpKind::Reduce) return false;
  if (simple_reduce(lowering, op)->op != isa::AluOp::Add) return false;
  const TensorType& type = lowering.type(op.operands[0]);
  const Dims& dims = std::get<DimsAttributes>(op.attributes).dims;
  const StridedView view = lowering.view(op.operands[0]);
  const isa::Dtype dtype = storage_of(type.element).dtype;
  Contraction c;
  bool contiguous = false;
  const std::vector<int64_t> out = row_major(lowering.type(op.results[0]).shape);
  size_t kept = 0;
  for (size_t d = 0; d < type.shape.size(); ++d) {
    const bool summed = std::ranges::count(dims, static_cast<int64_t>(d)) > 0;
    if (summed) {
      c.k.push_back({type.shape[d], 0, view.steps[d], 0});
    } else {
      c.n.push_back({type.shape[d], 0, view.steps[d], out[kept++]});
      contiguous = contiguous || (view.steps[d] == 1 && type.shape[d] >= kFewColumns);
    }
  }
  if (!contiguous || c.k.empty()) return false;
  c.lhs = {lowering.one(dtype), dtype, 0};
  c.rhs = {view.tensor, dtype, view.offset};
  c.result = {lowering.define(op.results[0]), dtype, 0};
  emit_contraction(lowering, std::move(c), Lowering::label(op, id));
  return true;
}

}  // namespace

Status lower_tile(Lowering& lowering, const Kernel& kernel) {
  if (lower_column_sum(lowering, kernel)) return {};
  return TileLowering(lowering, kernel).run();
}

}  // namespace trainyard::compiler
