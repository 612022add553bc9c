#include "isa/structure.h"

#include <algorithm>
#include <limits>

namespace trainyard::isa {
namespace {

constexpr int64_t kMany = std::numeric_limits<int64_t>::max();

int64_t saturating_add(int64_t a, int64_t b) { return a > kMany - b ? kMany : a + b; }

// Walks the unrolled tree, but an inner loop whose bounds do not depend on the counter is counted
// once.
struct Counter {
  const Program& program;
  const std::vector<int64_t>& trips;
  std::vector<int64_t> counters;

  int64_t block(const Block& b) {
    int64_t sum = 0;
    for (const Statement& s : b) sum = saturating_add(sum, statement(s));
    return sum;
  }

  int64_t statement(const Statement& s) {
    switch (s.kind) {
      case Statement::Kind::Instruction:
        return 1;
      case Statement::Kind::Loop:
        return loop(s.id);
      case Statement::Kind::Branch:
        return std::max(block(program.branches[s.id].then_block),
                        block(program.branches[s.id].else_block));
      case Statement::Kind::Tensor:
      case Statement::Kind::ExitUnless:
        return 0;
    }
    return 0;
  }

  int64_t loop(LoopId id) {
    const Loop& l = program.loops[id];
    int64_t n = 1;
    if (l.kind == Loop::Kind::Repeat) {
      n = std::max<int64_t>(0, l.count.value(counters.data()));
    } else if (id < static_cast<int64_t>(trips.size()) && trips[id] >= 0) {
      n = trips[id];
    }
    if (n == 0) return 0;
    if (l.kind != Loop::Kind::Repeat || !depends_on(l.body, id)) {
      counters[id] = 0;
      const int64_t once = block(l.body);
      return once != 0 && n > kMany / once ? kMany : n * once;
    }
    int64_t sum = 0;
    for (counters[id] = 0; counters[id] < n; ++counters[id])
      sum = saturating_add(sum, block(l.body));
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

int64_t Structure::executed(const Program& program, const std::vector<int64_t>& trips) const {
  Counter counter{program, trips, std::vector<int64_t>(program.loops.size(), 0)};
  return counter.block(program.body);
}

}  // namespace trainyard::isa
