#include "sim/values/independence.h"

#include <algorithm>

#include "isa/ranges.h"
#include "sim/values/axes.h"

namespace trainyard::sim {
namespace {

using isa::Access;
using isa::Enclosure;
using isa::Interval;

// A position that is affine in counters, and the positions around it that an access touches.
struct Span {
  isa::Affine at;
  Interval reach;
};

class LoopAnalysis {
 public:
  LoopAnalysis(const BodyPlan& plan, isa::LoopId loop)
      : plan_(plan), loop_(loop), block_(plan.uses.structure.around_loop(loop)) {
    block_.push_back({Enclosure::Kind::Loop, loop});
    reads_sums_ = std::any_of(
        plan.program.insts.begin(), plan.program.insts.end(),
        [](const isa::Inst& inst) { return isa::hidden_state(inst.op).act_reduce_read; });
  }

  std::optional<Independence> run() const {
    for (const isa::InstId id : plan_.uses.structure.in_order()) {
      if (inside(id) && !is_plain(id)) return std::nullopt;
    }
    Independence result;
    for (size_t t = 0; t < plan_.program.tensors.size(); ++t) {
      const auto tensor = static_cast<isa::TensorId>(t);
      if (!is_shared(tensor) || is_disjoint(tensor)) continue;
      if (!is_own(tensor)) return std::nullopt;
      result.own.push_back(tensor);
    }
    return result;
  }

 private:
  const std::vector<Enclosure>& around(isa::InstId id) const {
    return plan_.uses.structure.around(id);
  }
  bool inside(isa::InstId id) const { return is_inside(around(id), block_); }

  // No registers change, no run-time control, nothing carried in an engine.
  bool is_plain(isa::InstId id) const {
    const isa::Instruction& op = plan_.program.insts[id].op;
    const bool control = std::holds_alternative<isa::RegisterMove>(op) ||
                         std::holds_alternative<isa::RegisterAlu>(op) ||
                         std::holds_alternative<isa::RegisterLoad>(op) ||
                         std::holds_alternative<isa::CoreBarrier>(op) ||
                         std::holds_alternative<isa::SendRecv>(op) ||
                         std::holds_alternative<isa::Collective>(op);
    // Sums stay in the scalar engine lane by lane. Where somebody reads them, order counts.
    const isa::HiddenState hidden = isa::hidden_state(op);
    if (control || hidden.act_reduce_read || (reads_sums_ && hidden.act_reduce_write)) return false;
    const std::vector<Enclosure>& e = around(id);
    return std::all_of(e.begin() + static_cast<int64_t>(block_.size()), e.end(),
                       [&](const Enclosure& x) {
                         return x.kind == Enclosure::Kind::Loop &&
                                plan_.program.loops[x.id].kind == isa::Loop::Kind::Repeat;
                       });
  }

  // Declared outside the loop and written inside it.
  bool is_shared(isa::TensorId tensor) const {
    if (plan_.program.tensors[tensor].view || plan_.views[tensor]) return false;
    if (is_inside(plan_.uses.structure.around_tensor(tensor), block_)) return false;
    const std::vector<Use>& uses = plan_.uses.of[tensor];
    return std::any_of(uses.begin(), uses.end(),
                       [&](const Use& u) { return u.role != isa::Role::Read && inside(u.inst); });
  }

  bool is_disjoint(isa::TensorId tensor) const {
    // What is written in PSUM decides how matmuls add, and is kept per lane.
    if (plan_.program.tensors[tensor].memory == isa::Memory::Psum) return false;
    for (const Use& a : plan_.uses.of[tensor]) {
      if (a.role == isa::Role::Read || !inside(a.inst)) continue;
      for (const Use& b : plan_.uses.of[tensor]) {
        if (inside(b.inst) && !never_meet(a, b)) return false;
      }
    }
    return true;
  }
  bool is_indexed(const Use& u) const {
    const auto* dma = std::get_if<isa::DmaCopy>(&plan_.program.insts[u.inst].op);
    if (dma == nullptr) return false;
    return (u.access == &dma->dst && dma->dst_index) || (u.access == &dma->src && dma->src_index);
  }

  // Whether `a` in one iteration and `b` in another touch different elements, always.
  bool never_meet(const Use& a, const Use& b) const {
    if (a.access->is_dynamic() || b.access->is_dynamic() || is_indexed(a) || is_indexed(b))
      return false;
    const std::vector<Span> sa = spans(a), sb = spans(b);
    if (sa.size() == sb.size()) {
      for (size_t i = 0; i < sa.size(); ++i) {
        if (apart(sa[i], a, sb[i], b)) return true;
      }
    }
    return apart(flat_span(a), a, flat_span(b), b);
  }

  // By partition and by the axes of the tensor, if the access is one along its axes.
  std::vector<Span> spans(const Use& u) const {
    const Access& a = *u.access;
    const isa::Tensor& t = plan_.program.tensors[a.tensor];
    std::vector<Span> out;
    if (t.on_chip()) out.push_back({a.partition, {0, a.partitions - 1}});
    if (t.view || a.dtype != t.dtype) return out;
    const Axes axes = axes_of(std::span(t.shape).subspan(t.on_chip() ? 1 : 0));
    const std::optional<AxisAccess> split =
        split_access(plan_.program, around(u.inst), a.offset, a.dims, axes);
    if (!split) return out;
    for (size_t i = 0; i < axes.size(); ++i)
      out.push_back({split->at[i], split->reach(static_cast<int>(i))});
    return out;
  }

  // In bytes of the memory's own order.
  Span flat_span(const Use& u) const {
    const Access& a = *u.access;
    const int64_t size = numerics::size_of(a.dtype);
    const isa::Hull hull = isa::hull(a);
    return {a.offset * size + isa::Affine(plan_.homes[a.tensor].offset),
            {hull.begin * size, hull.end * size - 1}};
  }

  // c * i + [low, high] of two different iterations i never overlap.
  bool apart(const Span& a, const Use& ua, const Span& b, const Use& ub) const {
    const isa::Variable counter{isa::Variable::Kind::Counter, loop_};
    const int64_t c = a.at.coefficient(counter);
    if (c == 0 || c != b.at.coefficient(counter)) return false;
    const Interval ia = inner(a, ua), ib = inner(b, ub);
    for (const Enclosure& e : block_) {
      const isa::Variable outer{isa::Variable::Kind::Counter, e.id};
      if (e.kind == Enclosure::Kind::Loop && a.at.coefficient(outer) != b.at.coefficient(outer))
        return false;
    }
    return std::abs(c) > std::max(ib.high - ia.low, ia.high - ib.low);
  }

  // The positions without what all of the loop's iterations share.
  Interval inner(const Span& s, const Use& u) const {
    isa::Affine rest = s.at;
    for (const Enclosure& e : block_) {
      const isa::Variable v{isa::Variable::Kind::Counter, e.id};
      if (e.kind == Enclosure::Kind::Loop) rest += isa::Affine::counter(e.id, -rest.coefficient(v));
    }
    const Interval range = isa::bounds(plan_.program, rest, around(u.inst));
    return {range.low + s.reach.low, range.high + s.reach.high};
  }

  // Every iteration overwrites the whole tensor before it reads any of it.
  bool is_own(isa::TensorId tensor) const {
    const isa::Tensor& t = plan_.program.tensors[tensor];
    if (t.memory != isa::Memory::Sbuf || plan_.uses.has_views[tensor]) return false;
    const std::vector<Use>& uses = plan_.uses.of[tensor];
    const auto first =
        std::find_if(uses.begin(), uses.end(), [&](const Use& u) { return inside(u.inst); });
    if (first->role != isa::Role::Write || is_indexed(*first) || !covers(*first, t)) return false;
    // Nothing else touches the tensor before the write is complete.
    return std::all_of(uses.begin(), uses.end(), [&](const Use& u) {
      const int shared = isa::Structure::shared(around(u.inst), around(first->inst));
      const bool same = u.inst == first->inst;
      return &u == &*first || (!same && shared <= static_cast<int>(block_.size()));
    });
  }

  bool covers(const Use& u, const isa::Tensor& t) const {
    const Access& a = *u.access;
    if (a.is_dynamic() || a.dtype != t.dtype || a.partitions != t.partitions()) return false;
    if (!(a.partition == isa::Affine(0))) return false;
    std::vector<isa::Dim> dims = a.dims;
    isa::Affine start = a.offset;
    const std::vector<Enclosure>& e = around(u.inst);
    for (size_t i = block_.size(); i < e.size(); ++i) {
      const isa::Loop& loop = plan_.program.loops[e[i].id];
      if (!loop.count.is_constant()) return false;
      const int64_t step = start.coefficient({isa::Variable::Kind::Counter, e[i].id});
      dims.push_back({step, loop.count.constant});
      start += isa::Affine::counter(e[i].id, -step);
    }
    if (!(start == isa::Affine(0))) return false;
    std::erase_if(dims, [](const isa::Dim& d) { return d.count == 1; });
    std::sort(dims.begin(), dims.end(),
              [](const isa::Dim& x, const isa::Dim& y) { return x.step < y.step; });
    int64_t covered = 1;
    for (const isa::Dim& d : dims) {
      if (d.step != covered) return false;
      covered *= d.count;
    }
    return covered == t.free_elements();
  }

  const BodyPlan& plan_;
  const isa::LoopId loop_;
  std::vector<Enclosure> block_;  // the loop and what is around it
  bool reads_sums_ = false;       // an instruction continues or reads out sums of an earlier one
};

// Rough nanoseconds of an instruction: for deciding what is worth sharing.
double estimate(const BodyPlan& plan, isa::InstId id) {
  constexpr double kOverhead = 30, kElement = 0.1, kProduct = 0.01;
  const isa::Instruction& op = plan.program.insts[id].op;
  if (const auto* mm = std::get_if<isa::Matmul>(&op)) {
    return kOverhead + kProduct * static_cast<double>(mm->stationary.elements()) *
                           static_cast<double>(mm->moving.free_elements());
  }
  const auto* load = std::get_if<isa::DmaCopy>(&op);
  if (load != nullptr && plan.views[load->dst.tensor]) return kOverhead;
  int64_t elements = 0;
  isa::each_access(op, [&](std::string_view, const Access& a, isa::Role) {
    elements = std::max(elements, a.elements());
  });
  // A program passes over its windows more than once.
  constexpr double kCall = 500, kCallElement = 2;
  if (std::holds_alternative<isa::GpsimdCall>(op))
    return kCall + kCallElement * static_cast<double>(elements);
  return kOverhead + kElement * static_cast<double>(elements);
}

double estimate(const BodyPlan& plan, std::span<const Node> nodes) {
  double sum = 0;
  for (const Node& n : nodes) {
    if (n.kind == Node::Kind::Step) sum += estimate(plan, n.id);
    const double inside = estimate(plan, n.body) + estimate(plan, n.other);
    const bool repeats = n.kind == Node::Kind::Repeat || n.kind == Node::Kind::Product ||
                         n.kind == Node::Kind::Batch;
    double count = 1;
    if (repeats) {
      const isa::Interval range = isa::bounds(plan.program, plan.program.loops[n.id].count,
                                              plan.uses.structure.around_loop(n.id));
      count = static_cast<double>(std::max<int64_t>(range.high, 0));
    }
    sum += count * inside;
  }
  return sum;
}

}  // namespace

std::optional<Independence> find_independence(const BodyPlan& plan, isa::LoopId loop) {
  return LoopAnalysis(plan, loop).run();
}

void find_parallel(const BodyPlan& plan, std::vector<Node>& nodes,
                   std::vector<std::string>& remarks) {
  const auto worth_sharing = static_cast<double>(plan.options.share_above);
  for (Node& n : nodes) {
    find_parallel(plan, n.body, remarks);
    find_parallel(plan, n.other, remarks);
    const auto shares = [](const Node& x) { return x.is_parallel || x.has_parallel; };
    n.has_parallel = std::any_of(n.body.begin(), n.body.end(), shares) ||
                     std::any_of(n.other.begin(), n.other.end(), shares);
    if (n.kind != Node::Kind::Repeat && n.kind != Node::Kind::Batch) continue;
    if (estimate(plan, std::span<const Node>(&n, 1)) < worth_sharing) continue;
    std::optional<Independence> found = find_independence(plan, n.id);
    if (!found) continue;
    n.is_parallel = true;
    n.own = std::move(found->own);
    remarks.push_back(fmt::format("{}: iterations are independent", plan.program.loops[n.id].name));
  }
}

}  // namespace trainyard::sim
