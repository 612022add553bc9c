#include "compiler/lower/product.h"

#include <algorithm>

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

// A run of equal blocks along an axis: `count` blocks of `tiles` tiles of `size`.
struct Part {
  int64_t start = 0;
  int64_t count = 1;
  int64_t tiles = 1;
  int64_t size = 1;
  int64_t width() const { return tiles * size; }
};

// Blocks of up to `most` tiles, then what is left of whole tiles, then the last, smaller tile.
std::vector<Part> parts_of(int64_t extent, int64_t tile, int64_t most) {
  std::vector<Part> parts;
  const int64_t whole = extent / tile, rest = extent % tile;
  const int64_t blocks = whole / most, left = whole % most;
  if (blocks > 0) parts.push_back({0, blocks, most, tile});
  if (left > 0) parts.push_back({blocks * most * tile, 1, left, tile});
  if (rest > 0) parts.push_back({whole * tile, 1, 1, rest});
  return parts;
}

// Part of k that lies in SBUF at the same time: whole tiles, and at the very end a smaller one.
struct KPart {
  int64_t start = 0;
  int64_t count = 1;
  int64_t tiles = 0;  // of 128
  int64_t rest = 0;
  int64_t slices() const { return tiles + (rest > 0 ? 1 : 0); }
};

class Nest {
 public:
  Nest(Lowering& lowering, const Product& product, std::string label)
      : l_(lowering),
        b_(lowering.body),
        p_(product),
        label_(std::move(label)),
        rows_(lowering.core.pe.rows.value),
        dtype_(product_dtype(product.stationary.dtype, product.moving.dtype)) {}

  void emit() {
    const int64_t size = numerics::size_of(dtype_);
    const int64_t columns = l_.core.limits.moving_free.value;
    const int64_t n_tile = std::min(p_.n, columns);
    const int64_t k_most = std::max<int64_t>(1, kMovingBytes / (n_tile * size));
    k_parts_ = k_parts(k_most);
    const int64_t k_slices = std::min(k_most, (p_.k + rows_ - 1) / rows_);
    const int64_t m_most =
        std::clamp<int64_t>(kStationaryBytes / (k_slices * rows_ * size), 1, kMostStationaryTiles);
    for (const Part& m : parts_of(p_.m, rows_, m_most)) {
      const Affine start = open("m", m);
      emit_rows(m, start, parts_of(p_.n, columns, 1));
      close(m);
    }
  }

 private:
  std::vector<KPart> k_parts(int64_t most) const {
    const int64_t tiles = p_.k / rows_, rest = p_.k % rows_;
    if (tiles + (rest > 0 ? 1 : 0) <= most) return {{0, 1, tiles, rest}};
    std::vector<KPart> parts = {{0, tiles / most, most, 0}};
    const int64_t done = tiles / most * most;
    if (done * rows_ < p_.k) parts.push_back({done * rows_, 1, tiles - done, rest});
    return parts;
  }
  bool is_split() const { return k_parts_.size() > 1 || k_parts_.front().count > 1; }

  // A block of an axis, with a repeat around it if there are several.
  Affine open(std::string_view axis, const Part& part) {
    if (part.count == 1) return part.start;
    return b_.repeat(label_ + "_" + std::string(axis), part.count) * part.width() + part.start;
  }
  void close(const Part& part) {
    if (part.count > 1) b_.end();
  }

  void emit_rows(const Part& m, const Affine& m0, const std::vector<Part>& n_parts) {
    TensorId a = -1;
    if (!is_split()) a = load(p_.stationary, "a", m0, m, 0, k_parts_.front());
    for (const Part& n : n_parts) {
      const Affine n0 = open("n", n);
      if (is_split()) {
        emit_split(m, m0, n, n0);
      } else {
        const TensorId b = load(p_.moving, "b", n0, n, 0, k_parts_.front());
        emit_tiles(m, m0, n, n0, a, b);
      }
      close(n);
    }
  }

  // All of k is in SBUF: one PSUM tile after the other.
  void emit_tiles(const Part& m, const Affine& m0, const Part& n, const Affine& n0, TensorId a,
                  TensorId b) {
    const Affine i = m.tiles > 1 ? b_.repeat(label_ + "_i", m.tiles) : Affine(0);
    const TensorId psum = b_.psum(label_ + "_p", Dtype::F32, {m.size, n.size});
    const TensorId out = b_.sbuf(label_ + "_c", p_.result_dtype, {m.size, n.size});
    multiply(psum, a, i, m.size, b, n.size, k_parts_.front());
    b_.emit(isa::TensorCopy{.dst = b_.all(out), .src = b_.all(psum)}, label_ + "_ev");
    store(b_.all(out), m0 + i * rows_, m.size, n0, n.size);
    if (m.tiles > 1) b_.end();
  }

  // k comes in blocks: sums are kept in SBUF.
  void emit_split(const Part& m, const Affine& m0, const Part& n, const Affine& n0) {
    const TensorId sums = b_.sbuf(label_ + "_s", Dtype::F32, {m.size, m.tiles, n.size});
    b_.emit(isa::Memset{.dst = b_.all(sums), .value = 0.0f}, label_ + "_zero");
    for (const KPart& k : k_parts_) {
      const Affine k0 = k.count > 1
                            ? b_.repeat(label_ + "_kb", k.count) * (k.tiles * rows_) + k.start
                            : Affine(k.start);
      const TensorId a = load(p_.stationary, "a", m0, m, k0, k);
      const TensorId b = load(p_.moving, "b", n0, n, k0, k);
      const Affine i = m.tiles > 1 ? b_.repeat(label_ + "_i", m.tiles) : Affine(0);
      const TensorId psum = b_.psum(label_ + "_p", Dtype::F32, {m.size, n.size});
      multiply(psum, a, i, m.size, b, n.size, k);
      const isa::Access sum = b_.at(sums, {isa::all(), isa::index(i), isa::all()});
      b_.emit(
          isa::TensorTensor{.dst = sum, .data1 = sum, .data2 = b_.all(psum), .op = isa::AluOp::Add},
          label_ + "_add");
      if (m.tiles > 1) b_.end();
      if (k.count > 1) b_.end();
    }
    const Affine i = m.tiles > 1 ? b_.repeat(label_ + "_o", m.tiles) : Affine(0);
    isa::Access from = b_.at(sums, {isa::all(), isa::index(i), isa::all()});
    if (p_.result_dtype != Dtype::F32) {
      const TensorId out = b_.sbuf(label_ + "_c", p_.result_dtype, {m.size, n.size});
      b_.emit(isa::TensorCopy{.dst = b_.all(out), .src = from}, label_ + "_ev");
      from = b_.all(out);
    }
    store(from, m0 + i * rows_, m.size, n0, n.size);
    if (m.tiles > 1) b_.end();
  }

  void multiply(TensorId psum, TensorId a, const Affine& i, int64_t m, TensorId b, int64_t n,
                const KPart& k) {
    const auto one = [&](const Affine& slice, int64_t rows) {
      const auto part = isa::slice(0, rows);
      b_.emit(
          isa::Matmul{.dst = b_.all(psum),
                      .stationary = b_.at(a, {part, isa::index(slice), isa::slice(i * rows_, m)}),
                      .moving = b_.at(b, {part, isa::index(slice), isa::slice(0, n)})},
          label_ + "_mm");
    };
    if (k.tiles > 0) {
      const Affine s = b_.repeat(label_ + "_k", k.tiles);
      one(s, rows_);
      b_.end();
    }
    if (k.rest > 0) one(k.tiles, k.rest);
  }

  void store(isa::Access from, const Affine& m0, int64_t m, const Affine& n0, int64_t n) {
    isa::Access to;
    to.tensor = p_.result;
    to.dtype = p_.result_dtype;
    to.offset = p_.result_offset + m0 * p_.result_m_step + n0 * p_.result_n_step;
    to.dims = {{p_.result_m_step, m}, {p_.result_n_step, n}};
    b_.emit(isa::DmaCopy{.dst = std::move(to), .src = std::move(from)}, label_ + "_st");
  }

  // A block of an operand in SBUF: [k within a tile, tile of k, free].
  TensorId load(const Matrix& matrix, const std::string& name, const Affine& free0,
                const Part& free, const Affine& k0, const KPart& k) {
    const std::string text = label_ + "_" + name;
    const TensorId tile = b_.sbuf(text, dtype_, {std::min(rows_, p_.k), k.slices(), free.width()});
    const bool turn = matrix.k_step == 1 && matrix.free_step != 1 && p_.k > 1;
    if (turn) {
      load_turned(matrix, text, tile, free0, free, k0, k);
    } else {
      load_straight(matrix, text, tile, free0, free, k0, k);
    }
    return tile;
  }

  void load_straight(const Matrix& matrix, const std::string& text, TensorId tile,
                     const Affine& free0, const Part& free, const Affine& k0, const KPart& k) {
    const auto one = [&](const Affine& slice, int64_t rows) {
      const Affine offset =
          matrix.offset + free0 * matrix.free_step + (k0 + slice * rows_) * matrix.k_step;
      b_.emit(
          isa::DmaCopy{.dst = b_.at(tile, {isa::slice(0, rows), isa::index(slice), isa::all()}),
                       .src = {.tensor = matrix.tensor,
                               .dtype = matrix.dtype,
                               .offset = offset,
                               .dims = {{matrix.k_step, rows}, {matrix.free_step, free.width()}}}},
          text + "_ld");
    };
    if (k.tiles > 0) {
      const Affine s = b_.repeat(text + "_k", k.tiles);
      one(s, rows_);
      b_.end();
    }
    if (k.rest > 0) one(k.tiles, k.rest);
  }

  // As it lies, [free, k], then turned by the array.
  void load_turned(const Matrix& matrix, const std::string& text, TensorId tile,
                   const Affine& free0, const Part& free, const Affine& k0, const KPart& k) {
    for (const Part& part : parts_of(free.width(), rows_, 1)) {
      const Affine f0 = part.count == 1 ? Affine(part.start)
                                        : b_.repeat(text + "_f", part.count) * rows_ + part.start;
      const int64_t width = k.tiles * rows_ + k.rest;
      const TensorId lying = b_.sbuf(text + "_n", dtype_, {part.size, width});
      b_.emit(isa::DmaCopy{.dst = b_.all(lying),
                           .src = {.tensor = matrix.tensor,
                                   .dtype = matrix.dtype,
                                   .offset = matrix.offset + (free0 + f0) * matrix.free_step + k0,
                                   .dims = {{matrix.free_step, part.size}, {1, width}}}},
              text + "_ld");
      const auto one = [&](const Affine& slice, int64_t rows) {
        const TensorId psum = b_.psum(text + "_t", dtype_, {rows, part.size});
        b_.emit(isa::Transpose{.dst = b_.all(psum),
                               .data = b_.at(lying, {isa::all(), isa::slice(slice * rows_, rows)})},
                text + "_tr", hw::Engine::Tensor);
        b_.emit(isa::TensorCopy{.dst = b_.at(tile, {isa::slice(0, rows), isa::index(slice),
                                                    isa::slice(f0, part.size)}),
                                .src = b_.all(psum)},
                text + "_tc");
      };
      if (k.tiles > 0) {
        const Affine s = b_.repeat(text + "_k", k.tiles);
        one(s, rows_);
        b_.end();
      }
      if (k.rest > 0) one(k.tiles, k.rest);
      if (part.count > 1) b_.end();
    }
  }

  Lowering& l_;
  isa::ProgramBuilder& b_;
  const Product& p_;
  std::string label_;
  int64_t rows_;
  Dtype dtype_;
  std::vector<KPart> k_parts_;
};

}  // namespace

Dtype product_dtype(Dtype a, Dtype b) {
  const auto narrow = [](Dtype d) {
    return d == Dtype::F16 || d == Dtype::F32 ? d : Dtype::BF16;  // 8-bit floats are exact in bf16
  };
  const Dtype x = narrow(a), y = narrow(b);
  return x == y ? x : Dtype::F32;
}

void emit_product(Lowering& lowering, const Product& product, const std::string& label) {
  Nest(lowering, product, label).emit();
}

}  // namespace trainyard::compiler
