// dot_general: finds the matrices in the operands, one product for each combination of the axes
// that are left over.
#include <algorithm>

#include "compiler/lower/kernels.h"
#include "compiler/lower/product.h"

namespace trainyard::compiler {
namespace {

using isa::Affine;

// An axis of the product as both operands and the result see it.
struct Axis {
  int64_t count = 1;
  int64_t lhs = 0, rhs = 0, out = 0;  // steps in elements; 0 where it does not appear
};

// Neighbours that every tensor walks as one axis become one. Slowest first.
std::vector<Axis> merged(const std::vector<Axis>& axes) {
  std::vector<Axis> out;
  for (const Axis& a : axes) {
    if (a.count == 1) continue;
    if (!out.empty()) {
      Axis& last = out.back();
      const bool joins =
          last.lhs == a.lhs * a.count && last.rhs == a.rhs * a.count && last.out == a.out * a.count;
      if (joins) {
        last = {last.count * a.count, a.lhs, a.rhs, a.out};
        continue;
      }
    }
    out.push_back(a);
  }
  if (out.empty()) out.push_back({});
  return out;
}

struct Groups {
  std::vector<Axis> batch, m, n, k;
};

// `ls` and `rs`: the steps of both operands.
Groups groups_of(const TensorType& lhs, const std::vector<int64_t>& ls, const TensorType& rhs,
                 const std::vector<int64_t>& rs, const DotAttributes& dot,
                 const TensorType& result) {
  const std::vector<int64_t> os = row_major(result.shape);
  const auto has = [](const Dims& dims, int64_t d) { return std::ranges::count(dims, d) > 0; };
  Groups g;
  size_t out = 0;
  for (size_t i = 0; i < dot.lhs_batch.size(); ++i, ++out) {
    const auto a = static_cast<size_t>(dot.lhs_batch[i]), b = static_cast<size_t>(dot.rhs_batch[i]);
    g.batch.push_back({lhs.shape[a], ls[a], rs[b], os[out]});
  }
  for (size_t i = 0; i < lhs.shape.size(); ++i) {
    const auto d = static_cast<int64_t>(i);
    if (!has(dot.lhs_batch, d) && !has(dot.lhs_contracting, d)) {
      g.m.push_back({lhs.shape[i], ls[i], 0, os[out++]});
    }
  }
  for (size_t i = 0; i < rhs.shape.size(); ++i) {
    const auto d = static_cast<int64_t>(i);
    if (!has(dot.rhs_batch, d) && !has(dot.rhs_contracting, d)) {
      g.n.push_back({rhs.shape[i], 0, rs[i], os[out++]});
    }
  }
  for (size_t i = 0; i < dot.lhs_contracting.size(); ++i) {
    const auto a = static_cast<size_t>(dot.lhs_contracting[i]),
               b = static_cast<size_t>(dot.rhs_contracting[i]);
    g.k.push_back({lhs.shape[a], ls[a], rs[b], 0});
  }
  // Any order of the contracted axes gives the same sum; the memory's own merges best.
  std::ranges::sort(g.k, [](const Axis& a, const Axis& b) { return a.rhs > b.rhs; });
  return {merged(g.batch), merged(g.m), merged(g.n), merged(g.k)};
}

class DotLowering {
 public:
  DotLowering(Lowering& lowering, const Op& op, std::string label)
      : l_(lowering), op_(op), label_(std::move(label)) {}

  Status run() {
    const auto& dot = std::get<DotAttributes>(op_.attributes);
    const TensorType& result = l_.type(op_.results[0]);
    const StridedView lhs = l_.view(op_.operands[0]), rhs = l_.view(op_.operands[1]);
    Groups g = groups_of(l_.type(op_.operands[0]), lhs.steps, l_.type(op_.operands[1]), rhs.steps,
                         dot, result);
    l_.define(op_.results[0]);
    lhs_ = matrix_of(op_.operands[0], lhs);
    rhs_ = matrix_of(op_.operands[1], rhs);
    if (g.k.size() > 1) gather_k(g);
    // The longest axis of each group goes into the matrix, the others around it.
    std::vector<Axis> around = g.batch;
    const Axis m = take_matrix_axis(g.m, around, &Axis::lhs);
    const Axis n = take_matrix_axis(g.n, around, &Axis::rhs);
    std::erase_if(around, [](const Axis& a) { return a.count == 1; });
    emit(around, m, n, g.k.front());
    return {};
  }

 private:
  static Axis take_matrix_axis(std::vector<Axis>& group, std::vector<Axis>& around,
                               int64_t Axis::*step) {
    auto best = std::ranges::max_element(
        group, {}, [&](const Axis& a) { return std::pair(a.count, -(a.*step)); });
    const Axis matrix = *best;
    group.erase(best);
    around.insert(around.end(), group.begin(), group.end());
    return matrix;
  }

  Matrix matrix_of(ValueId value, const StridedView& view) const {
    return {view.tensor, storage_of(l_.type(value).element).dtype, view.offset, 0, 0};
  }

  // Contracted axes that do not walk as one: operands are copied to memory where they do.
  void gather_k(Groups& g) {
    Axis k{1, 0, 0, 0};
    for (const Axis& a : g.k) k.count *= a.count;
    lhs_ = gathered(lhs_, g, g.m, &Axis::lhs, k);
    rhs_ = gathered(rhs_, g, g.n, &Axis::rhs, k);
    g.k = {k};
  }

  // A dense copy, [batch..., free..., k...] or, where a free axis is contiguous, with k before the
  // free axes. The steps of the groups follow.
  Matrix gathered(const Matrix& matrix, Groups& g, std::vector<Axis>& free, int64_t Axis::*step,
                  Axis& k) {
    isa::ProgramBuilder& b = l_.body;
    const bool k_first =
        std::ranges::any_of(free, [&](const Axis& a) { return a.count > 1 && a.*step == 1; });
    std::vector<std::vector<Axis>*> order = {&g.batch, &free, &g.k};
    if (k_first) std::swap(order[1], order[2]);
    std::vector<isa::Dim> dims;
    for (const auto* group : order) {
      for (const Axis& a : *group) dims.push_back({a.*step, a.count});
    }
    int64_t total = 1;
    for (auto group = order.rbegin(); group != order.rend(); ++group) {
      if (*group == &g.k) {
        k.*step = total;
        total *= k.count;
        continue;
      }
      for (auto a = (*group)->rbegin(); a != (*group)->rend(); ++a) {
        (*a).*step = total;
        total *= a->count;
      }
    }
    const isa::TensorId scratch = b.hbm(label_ + "_k", matrix.dtype, {total});
    const isa::Access from{.tensor = matrix.tensor,
                           .dtype = matrix.dtype,
                           .offset = matrix.offset,
                           .dims = std::move(dims)};
    b.emit(isa::DmaCopy{.dst = {.tensor = scratch, .dtype = matrix.dtype, .dims = {{1, total}}},
                        .src = from},
           label_ + "_gather");
    return {scratch, matrix.dtype, 0, 0, 0};
  }

  void emit(const std::vector<Axis>& around, const Axis& m, const Axis& n, const Axis& k) {
    Product p;
    p.stationary = {lhs_.tensor, lhs_.dtype, lhs_.offset, m.lhs, k.lhs};
    p.moving = {rhs_.tensor, rhs_.dtype, rhs_.offset, n.rhs, k.rhs};
    p.result = l_.hbm(op_.results[0]);
    p.result_dtype = storage_of(l_.type(op_.results[0]).element).dtype;
    p.result_m_step = m.out;
    p.result_n_step = n.out;
    p.m = m.count;
    p.n = n.count;
    p.k = k.count;
    for (const Axis& a : around) {
      const Affine i = l_.body.repeat(label_ + "_b", a.count);
      p.stationary.offset += i * a.lhs;
      p.moving.offset += i * a.rhs;
      p.result_offset += i * a.out;
    }
    // The result's rows should be contiguous: its contiguous axis is the moving one.
    if (p.result_n_step != 1 && p.result_m_step == 1) {
      std::swap(p.stationary, p.moving);
      std::swap(p.m, p.n);
      std::swap(p.result_m_step, p.result_n_step);
    }
    emit_product(l_, p, label_);
    for (size_t i = 0; i < around.size(); ++i) l_.body.end();
  }

  Lowering& l_;
  const Op& op_;
  std::string label_;
  Matrix lhs_, rhs_;
};

}  // namespace

Status lower_dot(Lowering& lowering, const Kernel& kernel) {
  const OpId id = kernel.ops.front();
  const Op& op = lowering.function.op(id);
  return DotLowering(lowering, op, Lowering::label(op, id)).run();
}

}  // namespace trainyard::compiler
