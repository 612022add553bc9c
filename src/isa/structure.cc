#include "isa/structure.h"

#include <algorithm>
#include <limits>

#include "isa/ranges.h"

namespace trainyard::isa {
namespace {

constexpr int64_t kMany = std::numeric_limits<int64_t>::max();

int64_t saturating_add(int64_t a, int64_t b) { return a > kMany - b ? kMany : a + b; }

int64_t saturating_multiply(int64_t a, int64_t b) {
  return a != 0 && b > kMany / a ? kMany : a * b;
}

// Walks the unrolled tree, but an inner loop whose bounds do not depend on the counter is counted
// once.
struct Counter {
  const Program& program;
  const Structure& structure;
  const std::vector<int64_t>& trips;
  std::vector<int64_t> counters;
  // Blocks that may still be visited; nests of triangular loops would visit without end.
  int64_t budget = 0;
  bool from_above = false;  // every loop as its longest, each block visited once

  Amount block(const Block& b) {
    --budget;
    Amount sum;
    for (const Statement& s : b) add(sum, statement(s));
    return sum;
  }

  static void add(Amount& sum, const Amount& more) {
    sum.instructions = saturating_add(sum.instructions, more.instructions);
    sum.turns = saturating_add(sum.turns, more.turns);
  }

  Amount statement(const Statement& s) {
    switch (s.kind) {
      case Statement::Kind::Instruction:
        return {.instructions = 1};
      case Statement::Kind::Loop:
        return loop(s.id);
      case Statement::Kind::Branch: {
        const Amount a = block(program.branches[s.id].then_block);
        const Amount b = block(program.branches[s.id].else_block);
        return {std::max(a.instructions, b.instructions), std::max(a.turns, b.turns)};
      }
      case Statement::Kind::Tensor:
      case Statement::Kind::ExitUnless:
        return {};
    }
    return {};
  }

  int64_t turns(LoopId id) const {
    const Loop& l = program.loops[id];
    if (l.kind != Loop::Kind::Repeat) {
      return id < static_cast<int64_t>(trips.size()) && trips[id] >= 0 ? trips[id] : 1;
    }
    const int64_t n = from_above ? bounds(program, l.count, structure.around_loop(id)).high
                                 : l.count.value(counters.data());
    return std::max<int64_t>(0, n);
  }

  Amount loop(LoopId id) {
    const Loop& l = program.loops[id];
    const int64_t n = turns(id);
    if (n == 0) return {};
    Amount sum{.turns = n};
    counters[id] = 0;
    if (from_above || l.kind != Loop::Kind::Repeat || !depends_on(l.body, id)) {
      const Amount once = block(l.body);
      add(sum, {saturating_multiply(n, once.instructions), saturating_multiply(n, once.turns)});
      return sum;
    }
    for (; counters[id] < n && budget > 0; ++counters[id]) add(sum, block(l.body));
    return sum;
  }

  bool depends_on(const Block& b, LoopId outer) const {
    return std::any_of(b.begin(), b.end(), [&](const Statement& s) {
      if (s.kind == Statement::Kind::Branch) {
        const Branch& br = program.branches[s.id];
        return depends_on(br.then_block, outer) || depends_on(br.else_block, outer);
      }
      if (s.kind != Statement::Kind::Loop) return false;
      const Loop& l = program.loops[s.id];
      return l.count.coefficient({Variable::Kind::Counter, outer}) != 0 ||
             depends_on(l.body, outer);
    });
  }
};

}  // namespace

Structure::Structure(const Program& program)
    : around_inst_(program.insts.size()),
      around_loop_(program.loops.size()),
      around_tensor_(program.tensors.size()),
      order_(program.insts.size(), -1) {
  std::vector<Enclosure> stack;
  walk(program, program.body, stack);
}

void Structure::walk(const Program& program, const Block& block, std::vector<Enclosure>& stack) {
  const auto inside = [&](Enclosure e, const Block& b) {
    stack.push_back(e);
    walk(program, b, stack);
    stack.pop_back();
  };
  for (const Statement& s : block) {
    switch (s.kind) {
      case Statement::Kind::Instruction:
        around_inst_[s.id] = stack;
        order_[s.id] = static_cast<int>(in_order_.size());
        in_order_.push_back(s.id);
        break;
      case Statement::Kind::Tensor:
        around_tensor_[s.id] = stack;
        break;
      case Statement::Kind::Loop:
        around_loop_[s.id] = stack;
        inside({Enclosure::Kind::Loop, s.id}, program.loops[s.id].body);
        break;
      case Statement::Kind::Branch:
        inside({Enclosure::Kind::Then, s.id}, program.branches[s.id].then_block);
        inside({Enclosure::Kind::Else, s.id}, program.branches[s.id].else_block);
        break;
      case Statement::Kind::ExitUnless:
        break;
    }
  }
}

int Structure::shared(const std::vector<Enclosure>& a, const std::vector<Enclosure>& b) {
  const size_t n = std::min(a.size(), b.size());
  size_t i = 0;
  while (i < n && a[i] == b[i]) ++i;
  return static_cast<int>(i);
}

Amount Structure::amount(const Program& program, const std::vector<int64_t>& trips) const {
  constexpr int64_t kMostBlocks = int64_t{1} << 20;
  Counter counter{program, *this, trips, std::vector<int64_t>(program.loops.size(), 0),
                  kMostBlocks};
  const Amount exact = counter.block(program.body);
  if (counter.budget > 0) return exact;
  counter.from_above = true;
  return counter.block(program.body);
}

int64_t Structure::executed(const Program& program, const std::vector<int64_t>& trips) const {
  return amount(program, trips).instructions;
}

}  // namespace trainyard::isa
