#include "compiler/lower/product.h"

#include <algorithm>

#include "compiler/lower/parts.h"

namespace trainyard::compiler {

using isa::Affine;
using isa::Dim;
using isa::Dtype;
using isa::TensorId;

namespace {

// SBUF per partition for one block of each operand; `place` keeps two or three of them.
constexpr int64_t kStationaryBytes = 32 << 10;
constexpr int64_t kMovingBytes = 32 << 10;
constexpr int64_t kMostStationaryTiles = 8;

// Part of k that lies in SBUF at the same time: whole tiles, and at the very end a smaller one.
// Start and rest are in units.
struct KPart {
  int64_t start = 0;
  int64_t count = 1;
  int64_t tiles = 0;
  int64_t rest = 0;
  int64_t slices() const { return tiles + (rest > 0 ? 1 : 0); }
};

class Nest {
 public:
  Nest(Lowering& lowering, const Product& product, std::string label)
      : b_(lowering.body),
        p_(product),
        label_(std::move(label)),
        rows_(lowering.core.pe.rows.value),
        dtype_(product_dtype(product.stationary.dtype, product.moving.dtype)),
        m_tile_(tile_of(product.m, rows_)),
        n_tile_(tile_of(product.n, lowering.core.limits.moving_free.value)),
        k_tile_(tile_of(product.k, rows_)) {
    const int64_t n = n_tile_ * p_.n.unit;
    k_most_ = std::max<int64_t>(1, most_k(lowering, dtype_, n) / (k_tile_ * p_.k.unit));
  }

  void emit() {
    k_parts_ = k_parts();
    const int64_t slices = std::min(k_most_, (p_.k.count + k_tile_ - 1) / k_tile_);
    const int64_t bytes = slices * m_tile_ * p_.m.unit * numerics::size_of(dtype_);
    const int64_t m_most = std::clamp<int64_t>(kStationaryBytes / bytes, 1, kMostStationaryTiles);
    const std::vector<Part> n_parts = parts_of(p_.n.count, n_tile_, 1);
    // Columns that fit at once are loaded once for all rows.
    const bool once = !is_split() && n_parts.size() == 1 && n_parts.front().count == 1;
    const Affine moving = p_.moving.offset, result = p_.result_offset;
    if (once) {
      open_loops(p_.n_around, p_.moving);
      moving_ = load(p_.moving, "b", {0, n_parts.front(), p_.n.unit, 0, k_parts_.front()});
    }
    const Affine stationary = p_.stationary.offset;
    open_loops(p_.m_around, p_.stationary);
    for (const Part& m : parts_of(p_.m.count, m_tile_, m_most)) {
      const Affine start = open("m", m);
      emit_rows(m, start, n_parts);
      close(m);
    }
    close_loops(p_.m_around.size() + (once ? p_.n_around.size() : 0));
    p_.stationary.offset = stationary;
    p_.moving.offset = moving;
    p_.result_offset = result;
  }

 private:
  std::vector<KPart> k_parts() const {
    const int64_t tiles = p_.k.count / k_tile_, rest = p_.k.count % k_tile_;
    if (tiles + (rest > 0 ? 1 : 0) <= k_most_) return {{0, 1, tiles, rest}};
    std::vector<KPart> parts = {{0, tiles / k_most_, k_most_, 0}};
    const int64_t done = tiles / k_most_ * k_most_;
    if (done * k_tile_ < p_.k.count) parts.push_back({done * k_tile_, 1, tiles - done, rest});
    return parts;
  }
  bool is_split() const {
    return !p_.outer.empty() || k_parts_.size() > 1 || k_parts_.front().count > 1;
  }

  // A block of an axis, with a repeat around it if there are several.
  Affine open(std::string_view axis, const Part& part) {
    if (part.count == 1) return part.start;
    return b_.repeat(label_ + "_" + std::string(axis), part.count) * part.width() + part.start;
  }
  void close(const Part& part) {
    if (part.count > 1) b_.end();
  }

  void open_loops(const std::vector<AroundLoop>& loops, Matrix& operand) {
    for (const AroundLoop& loop : loops) {
      const Affine i = b_.repeat(label_ + "_b", loop.count);
      operand.offset += i * loop.operand;
      p_.result_offset += i * loop.result;
    }
  }
  void close_loops(size_t count) {
    for (; count > 0; --count) b_.end();
  }

  void emit_rows(const Part& m, const Affine& m0, const std::vector<Part>& n_parts) {
    TensorId a = -1;
    if (!is_split()) a = load(p_.stationary, "a", {m0, m, p_.m.unit, 0, k_parts_.front()});
    if (moving_ >= 0) {
      emit_tiles(m, m0, n_parts.front(), 0, a, moving_);
      return;
    }
    const Affine moving = p_.moving.offset, result = p_.result_offset;
    open_loops(p_.n_around, p_.moving);
    for (const Part& n : n_parts) {
      const Affine n0 = open("n", n);
      if (is_split()) {
        emit_split(m, m0, n, n0);
      } else {
        const TensorId b = load(p_.moving, "b", {n0, n, p_.n.unit, 0, k_parts_.front()});
        emit_tiles(m, m0, n, n0, a, b);
      }
      close(n);
    }
    close_loops(p_.n_around.size());
    p_.moving.offset = moving;
    p_.result_offset = result;
  }

  // Elements of a tile of the result.
  std::vector<int64_t> tile_shape(const Part& m, const Part& n) const {
    return {m.size * p_.m.unit, n.size * p_.n.unit};
  }

  // All of k is in SBUF: one PSUM tile after the other.
  void emit_tiles(const Part& m, const Affine& m0, const Part& n, const Affine& n0, TensorId a,
                  TensorId b) {
    const Affine i = m.tiles > 1 ? b_.repeat(label_ + "_i", m.tiles) : Affine(0);
    const TensorId psum = b_.psum(label_ + "_p", Dtype::F32, tile_shape(m, n));
    const TensorId out = b_.sbuf(label_ + "_c", p_.result_dtype, tile_shape(m, n));
    multiply(psum, a, i * (m.size * p_.m.unit), b, k_parts_.front());
    b_.emit(isa::TensorCopy{.dst = b_.all(out), .src = b_.all(psum)}, label_ + "_ev");
    store(b_.all(out), m0 + i * m.size, m.size, n0, n.size);
    if (m.tiles > 1) b_.end();
  }

  // k comes in blocks: sums are kept in SBUF.
  void emit_split(const Part& m, const Affine& m0, const Part& n, const Affine& n0) {
    const std::vector<int64_t> shape = tile_shape(m, n);
    const TensorId sums = b_.sbuf(label_ + "_s", Dtype::F32, {shape[0], m.tiles, shape[1]});
    b_.emit(isa::Memset{.dst = b_.all(sums), .value = 0.0f}, label_ + "_zero");
    Matrix stationary = p_.stationary, moving = p_.moving;
    for (const OuterSum& sum : p_.outer) {
      const Affine k = b_.repeat(label_ + "_ko", sum.count);
      stationary.offset += k * sum.stationary;
      moving.offset += k * sum.moving;
    }
    for (const KPart& k : k_parts_) {
      const Affine k0 = k.count > 1
                            ? b_.repeat(label_ + "_kb", k.count) * (k.tiles * k_tile_) + k.start
                            : Affine(k.start);
      const TensorId a = load(stationary, "a", {m0, m, p_.m.unit, k0, k});
      const TensorId b = load(moving, "b", {n0, n, p_.n.unit, k0, k});
      const Affine i = m.tiles > 1 ? b_.repeat(label_ + "_i", m.tiles) : Affine(0);
      const TensorId psum = b_.psum(label_ + "_p", Dtype::F32, shape);
      multiply(psum, a, i * shape[0], b, k);
      const isa::Access sum = b_.at(sums, {isa::all(), isa::index(i), isa::all()});
      b_.emit(
          isa::TensorTensor{.dst = sum, .data1 = sum, .data2 = b_.all(psum), .op = isa::AluOp::Add},
          label_ + "_add");
      if (m.tiles > 1) b_.end();
      if (k.count > 1) b_.end();
    }
    for (size_t i = 0; i < p_.outer.size(); ++i) b_.end();
    emit_sums(sums, m, m0, n, n0);
  }

  void emit_sums(TensorId sums, const Part& m, const Affine& m0, const Part& n, const Affine& n0) {
    const Affine i = m.tiles > 1 ? b_.repeat(label_ + "_o", m.tiles) : Affine(0);
    isa::Access from = b_.at(sums, {isa::all(), isa::index(i), isa::all()});
    if (p_.result_dtype != Dtype::F32) {
      const TensorId out = b_.sbuf(label_ + "_c", p_.result_dtype, tile_shape(m, n));
      b_.emit(isa::TensorCopy{.dst = b_.all(out), .src = from}, label_ + "_ev");
      from = b_.all(out);
    }
    store(from, m0 + i * m.size, m.size, n0, n.size);
    if (m.tiles > 1) b_.end();
  }

  // `column`: where the tile begins in the stationary block.
  void multiply(TensorId psum, TensorId a, const Affine& column, TensorId b, const KPart& k) {
    const isa::Tensor& tile = b_.program().tensors[static_cast<size_t>(psum)];
    const int64_t m = tile.shape[0], n = tile.shape[1];
    each_slice(label_ + "_k", k, [&](const Affine& slice, int64_t units) {
      const auto part = isa::slice(0, units * p_.k.unit);
      b_.emit(isa::Matmul{.dst = b_.all(psum),
                          .stationary = b_.at(a, {part, isa::index(slice), isa::slice(column, m)}),
                          .moving = b_.at(b, {part, isa::index(slice), isa::slice(0, n)})},
              label_ + "_mm");
    });
  }

  // Calls `one` for the tiles of a part of k: in a repeat, and for the smaller one at the end.
  template <class One>
  void each_slice(const std::string& name, const KPart& k, const One& one) {
    if (k.tiles > 0) {
      const Affine s = b_.repeat(name, k.tiles);
      one(s, k_tile_);
      b_.end();
    }
    if (k.rest > 0) one(k.tiles, k.rest);
  }

  void store(isa::Access from, const Affine& m0, int64_t m, const Affine& n0, int64_t n) {
    isa::Access to;
    to.tensor = p_.result;
    to.dtype = p_.result_dtype;
    to.offset = p_.result_offset + m0 * p_.result_m.step + n0 * p_.result_n.step;
    append(to.dims, p_.result_m, m);
    append(to.dims, p_.result_n, n);
    b_.emit(isa::DmaCopy{.dst = std::move(to), .src = std::move(from)}, label_ + "_st");
  }

  // What of an operand is loaded: units of its free axis and of k.
  struct Block {
    Affine free0;
    Part free;
    int64_t unit = 1;  // of the free axis
    Affine k0;
    KPart k;
  };

  // A block of an operand in SBUF: [k within a tile, tile of k, free].
  TensorId load(const Matrix& matrix, const std::string& name, const Block& block) {
    const std::string text = label_ + "_" + name;
    const TensorId tile = b_.sbuf(
        text, dtype_, {k_tile_ * p_.k.unit, block.k.slices(), block.free.width() * block.unit});
    if (matrix.lying.empty()) {
      load_straight(matrix, text, tile, block);
    } else {
      load_turned(matrix, text, tile, block);
    }
    return tile;
  }

  isa::Access from(const Matrix& matrix, Affine offset, std::vector<Dim> dims) const {
    isa::Access access;
    access.tensor = matrix.tensor;
    access.dtype = matrix.dtype;
    access.offset = matrix.offset + offset;
    access.dims = std::move(dims);
    return access;
  }

  void load_straight(const Matrix& matrix, const std::string& text, TensorId tile,
                     const Block& block) {
    each_slice(text + "_k", block.k, [&](const Affine& slice, int64_t units) {
      const auto rows = isa::slice(0, units * p_.k.unit);
      std::vector<Dim> dims;
      append(dims, matrix.k, units);
      append(dims, matrix.free, block.free.width());
      b_.emit(isa::DmaCopy{.dst = b_.at(tile, {rows, isa::index(slice), isa::all()}),
                           .src = from(matrix,
                                       block.free0 * matrix.free.step +
                                           (block.k0 + slice * k_tile_) * matrix.k.step,
                                       std::move(dims))},
              text + "_ld");
    });
  }

  // As it lies, [free, k], then turned by the array.
  void load_turned(const Matrix& matrix, const std::string& text, TensorId tile,
                   const Block& block) {
    const int64_t fit = std::min(block.free.size, rows_ / block.unit);
    const int64_t width = (block.k.tiles * k_tile_ + block.k.rest) * p_.k.unit;
    std::vector<Dim> k_dims = matrix.lying;
    Affine k_offset;
    if (k_dims.size() == 1) {
      k_dims.front().count = width;
      k_offset = block.k0 * (p_.k.unit * k_dims.front().step);
    }
    for (const Part& part : parts_of(block.free.width(), fit, 1)) {
      const Affine f0 = part.count == 1 ? Affine(part.start)
                                        : b_.repeat(text + "_f", part.count) * fit + part.start;
      const int64_t columns = part.size * block.unit;
      const TensorId lying = b_.sbuf(text + "_n", dtype_, {columns, width});
      std::vector<Dim> dims;
      append(dims, matrix.free, part.size);
      dims.insert(dims.end(), k_dims.begin(), k_dims.end());
      b_.emit(isa::DmaCopy{.dst = b_.all(lying),
                           .src = from(matrix, (block.free0 + f0) * matrix.free.step + k_offset,
                                       std::move(dims))},
              text + "_ld");
      turn(lying, text, tile, block.k, isa::slice(f0 * block.unit, columns));
      if (part.count > 1) b_.end();
    }
  }

  void turn(TensorId lying, const std::string& text, TensorId tile, const KPart& k,
            const isa::Subscript& columns) {
    const int64_t count = b_.program().tensors[static_cast<size_t>(lying)].shape[0];
    each_slice(text + "_k", k, [&](const Affine& slice, int64_t units) {
      const int64_t rows = units * p_.k.unit;
      const TensorId psum = b_.psum(text + "_t", dtype_, {rows, count});
      const auto lies = isa::slice(slice * (k_tile_ * p_.k.unit), rows);
      b_.emit(isa::Transpose{.dst = b_.all(psum), .data = b_.at(lying, {isa::all(), lies})},
              text + "_tr", hw::Engine::Tensor);
      b_.emit(isa::TensorCopy{.dst = b_.at(tile, {isa::slice(0, rows), isa::index(slice), columns}),
                              .src = b_.all(psum)},
              text + "_tc");
    });
  }

  isa::ProgramBuilder& b_;
  Product p_;
  std::string label_;
  int64_t rows_;
  Dtype dtype_;
  int64_t m_tile_, n_tile_, k_tile_;  // in units
  int64_t k_most_ = 1;                // tiles
  std::vector<KPart> k_parts_;
  TensorId moving_ = -1;  // all of it, loaded once
};

}  // namespace

Dtype product_dtype(Dtype a, Dtype b) {
  const auto narrow = [](Dtype d) {
    return d == Dtype::F16 || d == Dtype::F32 ? d : Dtype::BF16;  // 8-bit floats are exact in bf16
  };
  const Dtype x = narrow(a), y = narrow(b);
  return x == y ? x : Dtype::F32;
}

int64_t most_k(const Lowering& lowering, Dtype dtype, int64_t n) {
  // A matrix that lies in the order of k has all of them in each partition.
  const int64_t size = numerics::size_of(dtype), rows = lowering.core.pe.rows.value;
  const int64_t slices = std::min(kStationaryBytes / rows, kMovingBytes / n) / size;
  return std::max<int64_t>(1, slices) * rows;
}

void emit_product(Lowering& lowering, const Product& product, const std::string& label) {
  // A block of its own: kernels side by side share SBUF.
  lowering.body.repeat(label + "_kernel", 1);
  Nest(lowering, product, label).emit();
  lowering.body.end();
}

}  // namespace trainyard::compiler
