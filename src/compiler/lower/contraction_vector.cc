// Contractions with little to sum for each group: the array would be nearly empty. Groups lie on
// the free axis and m on partitions, or the other way round if the memory is so.
#include <algorithm>
#include <functional>

#include "compiler/lower/contraction_axes.h"

namespace trainyard::compiler {
namespace {

using isa::Affine;
using isa::Dim;
using isa::Dtype;
using isa::TensorId;
using Axis = ContractionAxis;

// SBUF per partition for the elements under one tile of the result.
constexpr int64_t kTileBytes = 16 << 10;

// Of the work of one group: beyond this the array is faster.
constexpr int64_t kMostPerGroup = 64;

class VectorPlan {
 public:
  VectorPlan(Lowering& lowering, Contraction& c, std::string label)
      : b_(lowering.body), c_(c), label_(std::move(label)) {
    const int64_t rows = lowering.core.limits.partitions.value;
    std::ranges::sort(c.m, std::greater{}, &Axis::out);
    const ContractionAxes m = merged(c.m, {&Axis::lhs, &Axis::out});
    depth_ = elements(c.k);
    const int64_t width =
        std::max<int64_t>(1, kTileBytes / (depth_ * numerics::size_of(Dtype::F32)));
    groups_on_rows_ = has_contiguous(m, &Axis::lhs) && !has_contiguous(c.batch, &Axis::lhs);
    g_ = cut(c.batch, 1);
    m_ = cut(m, groups_on_rows_ ? width : rows);
    g_tile_ = tile_of(g_.extent(), groups_on_rows_ ? rows : width);
    m_tile_ = tile_of(m_.extent(), groups_on_rows_ ? width : rows);
  }

  void emit() {
    Affine lhs = c_.lhs.offset, rhs = c_.rhs.offset, out = c_.result.offset;
    const auto open = [&](const ContractionAxes& axes) {
      for (const Axis& a : axes) {
        const Affine i = b_.repeat(label_ + "_b", a.count);
        lhs += i * a.lhs;
        rhs += i * a.rhs;
        out += i * a.out;
      }
    };
    const auto close = [&](size_t loops) {
      for (; loops > 0; --loops) b_.end();
    };
    open(g_.around);
    open(c_.n);
    for (const Part& g : parts_of(g_.lead.count, g_tile_, 1)) {
      const Affine lhs0 = lhs, out0 = out;
      const Affine at = start("g", g);
      const TensorId kernel = load_kernel(rhs + at * g_.lead.rhs, g.size);
      open(m_.around);
      for (const Part& m : parts_of(m_.lead.count, m_tile_, 1)) {
        const Affine i = start("m", m);
        emit_tile(kernel, g.size, m.size, lhs + at * g_.lead.lhs + i * m_.lead.lhs,
                  out + at * g_.lead.out + i * m_.lead.out);
        close(m.count > 1 ? 1 : 0);
      }
      close(m_.around.size() + (g.count > 1 ? 1 : 0));
      lhs = lhs0, out = out0;
    }
    close(g_.around.size() + c_.n.size());
  }

 private:
  Affine start(std::string_view axis, const Part& part) {
    if (part.count == 1) return part.start;
    return b_.repeat(label_ + "_" + std::string(axis), part.count) * part.size + part.start;
  }

  // [rows, k, columns] of `side` for so many units of the groups and of m.
  std::vector<Dim> dims(ContractionStep step, int64_t groups, int64_t units) const {
    std::vector<Dim> out;
    const auto add = [&](bool group) {
      append(out, (group ? g_ : m_).walk(step), group ? groups : units);
    };
    add(groups_on_rows_);
    const std::vector<Dim> k = dims_of(c_.k, step);
    if (step != &Axis::out) out.insert(out.end(), k.begin(), k.end());
    add(!groups_on_rows_);
    return out;
  }

  // The kernel of some groups: [groups, k], or [rows, k, groups] with the same in every row.
  TensorId load_kernel(Affine offset, int64_t groups) {
    const int64_t units = groups_on_rows_ ? 1 : m_tile_;
    const int64_t rows = groups_on_rows_ ? groups : units * m_.extent().unit;
    const int64_t columns = groups_on_rows_ ? 1 : groups;
    const TensorId tile = b_.sbuf(label_ + "_w", Dtype::F32, {rows, depth_, columns});
    std::vector<Dim> from;
    if (groups_on_rows_) {
      from = {{g_.lead.rhs, groups}};
    } else {
      from = {{0, rows}};
    }
    const std::vector<Dim> k = dims_of(c_.k, &Axis::rhs);
    from.insert(from.end(), k.begin(), k.end());
    if (!groups_on_rows_) from.push_back({g_.lead.rhs, groups});
    b_.emit(isa::DmaCopy{.dst = b_.all(tile), .src = access(c_.rhs, std::move(offset), from)},
            label_ + "_wl");
    return tile;
  }

  static isa::Access access(const Contraction::Side& side, Affine offset, std::vector<Dim> dims) {
    isa::Access out;
    out.tensor = side.tensor;
    out.dtype = side.dtype;
    out.offset = std::move(offset);
    out.dims = std::move(dims);
    return out;
  }

  void emit_tile(TensorId kernel, int64_t groups, int64_t units, Affine lhs, Affine out) {
    const int64_t pixels = units * m_.extent().unit;
    const int64_t rows = groups_on_rows_ ? groups : pixels;
    const int64_t columns = groups_on_rows_ ? pixels : groups;
    const TensorId x = b_.sbuf(label_ + "_x", Dtype::F32, {rows, depth_, columns});
    const TensorId sum = b_.sbuf(label_ + "_s", c_.result.dtype, {rows, columns});
    b_.emit(isa::DmaCopy{.dst = b_.all(x),
                         .src = access(c_.lhs, std::move(lhs), dims(&Axis::lhs, groups, units))},
            label_ + "_ld");
    isa::Access taps = b_.at(kernel, {isa::slice(0, rows), isa::all(), isa::all()});
    if (groups_on_rows_) taps.dims = {{1, depth_}, {0, columns}};
    b_.emit(isa::TensorTensor{.dst = b_.all(x),
                              .data1 = b_.all(x),
                              .data2 = std::move(taps),
                              .op = isa::AluOp::Multiply},
            label_ + "_mul");
    isa::Access terms = b_.all(x);
    terms.dims = {{1, columns}, {columns, depth_}};
    b_.emit(isa::TensorReduce{.dst = b_.all(sum), .data = std::move(terms), .op = isa::AluOp::Add},
            label_ + "_sum");
    b_.emit(isa::DmaCopy{.dst = access(c_.result, std::move(out), dims(&Axis::out, groups, units)),
                         .src = b_.all(sum)},
            label_ + "_st");
  }

  isa::ProgramBuilder& b_;
  Contraction& c_;
  std::string label_;
  int64_t depth_ = 1;            // of each sum
  bool groups_on_rows_ = false;  // else m is on partitions
  AxesCut g_, m_;
  int64_t g_tile_ = 1, m_tile_ = 1;  // in units
};

}  // namespace

bool fits_vector(const Contraction& c) {
  const int64_t work = elements(c.k) * elements(c.n);
  return elements(c.batch) > 1 && work <= kMostPerGroup && elements(c.m) > work;
}

void emit_vector_contraction(Lowering& lowering, Contraction contraction,
                             const std::string& label) {
  drop_single(contraction);
  VectorPlan(lowering, contraction, label).emit();
}

}  // namespace trainyard::compiler
