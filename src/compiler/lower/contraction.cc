// Which axes go into the matrices: the array takes up to 128 rows of m and of k and up to 512
// columns of n at a time. A tile is made of whole fast axes and a part of the next slower one, so
// that one transfer fetches it; what is slower still is a loop around the product.
#include "compiler/lower/contraction.h"

#include <algorithm>
#include <cstdlib>
#include <functional>

#include "compiler/lower/contraction_axes.h"

namespace trainyard::compiler {
namespace {

using isa::Affine;
using isa::Dim;
using Axis = ContractionAxis;
using Axes = ContractionAxes;

class Plan {
 public:
  Plan(Lowering& lowering, Contraction& c, std::string label)
      : l_(lowering), c_(c), label_(std::move(label)), rows_(lowering.core.pe.rows.value) {}

  void emit() {
    drop_single(c_);
    for (Axes* group : {&c_.m, &c_.n}) std::ranges::sort(*group, std::greater{}, &Axis::out);
    c_.batch = merged(c_.batch, {&Axis::lhs, &Axis::rhs, &Axis::out});
    c_.m = merged(c_.m, {&Axis::lhs, &Axis::out});
    c_.n = merged(c_.n, {&Axis::rhs, &Axis::out});
    // The result's rows should be contiguous: its contiguous axis is the moving one.
    swapped_ = has_contiguous(c_.m, &Axis::out) && !has_contiguous(c_.n, &Axis::out);
    lhs_lies_ = has_contiguous(c_.k, &Axis::lhs) && !has_contiguous(c_.m, &Axis::lhs);
    rhs_lies_ = has_contiguous(c_.k, &Axis::rhs) && !has_contiguous(c_.n, &Axis::rhs);
    order_k();
    cut_free();
    cut_k();
    emit_loops();
  }

 private:
  // Any order and direction of the contracted axes gives a sum of the same terms. One that walks an
  // operand in the order of its memory has the longest runs.
  void order_k() {
    for (Axis& a : c_.k) {
      if (a.rhs >= 0) continue;
      c_.lhs.offset += (a.count - 1) * a.lhs;
      c_.rhs.offset += (a.count - 1) * a.rhs;
      a.lhs = -a.lhs;
      a.rhs = -a.rhs;
    }
    const ContractionStep by = lhs_lies_ ? &Axis::lhs : &Axis::rhs;
    std::ranges::stable_sort(c_.k, std::greater{}, [&](const Axis& a) { return std::abs(a.*by); });
  }

  // Elements of m or n that the array takes at a time.
  int64_t tile(bool moving) const { return moving ? l_.core.limits.moving_free.value : rows_; }
  void cut_free() {
    m_ = cut(c_.m, lhs_lies_ ? rows_ : tile(swapped_));
    n_ = cut(c_.n, rhs_lies_ ? rows_ : tile(!swapped_));
  }

  // An operand with k on partitions needs tiles of k that are patterns. One that lies in the order
  // of k takes all of it at once, whatever the pattern; where that is too much for SBUF, slow axes
  // become an outer sum.
  void cut_k() {
    std::vector<ContractionStep> straight;
    if (!lhs_lies_) straight.push_back(&Axis::lhs);
    if (!rhs_lies_) straight.push_back(&Axis::rhs);
    k_ = cut(merged(c_.k, straight), rows_);
    Axes inner = c_.k, outer;
    while (elements(inner) > k_.extent().elements()) move_first(inner, outer);
    const int64_t n = std::min((swapped_ ? m_ : n_).extent().elements(), tile(true));
    const int64_t most = most_k(l_, product_dtype(c_.lhs.dtype, c_.rhs.dtype), n);
    while (elements(inner) > most && lies_in_pieces(inner)) move_first(inner, outer);
    k_ = cut(merged(inner, straight), rows_);
    k_.around = std::move(outer);
    if (lhs_lies_) lhs_k_ = dims_of(inner, &Axis::lhs);
    if (rhs_lies_) rhs_k_ = dims_of(inner, &Axis::rhs);
  }
  bool lies_in_pieces(const Axes& k) const {
    return (lhs_lies_ && dims_of(k, &Axis::lhs).size() > 1) ||
           (rhs_lies_ && dims_of(k, &Axis::rhs).size() > 1);
  }
  static void move_first(Axes& from, Axes& to) {
    to.push_back(from.front());
    from.erase(from.begin());
  }

  void emit_loops() {
    Matrix lhs{c_.lhs.tensor,       c_.lhs.dtype,        c_.lhs.offset,
               m_.walk(&Axis::lhs), k_.walk(&Axis::lhs), lhs_k_};
    Matrix rhs{c_.rhs.tensor,       c_.rhs.dtype,        c_.rhs.offset,
               n_.walk(&Axis::rhs), k_.walk(&Axis::rhs), rhs_k_};
    Product p;
    p.result = c_.result.tensor;
    p.result_dtype = c_.result.dtype;
    p.result_offset = c_.result.offset;
    p.result_m = m_.walk(&Axis::out);
    p.result_n = n_.walk(&Axis::out);
    p.m = m_.extent();
    p.n = n_.extent();
    p.k = k_.extent();
    for (const Axis& a : c_.batch) {
      const Affine i = l_.body.repeat(label_ + "_b", a.count);
      lhs.offset += i * a.lhs;
      rhs.offset += i * a.rhs;
      p.result_offset += i * a.out;
    }
    for (const Axis& a : m_.around) p.m_around.push_back({a.count, a.lhs, a.out});
    for (const Axis& a : n_.around) p.n_around.push_back({a.count, a.rhs, a.out});
    for (const Axis& a : k_.around) {
      p.outer.push_back({a.count, swapped_ ? a.rhs : a.lhs, swapped_ ? a.lhs : a.rhs});
    }
    p.stationary = swapped_ ? rhs : lhs;
    p.moving = swapped_ ? lhs : rhs;
    if (swapped_) {
      std::swap(p.m, p.n);
      std::swap(p.result_m, p.result_n);
      std::swap(p.m_around, p.n_around);
    }
    emit_product(l_, p, label_);
    for (size_t i = 0; i < c_.batch.size(); ++i) l_.body.end();
  }

  Lowering& l_;
  Contraction& c_;
  std::string label_;
  int64_t rows_;
  bool swapped_ = false;  // rhs is stationary
  bool lhs_lies_ = false, rhs_lies_ = false;
  AxesCut m_, n_, k_;
  std::vector<Dim> lhs_k_, rhs_k_;  // all of k, of operands that lie
};

}  // namespace

void emit_contraction(Lowering& lowering, Contraction contraction, const std::string& label) {
  Plan(lowering, contraction, label).emit();
}

}  // namespace trainyard::compiler
