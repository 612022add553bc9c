#include "isa/ranges.h"

#include <algorithm>

namespace trainyard::isa {
namespace {

using Wide = __int128;
constexpr int64_t kFar = int64_t{1} << 62;

int64_t clamp(Wide v) { return v > kFar ? kFar : v < -kFar ? -kFar : static_cast<int64_t>(v); }

std::vector<LoopId> repeats(const Program& program, const std::vector<Enclosure>& around) {
  std::vector<LoopId> loops;
  for (const Enclosure& e : around) {
    const bool loop = e.kind == Enclosure::Kind::Loop;
    if (loop && program.loops[e.id].kind == Loop::Kind::Repeat) loops.push_back(e.id);
  }
  return loops;
}

int64_t coefficient(const Affine& a, LoopId loop) {
  return a.coefficient({Variable::Kind::Counter, loop});
}

// The largest value of sign * affine: each counter, innermost first, is replaced by the end of its
// range that makes the sum largest; the upper end is an expression in the outer counters.
int64_t largest(const Program& program, const Affine& affine, const std::vector<LoopId>& loops,
                int64_t sign) {
  std::vector<int64_t> factor;
  for (const LoopId loop : loops) factor.push_back(clamp(Wide{sign} * coefficient(affine, loop)));
  Wide sum = Wide{sign} * affine.constant;
  for (size_t i = loops.size(); i-- > 0;) {
    const Wide c = factor[i];
    if (c <= 0) continue;
    const Affine& count = program.loops[loops[i]].count;
    sum += c * (count.constant - 1);
    for (size_t outer = 0; outer < i; ++outer) {
      factor[outer] = clamp(factor[outer] + c * coefficient(count, loops[outer]));
    }
    sum = clamp(sum);
  }
  return clamp(sum);
}

struct Exact {
  const Program& program;
  const Affine& affine;
  const std::vector<LoopId>& loops;
  std::vector<int64_t> counters;
  int64_t budget = int64_t{1} << 20;

  bool decides_inner(size_t at) const {
    return std::any_of(loops.begin() + static_cast<int64_t>(at) + 1, loops.end(), [&](LoopId l) {
      return coefficient(program.loops[l].count, loops[at]) != 0;
    });
  }

  // False if the nest from `at` inwards never runs with the counters so far.
  bool visit(size_t at, Interval& out) {
    if (at == loops.size()) {
      out = {affine.constant, affine.constant};
      return true;
    }
    const LoopId loop = loops[at];
    const int64_t n = program.loops[loop].count.value(counters.data());
    const int64_t c = coefficient(affine, loop);
    if (n <= 0) return false;
    if (!decides_inner(at)) {
      if (!visit(at + 1, out)) return false;
      const Wide reach = Wide{c} * (n - 1);
      out.low = clamp(out.low + std::min<Wide>(0, reach));
      out.high = clamp(out.high + std::max<Wide>(0, reach));
      return true;
    }
    bool any = false;
    for (int64_t v = 0; v < n && budget > 0; ++v, --budget) {
      counters[loop] = v;
      Interval inner;
      if (!visit(at + 1, inner)) continue;
      inner.low = clamp(inner.low + Wide{c} * v);
      inner.high = clamp(inner.high + Wide{c} * v);
      out = any ? Interval{std::min(out.low, inner.low), std::max(out.high, inner.high)} : inner;
      any = true;
    }
    counters[loop] = 0;
    return any;
  }
};

}  // namespace

Interval bounds(const Program& program, const Affine& affine,
                const std::vector<Enclosure>& around) {
  const std::vector<LoopId> loops = repeats(program, around);
  return {-largest(program, affine, loops, -1), largest(program, affine, loops, 1)};
}

std::optional<Interval> exact_bounds(const Program& program, const Affine& affine,
                                     const std::vector<Enclosure>& around) {
  const std::vector<LoopId> loops = repeats(program, around);
  Exact exact{program, affine, loops, std::vector<int64_t>(program.loops.size(), 0)};
  Interval out;
  const bool runs = exact.visit(0, out);
  if (exact.budget <= 0) return bounds(program, affine, around);
  return runs ? std::optional(out) : std::nullopt;
}

bool terms_fit(const Program& program, const Affine& affine, const std::vector<Enclosure>& around) {
  constexpr Wide kTerm = Wide{1} << 54;  // 64 terms at most
  return std::all_of(affine.terms.begin(), affine.terms.end(), [&](const Term& t) {
    if (t.variable.kind == Variable::Kind::Register) return true;
    const Interval counter = bounds(program, Affine::counter(t.variable.id), around);
    const Wide reach = Wide{t.coefficient} * counter.high;
    return reach <= kTerm && reach >= -kTerm;
  });
}

}  // namespace trainyard::isa
