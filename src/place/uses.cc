#include "place/uses.h"

#include <algorithm>

namespace trainyard::place {

using isa::Affine;
using isa::Enclosure;
using isa::InstId;
using isa::LoopId;
using isa::TensorId;

namespace {

constexpr int64_t kUnknownTurns = int64_t{1} << 20;
constexpr int64_t kAnywhere = int64_t{1} << 60;  // farther than any address
constexpr double kGuessedTrips = 4;

// Largest value of an affine count, counters at their largest where the coefficient is positive.
int64_t largest(const Affine& a, const std::vector<int64_t>& most) {
  int64_t sum = a.constant;
  for (const isa::Term& t : a.terms) {
    if (t.variable.kind != isa::Variable::Kind::Counter) return kUnknownTurns;
    if (t.coefficient > 0) sum += t.coefficient * (most[t.variable.id] - 1);
  }
  return std::max<int64_t>(sum, 1);
}

double typical_turns(const isa::Program& p, LoopId id, const std::vector<int64_t>& most) {
  const isa::Loop& loop = p.loops[id];
  if (loop.kind != isa::Loop::Kind::Repeat) {
    return loop.trips.expected ? static_cast<double>(*loop.trips.expected) : kGuessedTrips;
  }
  double turns = static_cast<double>(loop.count.constant);
  for (const isa::Term& t : loop.count.terms) {  // counters at half way
    turns += static_cast<double>(t.coefficient) * static_cast<double>(most[t.variable.id] - 1) / 2;
  }
  return std::max(turns, 0.0);
}

bool is_dense(const isa::Access& a) {
  int64_t step = 1;
  for (auto d = a.dims.rbegin(); d != a.dims.rend(); ++d) {
    if (d->count > 1 && d->step != step) return false;
    step *= d->count;
  }
  return true;
}

// An index tile decides which rows of that operand are touched.
bool is_indirect(const isa::Instruction& op, std::string_view operand) {
  const auto* copy = std::get_if<isa::DmaCopy>(&op);
  if (copy == nullptr) return false;
  return (operand == "src" && copy->src_index) || (operand == "dst" && copy->dst_index);
}

}  // namespace

Storage storage(const isa::Program& program, TensorId tensor) {
  int64_t offset = 0;
  while (program.tensors[tensor].view) {
    offset += program.tensors[tensor].view->offset;
    tensor = program.tensors[tensor].view->base;
  }
  return {tensor, offset};
}

Uses::Uses(const isa::Program& program, const isa::Structure& structure)
    : program_(program),
      structure_(structure),
      by_tensor_(program.tensors.size()),
      by_inst_(program.insts.size()),
      most_turns_(program.loops.size(), kUnknownTurns),
      weight_(program.insts.size(), 1) {
  std::vector<char> known(program.loops.size(), 0);
  for (const InstId inst : structure.in_order()) {
    for (const Enclosure& e : structure.around(inst)) {
      if (e.kind != Enclosure::Kind::Loop) continue;
      if (!known[e.id] && program.loops[e.id].kind == isa::Loop::Kind::Repeat) {
        most_turns_[e.id] = largest(program.loops[e.id].count, most_turns_);
      }
      known[e.id] = 1;
      weight_[inst] *= typical_turns(program, e.id, most_turns_);
    }
    isa::each_access(program.insts[inst].op,
                     [&](std::string_view name, const isa::Access& a, isa::Role role) {
                       const Storage at = storage(program, a.tensor);
                       const int64_t size = numerics::size_of(a.dtype);
                       const isa::Hull h = isa::hull(a);
                       Use use{inst, at.tensor, role, {}};
                       use.region = {a.offset * size + Affine(at.offset),
                                     h.begin * size,
                                     h.end * size,
                                     a.partition,
                                     a.partitions,
                                     is_dense(a)};
                       if (is_indirect(program.insts[inst].op, name)) {
                         use.region.offset = at.offset;
                         use.region.begin = 0;
                         use.region.end = program.tensors[a.tensor].free_bytes();
                         use.region.dense = false;
                       }
                       by_tensor_[at.tensor].push_back(use);
                       by_inst_[inst].push_back(use);
                     });
  }
}

Uses::Range Uses::range(const Affine& a, const std::vector<char>& fixed) const {
  Range r{a.constant, a.constant};
  for (const isa::Term& t : a.terms) {
    // A register may hold anything.
    if (t.variable.kind == isa::Variable::Kind::Register) return {-kAnywhere, kAnywhere};
    if (!fixed.empty() && fixed[t.variable.id]) continue;
    const int64_t most = most_turns_[t.variable.id] - 1;
    (t.coefficient < 0 ? r.low : r.high) += t.coefficient * most;
  }
  return r;
}

namespace {

// a and b as one difference b - a, where shared counters cancel if their coefficients agree.
// Counters that are not shared are independent: their ranges are subtracted as intervals.
Uses::Range difference(const Uses& uses, const Affine& a, const Affine& b,
                       const std::vector<char>& shared) {
  Affine common_a, common_b, free_a, free_b;
  common_a.constant = a.constant;
  common_b.constant = b.constant;
  const auto split = [&](const Affine& from, Affine& common, Affine& free) {
    for (const isa::Term& t : from.terms) {
      const bool is_shared =
          t.variable.kind == isa::Variable::Kind::Counter && shared[t.variable.id];
      (is_shared ? common : free).terms.push_back(t);
    }
  };
  split(a, common_a, free_a);
  split(b, common_b, free_b);
  const Uses::Range common = uses.range(common_b - common_a, {});
  const Uses::Range fa = uses.range(free_a, {});
  const Uses::Range fb = uses.range(free_b, {});
  return {common.low + fb.low - fa.high, common.high + fb.high - fa.low};
}

std::vector<char> shared_counters(const Uses& uses, const Use& a, int shared) {
  std::vector<char> out(uses.program().loops.size(), 0);
  const auto& around = uses.structure().around(a.inst);
  for (int i = 0; i < shared; ++i) {
    if (around[i].kind == Enclosure::Kind::Loop) out[around[i].id] = 1;
  }
  return out;
}

// Whether [a.begin, a.end) and [b.begin, b.end) + d meet for some d in `by`.
bool meet(int64_t a_begin, int64_t a_end, int64_t b_begin, int64_t b_end, Uses::Range by) {
  return b_begin + by.low < a_end && a_begin < b_end + by.high;
}

bool partitions_meet(const Uses& uses, const Use& a, const Use& b,
                     const std::vector<char>& shared) {
  if (a.region.partitions == 0) return true;
  const Uses::Range by = difference(uses, a.region.partition, b.region.partition, shared);
  return meet(0, a.region.partitions, 0, b.region.partitions, by);
}

}  // namespace

bool Uses::may_overlap(const Use& a, const Use& b, int shared) const {
  const std::vector<char> same = shared_counters(*this, a, shared);
  if (!partitions_meet(*this, a, b, same)) return false;
  return meet(a.region.begin, a.region.end, b.region.begin, b.region.end,
              difference(*this, a.region.offset, b.region.offset, same));
}

bool Uses::may_overlap_across(const Use& a, const Use& b, int shared, LoopId loop) const {
  std::vector<char> same = shared_counters(*this, a, shared);
  // Loops inside `loop` are anywhere when it is in another turn.
  const auto& around = structure_.around(a.inst);
  bool inside = false;
  for (int i = 0; i < shared; ++i) {
    if (around[i].kind != Enclosure::Kind::Loop) continue;
    if (inside) same[around[i].id] = 0;
    inside |= around[i].id == loop;
  }
  const isa::Variable v{isa::Variable::Kind::Counter, loop};
  const auto apart = [&](const Affine& x, const Affine& y, int64_t span) {
    // Both move by the same step per turn and a step is longer than what they touch.
    return x.coefficient(v) == y.coefficient(v) && std::abs(x.coefficient(v)) >= span && span > 0;
  };
  const Range by = difference(*this, a.region.offset, b.region.offset, same);
  const int64_t low = std::min(a.region.begin, b.region.begin + by.low);
  const int64_t high = std::max(a.region.end, b.region.end + by.high);
  if (apart(a.region.offset, b.region.offset, high - low)) return false;
  if (a.region.partitions > 0) {
    const Range p = difference(*this, a.region.partition, b.region.partition, same);
    const int64_t p_low = std::min<int64_t>(0, p.low);
    const int64_t p_high = std::max(a.region.partitions, b.region.partitions + p.high);
    if (apart(a.region.partition, b.region.partition, p_high - p_low)) return false;
  }
  same[loop] = 0;  // any two turns
  return partitions_meet(*this, a, b, same) &&
         meet(a.region.begin, a.region.end, b.region.begin, b.region.end,
              difference(*this, a.region.offset, b.region.offset, same));
}

}  // namespace trainyard::place
