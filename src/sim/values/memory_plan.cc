#include "sim/values/memory_plan.h"

#include <algorithm>
#include <limits>
#include <map>

namespace trainyard::sim {
namespace {

using isa::Statement;
using isa::TensorId;

constexpr int64_t kLine = 64;

struct Span {
  int64_t begin = std::numeric_limits<int64_t>::max();
  int64_t end = -1;
  bool is_used() const { return end >= 0; }
  void add(const Span& other) {
    begin = std::min(begin, other.begin);
    end = std::max(end, other.end);
  }
};

// Places of all statements: each begins and ends somewhere in one count over the whole body.
class Clock {
 public:
  explicit Clock(const isa::Program& program)
      : insts(program.insts.size()),
        loops(program.loops.size()),
        branches(program.branches.size()),
        program_(program) {
    walk(program.body);
  }

  std::vector<Span> insts, loops, branches;

 private:
  void walk(const isa::Block& block) {
    for (const Statement& s : block) {
      const int64_t begin = now_++;
      switch (s.kind) {
        case Statement::Kind::Instruction:
          insts[s.id] = {begin, begin};
          break;
        case Statement::Kind::Loop:
          walk(program_.loops[s.id].body);
          loops[s.id] = {begin, now_++};
          break;
        case Statement::Kind::Branch:
          walk(program_.branches[s.id].then_block);
          walk(program_.branches[s.id].else_block);
          branches[s.id] = {begin, now_++};
          break;
        case Statement::Kind::Tensor:
        case Statement::Kind::ExitUnless:
          break;
      }
    }
  }

  const isa::Program& program_;
  int64_t now_ = 0;
};

// The statement of the tensor's own block that holds `inst`.
Span span_in_block(const Clock& clock, const Uses& uses, isa::InstId inst, size_t depth) {
  const std::vector<isa::Enclosure>& around = uses.structure.around(inst);
  if (around.size() <= depth) return clock.insts[inst];
  const isa::Enclosure& e = around[depth];
  return e.kind == isa::Enclosure::Kind::Loop ? clock.loops[e.id] : clock.branches[e.id];
}

// First fit by address: low addresses are used again and again.
class Arena {
 public:
  int64_t take(const Span& life, int64_t bytes) {
    while (!ends_.empty() && ends_.begin()->first < life.begin) {
      free(ends_.begin()->second.first, ends_.begin()->second.second);
      ends_.erase(ends_.begin());
    }
    bytes = (bytes + kLine - 1) / kLine * kLine;
    int64_t at = peak_;
    for (auto hole = holes_.begin(); hole != holes_.end(); ++hole) {
      const bool last = hole->first + hole->second == peak_;
      if (hole->second < bytes && !last) continue;
      at = hole->first;
      const int64_t size = hole->second;
      holes_.erase(hole);
      if (size > bytes) holes_[at + bytes] = size - bytes;
      break;
    }
    peak_ = std::max(peak_, at + bytes);
    ends_.insert({life.end, {at, bytes}});
    return at;
  }
  int64_t peak() const { return peak_; }

 private:
  void free(int64_t at, int64_t bytes) {
    auto next = holes_.lower_bound(at);
    if (next != holes_.end() && at + bytes == next->first) {
      bytes += next->second;
      next = holes_.erase(next);
    }
    if (next != holes_.begin()) {
      const auto before = std::prev(next);
      if (before->first + before->second == at) {
        before->second += bytes;
        return;
      }
    }
    holes_[at] = bytes;
  }

  std::map<int64_t, int64_t> holes_;                          // address -> bytes
  std::multimap<int64_t, std::pair<int64_t, int64_t>> ends_;  // end of life -> address, bytes
  int64_t peak_ = 0;
};

}  // namespace

MemoryPlan separate_memory(const isa::Program& program) {
  return {.offset = std::vector<int64_t>(program.tensors.size(), -1)};
}

MemoryPlan shared_memory(const isa::Program& program, const std::vector<Home>& homes,
                         const Uses& uses, const std::vector<std::optional<HbmView>>& views,
                         const std::vector<isa::InstId>& taken) {
  const Clock clock(program);
  MemoryPlan plan = separate_memory(program);
  std::vector<Span> lives(program.tensors.size());
  const auto add_uses = [&](TensorId root, TensorId used) {
    const size_t depth = uses.structure.around_tensor(root).size();
    for (const Use& u : uses.of[used]) lives[root].add(span_in_block(clock, uses, u.inst, depth));
  };
  for (size_t t = 0; t < program.tensors.size(); ++t) {
    const auto id = static_cast<TensorId>(t);
    add_uses(id, id);
    if (views[t]) add_uses(homes[views[t]->tensor].root, id);
    if (!taken.empty() && taken[t] >= 0) {
      const auto& copy = std::get<isa::TensorCopy>(program.insts[taken[t]].op);
      add_uses(homes[copy.dst.tensor].root, id);
    }
  }
  std::vector<TensorId> order;
  for (size_t t = 0; t < program.tensors.size(); ++t) {
    const isa::Tensor& tensor = program.tensors[t];
    const bool own = tensor.io != isa::Io::None || tensor.view || views[t] || !lives[t].is_used();
    const bool in_loop =
        !tensor.on_chip() && !uses.structure.around_tensor(static_cast<TensorId>(t)).empty();
    if (!own && !in_loop) order.push_back(static_cast<TensorId>(t));
  }
  std::ranges::stable_sort(order, {}, [&](TensorId t) { return lives[t].begin; });
  Arena tiles, hbm;
  for (const TensorId t : order) {
    Arena& arena = program.tensors[t].on_chip() ? tiles : hbm;
    plan.offset[t] = arena.take(lives[t], homes[t].bytes);
  }
  plan.tile_bytes = tiles.peak();
  plan.hbm_bytes = hbm.peak();
  return plan;
}

}  // namespace trainyard::sim
