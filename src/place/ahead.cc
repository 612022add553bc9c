#include <algorithm>
#include <map>

#include "place/steps.h"

namespace trainyard::place {

using isa::Enclosure;
using isa::InstId;
using isa::LoopId;

namespace {

constexpr int kMostStages = 3;
constexpr int kLoadsAhead = 2;        // of the iteration whose stores stand before them
constexpr size_t kMostMembers = 400;  // dependences are found pair by pair

// first must not be in a later stage than second; `equal`: in the same one.
struct Constraint {
  int first = 0, second = 0;  // indices into members
  bool equal = false;
  bool direct = false;  // second reads what first wrote in the same iteration
};

struct Split {
  const isa::Program& program;
  const Uses& uses;
  LoopId loop;
  std::vector<InstId> members;  // in body order
  std::map<InstId, int> index;
  std::vector<Constraint> constraints;

  int depth() const { return static_cast<int>(uses.structure().around_loop(loop).size()) + 1; }

  bool is_member(InstId inst) const { return index.count(inst) != 0; }

  void add_pair(const Use& a, const Use& b, bool inner, bool outer) {
    const bool forward = uses.structure().order(a.inst) <= uses.structure().order(b.inst);
    const Use& first = forward ? a : b;
    const Use& second = forward ? b : a;
    if (first.inst == second.inst) return;
    const int shared = isa::Structure::shared(uses.structure().around(first.inst),
                                              uses.structure().around(second.inst));
    if (uses.may_overlap(first, second, shared)) {
      constraints.push_back(
          {index.at(first.inst), index.at(second.inst), inner, first.writes() && second.reads()});
    }
    // State that outlives an iteration: the next turn's first must not overtake this turn's second.
    // Slots of a tensor inside an inner loop are counted by that loop's turns, not by stages.
    if (inner || (outer && uses.may_overlap_across(first, second, shared, loop)) ||
        meet_in_inner_turns(first, second, shared)) {
      constraints.push_back({index.at(first.inst), index.at(second.inst), true, false});
    }
  }

  // Whether a loop inside the split one carries something between the two, so that each of them
  // waits for the other's turn before.
  bool meet_in_inner_turns(const Use& first, const Use& second, int shared) const {
    const auto& around = uses.structure().around(first.inst);
    for (int i = depth(); i < shared; ++i) {
      if (around[i].kind == Enclosure::Kind::Loop &&
          uses.may_overlap_across(first, second, shared, around[i].id))
        return true;
    }
    return false;
  }

  void find_constraints() {
    const auto& structure = uses.structure();
    std::vector<isa::TensorId> touched;
    for (const InstId inst : members) {
      for (const Use& u : uses.of_inst(inst)) touched.push_back(u.tensor);
    }
    std::sort(touched.begin(), touched.end());
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    for (const isa::TensorId t : touched) {
      const auto& all = uses.of_tensor(t);
      std::vector<const Use*> here;
      for (const Use& u : all) {
        if (is_member(u.inst)) here.push_back(&u);
      }
      const auto tensor_depth = static_cast<int>(structure.around_tensor(t).size());
      for (size_t i = 0; i < here.size(); ++i) {
        for (size_t j = i + 1; j < here.size(); ++j) {
          if (here[i]->writes() || here[j]->writes()) {
            add_pair(*here[i], *here[j], tensor_depth > depth(), tensor_depth < depth());
          }
        }
      }
    }
    // The reduce registers of the Scalar engine are one piece of state.
    int last = -1;
    for (size_t m = 0; m < members.size(); ++m) {
      const isa::HiddenState h = isa::hidden_state(program.insts[members[m]].op);
      if (!h.act_reduce_read && !h.act_reduce_write) continue;
      if (last >= 0) constraints.push_back({last, static_cast<int>(m), true, false});
      last = static_cast<int>(m);
    }
  }

  // The engine whose waiting matters; none for transfers, which queue up by themselves.
  int engine(int member) const {
    const InstId inst = members[member];
    if (isa::is_dma(program.insts[inst].op)) return -1;
    return static_cast<int>(hw::index(*program.placement.insts[inst].engine));
  }

  // SBUF that the tensors of the loop and of the blocks around it take at least.
  int64_t least_bytes(const std::vector<int>& stage, const std::vector<int64_t>& ahead) const {
    struct Life {
      int first = INT32_MAX, last = 0;
      int64_t ahead = 0;
    };
    std::map<isa::TensorId, Life> lives;
    for (size_t m = 0; m < members.size(); ++m) {
      for (const Use& u : uses.of_inst(members[m])) {
        if (program.tensors[u.tensor].memory != isa::Memory::Sbuf) continue;
        Life& life = lives[u.tensor];
        life.last = std::max(life.last, stage[m]);
        if (!u.writes()) continue;
        life.first = std::min(life.first, stage[m]);
        life.ahead = std::max(life.ahead, ahead[m]);
      }
    }
    int64_t bytes = 0;
    for (const auto& [tensor, life] : lives) {
      const bool inside =
          static_cast<int>(uses.structure().around_tensor(tensor).size()) >= depth();
      const int64_t slots = !inside || life.first > life.last
                                ? 1
                                : std::max<int64_t>(life.ahead, life.last - life.first) + 1;
      bytes += slots * program.tensors[tensor].free_bytes();
    }
    return bytes;
  }

  bool is_by_sync(int member) const {
    const InstId inst = members[member];
    return isa::is_dma(program.insts[inst].op) &&
           program.placement.insts[inst].engine == hw::Engine::Sync;
  }
  bool writes_hbm(int member) const {
    const auto& all = uses.of_inst(members[member]);
    return std::any_of(all.begin(), all.end(), [&](const Use& u) {
      return u.writes() && program.tensors[u.tensor].memory == isa::Memory::Hbm;
    });
  }
  // Sync triggers stores of results of this loop.
  bool stores_by_sync() const {
    for (size_t m = 0; m < members.size(); ++m) {
      if (is_by_sync(static_cast<int>(m)) && writes_hbm(static_cast<int>(m))) return true;
    }
    return false;
  }
  // A load that waits for nothing in the loop but its slot.
  bool is_free_load(int member) const {
    if (!is_by_sync(member) || writes_hbm(member)) return false;
    return std::none_of(constraints.begin(), constraints.end(), [&](const Constraint& c) {
      return c.second == member || (c.first == member && c.equal);
    });
  }

  // Stages so that a chain which comes back to an engine lands in the next one. Empty if it does
  // not settle.
  std::vector<int> stages() const {
    std::vector<int> stage(members.size(), 0);
    for (int round = 0; round < 4 * (kMostStages + 1) * static_cast<int>(members.size()) + 4;
         ++round) {
      std::vector<uint32_t> engines(members.size(),
                                    0);  // of ancestors in the same stage, itself included
      bool changed = false;
      const auto raise = [&](int m, int to) {
        if (stage[m] >= to) return;
        stage[m] = to;
        changed = true;
      };
      for (const Constraint& c : constraints) {  // first < second in body order
        raise(c.second, stage[c.first]);
        if (c.equal) raise(c.first, stage[c.second]);
      }
      if (changed) continue;
      for (size_t m = 0; m < members.size() && !changed; ++m) {
        const int own = engine(static_cast<int>(m));
        if (own >= 0) engines[m] |= 1u << own;
        for (const Constraint& c : constraints) {
          if (c.second != static_cast<int>(m) || !c.direct || stage[c.first] != stage[m]) continue;
          const int from = engine(c.first);
          const bool comes_back =
              own >= 0 && from >= 0 && from != own && (engines[c.first] >> own & 1);
          if (comes_back) raise(static_cast<int>(m), stage[m] + 1);
          engines[m] |= engines[c.first];
        }
      }
      if (!changed) return stage;
      if (*std::max_element(stage.begin(), stage.end()) > kMostStages) return {};
    }
    return {};
  }
};

// Repeats, innermost first.
std::vector<LoopId> inner_first(const isa::Program& p, const isa::Structure& s) {
  std::vector<LoopId> out;
  for (size_t i = 0; i < p.loops.size(); ++i) {
    if (p.loops[i].kind == isa::Loop::Kind::Repeat) out.push_back(static_cast<LoopId>(i));
  }
  std::stable_sort(out.begin(), out.end(), [&](LoopId a, LoopId b) {
    return s.around_loop(a).size() > s.around_loop(b).size();
  });
  return out;
}

// The instructions of a block, in body order.
void collect(const isa::Program& p, const isa::Block& block, std::vector<InstId>& out) {
  using Kind = isa::Statement::Kind;
  for (const isa::Statement& s : block) {
    if (s.kind == Kind::Instruction) out.push_back(s.id);
    if (s.kind == Kind::Loop) collect(p, p.loops[s.id].body, out);
    if (s.kind == Kind::Branch) {
      collect(p, p.branches[s.id].then_block, out);
      collect(p, p.branches[s.id].else_block, out);
    }
  }
}

// Run-time control inside a loop keeps it in body order.
bool has_runtime_control(const isa::Program& p, const std::vector<InstId>& members,
                         const isa::Structure& s, size_t depth) {
  return std::any_of(members.begin(), members.end(), [&](InstId i) {
    const auto& around = s.around(i);
    return std::any_of(
        around.begin() + static_cast<std::ptrdiff_t>(depth), around.end(), [&](const Enclosure& e) {
          return e.kind != Enclosure::Kind::Loop || p.loops[e.id].kind != isa::Loop::Kind::Repeat;
        });
  });
}

}  // namespace

Stages choose_ahead(isa::Program& program, const Uses& uses, const hw::CoreSpec& core,
                    const Options& options, Report& report) {
  const int64_t sbuf_bytes = core.sbuf_usable_bytes();
  bool left_out = false;
  Stages out{std::vector<int>(program.insts.size(), 0),
             std::vector<LoopId>(program.insts.size(), -1)};
  const isa::Structure& structure = uses.structure();
  if (!options.ahead || options.plain) return out;
  for (const LoopId loop : inner_first(program, structure)) {
    Split split{program, uses, loop, {}, {}, {}};
    bool taken = uses.most_turns(loop) < 2;
    collect(program, program.loops[loop].body, split.members);
    for (const InstId i : split.members) {
      taken |= out.loop[i] >= 0 || program.placement.insts[i].ahead > 0;
      split.index.emplace(i, static_cast<int>(split.index.size()));
    }
    if (taken || split.members.size() < 2 || split.members.size() > kMostMembers) continue;
    if (has_runtime_control(program, split.members, structure, static_cast<size_t>(split.depth())))
      continue;
    split.find_constraints();
    const std::vector<int> stage = split.stages();
    if (stage.empty()) continue;
    const int last = *std::max_element(stage.begin(), stage.end());
    const bool busy_sync = split.stores_by_sync();
    if (last == 0 && !busy_sync) continue;
    // Only the difference inside one engine's stream matters.
    std::array<int, hw::kEngineCount> least;
    least.fill(last);
    for (size_t m = 0; m < stage.size(); ++m) {
      const auto e = hw::index(*program.placement.insts[split.members[m]].engine);
      least[e] = std::min(least[e], last - stage[m]);
    }
    std::vector<int64_t> ahead(stage.size());
    for (size_t m = 0; m < stage.size(); ++m) {
      const isa::InstPlace& place = program.placement.insts[split.members[m]];
      ahead[m] = last - stage[m] - least[hw::index(*place.engine)];
      // Loads that queue up behind the stores of an earlier iteration.
      if (busy_sync && stage[m] == 0 && split.is_free_load(static_cast<int>(m))) {
        ahead[m] += kLoadsAhead;
      }
    }
    if (split.least_bytes(stage, ahead) > sbuf_bytes) {
      left_out = true;
      continue;
    }
    for (size_t m = 0; m < stage.size(); ++m) {
      isa::InstPlace& place = program.placement.insts[split.members[m]];
      out.stage[split.members[m]] = stage[m];
      out.loop[split.members[m]] = loop;
      place.ahead = ahead[m];
      place.ahead_loop = place.ahead > 0 ? loop : -1;
    }
  }
  if (left_out) {
    report.remarks.emplace_back("some loops issue nothing ahead: the slots for it do not fit");
  }
  return out;
}

}  // namespace trainyard::place
