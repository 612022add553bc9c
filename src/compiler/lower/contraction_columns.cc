// Contractions with much to sum but few results for each group, such as the gradient of a kernel
// for each channel. Products of elements are made on Vector, k on partitions and groups side by
// side; the array adds up the partitions, with a column of ones.
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

// Results of a group; more make matrices of their own.
constexpr int64_t kMostPerGroup = 64;
// PSUM banks that sums of one block of groups may take: half, so that two blocks overlap.
constexpr int64_t kBanks = 4;

class ColumnSums {
 public:
  ColumnSums(Lowering& lowering, Contraction& c, std::string label)
      : b_(lowering.body),
        c_(c),
        label_(std::move(label)),
        rows_(lowering.core.pe.rows.value),
        bank_(lowering.core.limits.moving_free.value) {
    std::ranges::sort(c.k, std::greater{}, &Axis::rhs);
    k_ = cut(merged(c.k, {&Axis::lhs, &Axis::rhs}), rows_);
    k_tile_ = tile_of(k_.extent(), rows_);
    g_ = cut(c.batch, 1);
    taps_ = elements(c.m);
  }

  void emit() {
    ones_ = b_.sbuf(label_ + "_ones", Dtype::F32, {rows_, 1});
    b_.emit(isa::Memset{.dst = b_.all(ones_), .value = 1.0f}, label_ + "_one");
    At at{c_.lhs.offset, c_.rhs.offset, c_.result.offset};
    open(g_.around, at);
    open(c_.n, at);
    const int64_t tile = std::min(g_.lead.count, std::max<int64_t>(1, kBanks * bank_ / taps_));
    for (const Part& g : parts_of(g_.lead.count, tile, 1)) {
      Affine i = g.start;
      if (g.count > 1) i += b_.repeat(label_ + "_g", g.count) * tile;
      emit_groups(g.size,
                  {at.lhs + i * g_.lead.lhs, at.rhs + i * g_.lead.rhs, at.out + i * g_.lead.out});
      if (g.count > 1) b_.end();
    }
    close(g_.around.size() + c_.n.size());
  }

 private:
  struct At {
    Affine lhs, rhs, out;
  };
  void open(const ContractionAxes& axes, At& at) {
    for (const Axis& a : axes) {
      const Affine i = b_.repeat(label_ + "_b", a.count);
      at.lhs += i * a.lhs;
      at.rhs += i * a.rhs;
      at.out += i * a.out;
    }
  }
  void close(size_t loops) {
    for (; loops > 0; --loops) b_.end();
  }

  static isa::Access access(const Contraction::Side& side, Affine offset, std::vector<Dim> dims) {
    isa::Access out;
    out.tensor = side.tensor;
    out.dtype = side.dtype;
    out.offset = std::move(offset);
    out.dims = std::move(dims);
    return out;
  }

  void emit_groups(int64_t groups, At at) {
    const int64_t width = taps_ * groups;
    std::vector<TensorId> sums;
    for (int64_t done = 0; done < width; done += bank_) {
      sums.push_back(b_.psum(label_ + "_p", Dtype::F32, {1, std::min(bank_, width - done)}));
    }
    const At before = at;
    open(k_.around, at);
    for (const Part& k : parts_of(k_.lead.count, k_tile_, 1)) {
      Affine i = k.start;
      if (k.count > 1) i += b_.repeat(label_ + "_k", k.count) * k_tile_;
      add_products(sums, groups, k.size,
                   {at.lhs + i * k_.lead.lhs, at.rhs + i * k_.lead.rhs, Affine(0)});
      if (k.count > 1) b_.end();
    }
    close(k_.around.size());
    const TensorId out = b_.sbuf(label_ + "_o", c_.result.dtype, {1, width});
    for (size_t i = 0; i < sums.size(); ++i) {
      b_.emit(isa::TensorCopy{.dst = b_.at(out, {isa::all(), columns(i, width)}),
                              .src = b_.all(sums[i])},
              label_ + "_ev");
    }
    std::vector<Dim> to = dims_of(c_.m, &Axis::out);
    to.push_back({g_.lead.out, groups});
    b_.emit(isa::DmaCopy{.dst = access(c_.result, before.out, std::move(to)), .src = b_.all(out)},
            label_ + "_st");
  }

  // Those of the i-th bank.
  isa::Subscript columns(size_t i, int64_t width) const {
    const int64_t first = static_cast<int64_t>(i) * bank_;
    return isa::slice(first, std::min(bank_, width - first));
  }

  // `units` of k: the elements under every tap times the others, added to the sums.
  void add_products(const std::vector<TensorId>& sums, int64_t groups, int64_t units,
                    const At& at) {
    const int64_t rows = units * k_.extent().unit;
    const TensorId x = b_.sbuf(label_ + "_x", Dtype::F32, {rows, taps_, groups});
    const TensorId y = b_.sbuf(label_ + "_y", Dtype::F32, {rows, groups});
    std::vector<Dim> lhs, rhs;
    append(lhs, k_.walk(&Axis::lhs), units);
    append(rhs, k_.walk(&Axis::rhs), units);
    const std::vector<Dim> taps = dims_of(c_.m, &Axis::lhs);
    lhs.insert(lhs.end(), taps.begin(), taps.end());
    lhs.push_back({g_.lead.lhs, groups});
    rhs.push_back({g_.lead.rhs, groups});
    b_.emit(isa::DmaCopy{.dst = b_.all(x), .src = access(c_.lhs, at.lhs, std::move(lhs))},
            label_ + "_xl");
    b_.emit(isa::DmaCopy{.dst = b_.all(y), .src = access(c_.rhs, at.rhs, std::move(rhs))},
            label_ + "_yl");
    isa::Access repeated = b_.all(y);
    repeated.dims = {{0, taps_}, {1, groups}};
    b_.emit(isa::TensorTensor{.dst = b_.all(x),
                              .data1 = b_.all(x),
                              .data2 = std::move(repeated),
                              .op = isa::AluOp::Multiply},
            label_ + "_mul");
    isa::Access products = b_.all(x);
    for (size_t i = 0; i < sums.size(); ++i) {
      products.offset = static_cast<int64_t>(i) * bank_;
      products.dims = {{1, std::min(bank_, taps_ * groups - static_cast<int64_t>(i) * bank_)}};
      b_.emit(isa::Matmul{.dst = b_.all(sums[i]),
                          .stationary = b_.at(ones_, {isa::slice(0, rows), isa::all()}),
                          .moving = products},
              label_ + "_mm");
    }
  }

  isa::ProgramBuilder& b_;
  Contraction& c_;
  std::string label_;
  int64_t rows_, bank_;
  AxesCut k_, g_;
  int64_t k_tile_ = 1;  // in units
  int64_t taps_ = 1;
  TensorId ones_ = -1;
};

}  // namespace

bool fits_column_sums(const Contraction& c) {
  const int64_t results = elements(c.m) * elements(c.n);
  return elements(c.batch) > 1 && results <= kMostPerGroup && elements(c.k) > results &&
         has_contiguous(c.batch, &Axis::lhs);
}

void emit_column_sums(Lowering& lowering, Contraction contraction, const std::string& label) {
  drop_single(contraction);
  std::ranges::sort(contraction.m, std::greater{}, &Axis::out);
  ColumnSums(lowering, contraction, label).emit();
}

}  // namespace trainyard::compiler
