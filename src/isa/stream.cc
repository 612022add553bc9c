#include "isa/stream.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace trainyard::isa {
namespace {

// Reads one loop's or branch's recorded values, entry after entry.
struct TripCursor {
  size_t run = 0;
  int64_t used = 0;

  int64_t next(const std::vector<TripRecord::Run>& runs) {
    if (runs.empty()) return 0;
    while (run + 1 < runs.size() && used >= runs[run].times) {
      ++run;
      used = 0;
    }
    ++used;
    return runs[run].value;
  }
};

bool is_repeat(const Program& p, const Enclosure& e) {
  return e.kind == Enclosure::Kind::Loop && p.loops[e.id].kind == Loop::Kind::Repeat;
}

// Instances of what lies inside path[from..], one iteration of path[from-1] given.
int64_t count_from(const Program& p, const std::vector<Enclosure>& path, size_t from,
                   std::vector<int64_t>& counters) {
  if (from == path.size()) return 1;
  if (!is_repeat(p, path[from])) return -1;
  const LoopId id = path[from].id;
  const int64_t n = std::max<int64_t>(0, p.loops[id].count.value(counters.data()));
  bool varies = false;
  for (size_t i = from + 1; i < path.size(); ++i) {
    if (!is_repeat(p, path[i])) return -1;
    varies |= p.loops[path[i].id].count.coefficient({Variable::Kind::Counter, id}) != 0;
  }
  const int64_t saved = counters[id];
  int64_t sum = 0;
  if (!varies) {
    counters[id] = 0;
    sum = n * count_from(p, path, from + 1, counters);
  } else {
    for (int64_t i = 0; i < n; ++i) {
      counters[id] = i;
      sum += count_from(p, path, from + 1, counters);
    }
  }
  counters[id] = saved;
  return sum;
}

// Whether the count of path[from..] is the same in every iteration of path[from-1].
bool count_is_constant(const Program& p, const std::vector<Enclosure>& path, size_t from) {
  for (size_t i = from; i < path.size(); ++i) {
    if (!is_repeat(p, path[i])) return false;
    for (const Term& t : p.loops[path[i].id].count.terms) {
      const auto inner = [&](const Enclosure& e) { return e.id == t.variable.id; };
      if (std::none_of(path.begin() + from, path.end(), inner)) return false;
    }
  }
  return true;
}

// How the count behind an edge is found.
struct EdgePlan {
  InstId producer = -1;
  LoopId loop = -1;       // whose iterations are counted; -1: the whole program is one iteration
  size_t inside = 0;      // first enclosure of the producer inside `loop`
  int64_t per_turn = -1;  // instances per iteration, if constant; else `history` is kept
  int64_t lag = 0;
  const std::vector<Affine>* at = nullptr;  // null: all of the iteration
  bool walked =
      false;          // run-time control in between: instances are counted as the walk passes them
  int32_t edge = -1;  // index into the waiter's `after`
  int history = -1;   // index into Group::histories_, where per_turn is not constant
};

// Cumulative instances of a producer at the end of recent iterations of a loop.
struct History {
  InstId producer = -1;
  LoopId loop = -1;
  size_t inside = 0;
  bool walked = false;
  int64_t depth = 0;  // largest lag + 1
  std::vector<int64_t> ring;
  int64_t turns = 0;  // iterations begun
  int64_t sum = 0;    // instances up to the end of the current iteration (not walked)

  void begin_turn(int64_t instances, int64_t seen) {
    if (walked) {
      // What was seen until now ends the turn before.
      if (turns > 0) ring[(turns - 1) % ring.size()] = seen;
    } else {
      sum += instances;
      ring[turns % ring.size()] = sum;
    }
    ++turns;
  }
  // Instances up to the end of the iteration `lag` turns back; lag 0 is the current one.
  int64_t up_to(int64_t lag, int64_t seen) const {
    const int64_t turn = turns - 1 - lag;
    if (turn < 0) return 0;
    if (walked && lag == 0) return seen;
    return ring[turn % ring.size()];
  }
};

}  // namespace

void TripRecord::append(std::vector<Run>& runs, int64_t value) {
  if (!runs.empty() && runs.back().value == value) {
    ++runs.back().times;
  } else {
    runs.push_back({value, 1});
  }
}

int64_t instances_inside(const Program& program, const Structure& structure, InstId inst, int outer,
                         std::vector<int64_t>& counters) {
  return count_from(program, structure.around(inst), static_cast<size_t>(outer), counters);
}

// Walks the part of the tree that holds a set of instructions, flattened into a list of steps.
class StreamWalker::Group {
 public:
  // Emits `members`, and the control items of run-time loops and branches that hold any of
  // `controlled`, which are none or all that the stream executes.
  Group(const Program& program, const Structure& structure, std::vector<char> members,
        std::vector<char> controlled, const TripRecord& trips, LoopId ahead_loop, int64_t ahead)
      : program_(program),
        structure_(structure),
        trips_(trips),
        members_(std::move(members)),
        controlled_(std::move(controlled)),
        ahead_loop_(ahead_loop),
        ahead_(ahead),
        counters_(program.loops.size(), 0),
        limits_(program.loops.size(), 0),
        turns_(program.loops.size(), -1),
        arm_entries_(program.branches.size() * 2, -1),
        loop_trips_(program.loops.size()),
        branch_trips_(program.branches.size()),
        seen_(program.insts.size(), 0),
        entered_(program.loops.size(), 0),
        tested_(program.branches.size(), 0),
        loop_histories_(program.loops.size()) {
    scratch_.assign(program.loops.size(), 0);
    plan_edges();
    std::vector<char> wanted = members_;
    for (const History& h : histories_) {
      if (h.walked) wanted[h.producer] = 1;
    }
    for (size_t i = 0; i < controlled_.size(); ++i) {
      const auto& around = structure.around(static_cast<InstId>(i));
      const auto at_run_time = [&](const Enclosure& e) { return !is_repeat(program, e); };
      if (controlled_[i] && std::any_of(around.begin(), around.end(), at_run_time)) wanted[i] = 1;
    }
    flatten(program.body, wanted);
    for (History& h : histories_) h.ring.resize(static_cast<size_t>(h.depth + 1), 0);
    for (size_t h = 0; h < histories_.size(); ++h) {
      if (histories_[h].loop >= 0) {
        loop_histories_[histories_[h].loop].push_back(static_cast<int>(h));
      } else {
        begin_turn(histories_[h]);
      }
    }
    key_.reserve(32);
    advance();
  }

  bool done() const { return done_; }
  const StreamItem& item() const { return item_; }
  const int64_t* counters() const { return counters_.data(); }
  const std::vector<int64_t>& key() const { return key_; }

  // Where the item stands in issue order: per level the position in its block and the counter, the
  // latter less the distance ahead.
  void make_key() {
    key_.clear();
    for (const Level& level : levels_) {
      key_.push_back(level.position);
      if (level.loop >= 0)
        key_.push_back(counters_[level.loop] - (level.loop == ahead_loop_ ? ahead_ : 0));
    }
    key_.push_back(position_);
  }

  void needs(std::vector<Need>& out) const {
    out.clear();
    for (int i = first_edge_[item_.id]; i < first_edge_[item_.id + 1]; ++i) {
      const int64_t n = count(edges_[i]);
      if (n > 0) out.push_back({edges_[i].producer, n, least(edges_[i], n), edges_[i].edge});
    }
  }

  int64_t tensor_instance(TensorId tensor) const {
    const auto& around = structure_.around_tensor(tensor);
    if (around.empty()) return 0;
    const Enclosure& e = around.back();
    if (e.kind == Enclosure::Kind::Loop) return turns_[e.id];
    return arm_entries_[2 * e.id + (e.kind == Enclosure::Kind::Else)];
  }

  // Steps to the next item.
  void advance() {
    for (;;) {
      const Step& s = steps_[at_];
      switch (s.kind) {
        case Step::Kind::End:
          done_ = true;
          return;
        case Step::Kind::Instruction:
          ++at_;
          if (!members_[s.id]) {
            ++seen_[s.id];
            break;
          }
          position_ = s.position;
          item_ = {StreamItem::Kind::Instruction, s.id, seen_[s.id]++};
          return;
        case Step::Kind::LoopBegin: {
          const bool control = s.control;
          const bool entered = enter_loop(s);
          if (!control) break;
          position_ = entered ? -1 : s.position;
          item_ = {StreamItem::Kind::LoopEnter, s.id, entered_[s.id]++};
          return;
        }
        case Step::Kind::Exit:
          at_ = counters_[s.id] >= limits_[s.id] ? leave_loop(s) : at_ + 1;
          break;
        case Step::Kind::LoopEnd: {
          const bool control = s.control;
          const int64_t turn = turns_[s.id];
          if (!control) {
            turn_loop(s);
            break;
          }
          if (!turn_pending_) {
            turn_pending_ = true;
            position_ = INT64_MAX;
            item_ = {StreamItem::Kind::LoopTurn, s.id, turn};
            return;
          }
          turn_pending_ = false;
          turn_loop(s);
          break;
        }
        case Step::Kind::BranchBegin: {
          const bool control = s.control;
          const int32_t id = s.id;
          position_ = -1;
          enter_branch(s);
          if (!control) break;
          item_ = {StreamItem::Kind::BranchTest, id, tested_[id]++};
          return;
        }
        case Step::Kind::ArmEnd:
          levels_.pop_back();
          at_ = s.jump;
          break;
      }
    }
  }

 private:
  struct Step {
    enum class Kind : uint8_t { Instruction, LoopBegin, LoopEnd, Exit, BranchBegin, ArmEnd, End };
    Kind kind = Kind::End;
    bool control = false;  // emits an item
    int32_t id = -1;
    int32_t jump =
        -1;  // LoopBegin: past the end; LoopEnd: first of the body; BranchBegin: else arm
    int64_t position = 0;  // in its block
  };
  struct Level {
    int64_t position = 0;
    LoopId loop = -1;  // -1: an arm of a branch
  };

  bool holds(const Block& block, const std::vector<char>& set) const {
    if (set.empty()) return false;
    return std::any_of(block.begin(), block.end(), [&](const Statement& s) {
      switch (s.kind) {
        case Statement::Kind::Instruction:
          return set[s.id] != 0;
        case Statement::Kind::Loop:
          return holds(program_.loops[s.id].body, set);
        case Statement::Kind::Branch:
          return holds(program_.branches[s.id].then_block, set) ||
                 holds(program_.branches[s.id].else_block, set);
        case Statement::Kind::Tensor:
        case Statement::Kind::ExitUnless:
          return false;
      }
      return false;
    });
  }

  void flatten(const Block& body, const std::vector<char>& wanted) {
    flatten_block(body, wanted, -1);
    steps_.push_back({Step::Kind::End});
  }

  void flatten_block(const Block& block, const std::vector<char>& wanted, LoopId loop) {
    for (size_t i = 0; i < block.size(); ++i) {
      const Statement& s = block[i];
      const auto position = static_cast<int64_t>(i);
      switch (s.kind) {
        case Statement::Kind::Instruction:
          if (wanted[s.id]) steps_.push_back({Step::Kind::Instruction, false, s.id, -1, position});
          break;
        case Statement::Kind::Loop:
          flatten_loop(s.id, wanted, position);
          break;
        case Statement::Kind::Branch:
          flatten_branch(s.id, wanted, position);
          break;
        case Statement::Kind::ExitUnless:
          steps_.push_back({Step::Kind::Exit, false, loop, -1, position});
          break;
        case Statement::Kind::Tensor:
          break;
      }
    }
  }

  void flatten_loop(LoopId id, const std::vector<char>& wanted, int64_t position) {
    const Loop& loop = program_.loops[id];
    if (!holds(loop.body, wanted)) return;
    const bool control = loop.kind != Loop::Kind::Repeat && holds(loop.body, controlled_);
    const auto begin = static_cast<int32_t>(steps_.size());
    steps_.push_back({Step::Kind::LoopBegin, control, id, -1, position});
    flatten_block(loop.body, wanted, id);
    const auto end = static_cast<int32_t>(steps_.size());
    steps_.push_back({Step::Kind::LoopEnd, control, id, begin + 1, position});
    for (int32_t i = begin; i < end; ++i) {
      if (steps_[i].kind == Step::Kind::Exit && steps_[i].id == id) steps_[i].jump = end + 1;
    }
    steps_[begin].jump = end + 1;
  }

  void flatten_branch(BranchId id, const std::vector<char>& wanted, int64_t position) {
    const Branch& branch = program_.branches[id];
    if (!holds(branch.then_block, wanted) && !holds(branch.else_block, wanted)) return;
    const bool control =
        holds(branch.then_block, controlled_) || holds(branch.else_block, controlled_);
    const auto begin = static_cast<int32_t>(steps_.size());
    steps_.push_back({Step::Kind::BranchBegin, control, id, -1, position});
    flatten_block(branch.then_block, wanted, -1);
    const auto then_end = static_cast<int32_t>(steps_.size());
    steps_.push_back({Step::Kind::ArmEnd, false, id, -1, position});
    steps_[begin].jump = then_end + 1;
    flatten_block(branch.else_block, wanted, -1);
    const auto else_end = static_cast<int32_t>(steps_.size());
    steps_.push_back({Step::Kind::ArmEnd, false, id, else_end + 1, position});
    steps_[then_end].jump = else_end + 1;
  }

  void begin_turn(History& h) {
    const int64_t n =
        h.walked ? 0 : count_from(program_, structure_.around(h.producer), h.inside, counters_);
    h.begin_turn(n, seen_[h.producer]);
  }

  void begin_turn(LoopId loop) {
    ++turns_[loop];
    for (const int h : loop_histories_[loop]) begin_turn(histories_[h]);
  }

  // False if the loop has no iteration.
  bool enter_loop(const Step& s) {
    const Loop& loop = program_.loops[s.id];
    limits_[s.id] = loop.kind == Loop::Kind::Repeat ? loop.count.value(counters_.data())
                                                    : loop_trips_[s.id].next(trips_.loops[s.id]);
    counters_[s.id] = 0;
    if (limits_[s.id] <= 0 && loop.kind != Loop::Kind::While) {
      at_ = s.jump;
      return false;
    }
    levels_.push_back({s.position, s.id});
    begin_turn(s.id);
    ++at_;
    return true;
  }

  void turn_loop(const Step& s) {
    ++counters_[s.id];
    // A `while` leaves at its exit, which its last, partial iteration reaches.
    if (counters_[s.id] >= limits_[s.id] && program_.loops[s.id].kind != Loop::Kind::While) {
      levels_.pop_back();
      ++at_;
      return;
    }
    begin_turn(s.id);
    at_ = s.jump;
  }

  int32_t leave_loop(const Step& s) {
    levels_.pop_back();
    return s.jump;
  }

  void enter_branch(const Step& s) {
    const bool taken = branch_trips_[s.id].next(trips_.branches[s.id]) != 0;
    ++arm_entries_[2 * s.id + (taken ? 0 : 1)];
    levels_.push_back({s.position, -1});
    at_ = taken ? at_ + 1 : s.jump;
  }

  void plan_edges() {
    first_edge_.assign(program_.insts.size() + 1, 0);
    for (size_t i = 0; i < program_.insts.size(); ++i) {
      first_edge_[i] = static_cast<int>(edges_.size());
      if (!members_[i]) continue;
      const auto& after = program_.placement.insts[i].after;
      for (size_t e = 0; e < after.size(); ++e) {
        plan_edge(static_cast<InstId>(i), after[e]);
        edges_.back().edge = static_cast<int32_t>(e);
      }
    }
    first_edge_.back() = static_cast<int>(edges_.size());
  }

  void plan_edge(InstId waiter, const Edge& e) {
    const auto& path = structure_.around(e.producer);
    size_t inside = Structure::shared(structure_.around(waiter), path);
    if (e.lag_loop >= 0) {
      const auto it =
          std::find(path.begin(), path.end(), Enclosure{Enclosure::Kind::Loop, e.lag_loop});
      TY_CHECK(it != path.end());
      inside = static_cast<size_t>(it - path.begin()) + 1;
    }
    // Count over the innermost loop that encloses both; branch arms between it and here are walked.
    size_t loop_end = inside;
    while (loop_end > 0 && path[loop_end - 1].kind != Enclosure::Kind::Loop) --loop_end;
    EdgePlan plan{.producer = e.producer,
                  .inside = loop_end,
                  .lag = e.lag,
                  .at = e.at.empty() ? nullptr : &e.at};
    plan.loop = loop_end > 0 ? path[loop_end - 1].id : -1;
    plan.walked = loop_end > 0 && program_.loops[plan.loop].kind == Loop::Kind::While;
    for (size_t i = loop_end; i < path.size(); ++i) plan.walked |= !is_repeat(program_, path[i]);
    if (!plan.walked && count_is_constant(program_, path, loop_end)) {
      plan.per_turn = count_from(program_, path, loop_end, counters_);  // all zero at this time
    } else {
      plan.history = history(plan);
    }
    edges_.push_back(plan);
  }

  int history(const EdgePlan& plan) {
    const int64_t depth = plan.lag + 1;
    for (size_t i = 0; i < histories_.size(); ++i) {
      History& h = histories_[i];
      if (h.producer != plan.producer || h.loop != plan.loop) continue;
      h.depth = std::max(h.depth, depth);
      return static_cast<int>(i);
    }
    histories_.push_back({plan.producer, plan.loop, plan.inside, plan.walked, depth, {}, 0, 0});
    return static_cast<int>(histories_.size()) - 1;
  }

  // Instances of the producer that must have completed.
  int64_t count(const EdgePlan& e) const {
    const int64_t turn = e.loop >= 0 ? turns_[e.loop] : 0;
    if (turn - e.lag < 0) return 0;
    if (e.at != nullptr) return before(e, e.lag + 1) + index(e) + 1;
    return before(e, e.lag);
  }

  // `at` may go back to the first instance of the iteration; everything else only grows.
  int64_t least(const EdgePlan& e, int64_t n) const {
    return e.at != nullptr ? std::min(n, before(e, e.lag + 1) + 1) : n;
  }

  // Instances up to the end of the iteration `lag` turns back.
  int64_t before(const EdgePlan& e, int64_t lag) const {
    if (e.per_turn >= 0) {
      const int64_t turn = e.loop >= 0 ? turns_[e.loop] : 0;
      return std::max<int64_t>(0, e.per_turn * (turn - lag + 1));
    }
    return histories_[e.history].up_to(lag, seen_[e.producer]);
  }

  // Position of the instance whose unshared counters are `at`, inside one iteration.
  int64_t index(const EdgePlan& e) const {
    const auto& path = structure_.around(e.producer);
    std::vector<int64_t>& c = scratch_;
    for (size_t i = 0; i < e.inside; ++i) {
      if (path[i].kind == Enclosure::Kind::Loop) c[path[i].id] = counters_[path[i].id];
    }
    int64_t sum = 0;
    const size_t first = path.size() - e.at->size();
    for (size_t i = first; i < path.size(); ++i) {
      const int64_t value = (*e.at)[i - first].value(counters_.data());
      const LoopId id = path[i].id;
      bool varies = false;
      for (size_t j = i + 1; j < path.size(); ++j) {
        varies |= program_.loops[path[j].id].count.coefficient({Variable::Kind::Counter, id}) != 0;
      }
      if (varies) {
        for (c[id] = 0; c[id] < value; ++c[id]) sum += count_from(program_, path, i + 1, c);
      } else {
        c[id] = 0;
        sum += value * count_from(program_, path, i + 1, c);
      }
      c[id] = value;
    }
    return sum;
  }

  const Program& program_;
  const Structure& structure_;
  const TripRecord& trips_;
  std::vector<char> members_;
  std::vector<char> controlled_;
  LoopId ahead_loop_;
  int64_t ahead_;

  std::vector<Step> steps_;
  int32_t at_ = 0;
  bool done_ = false;
  bool turn_pending_ = false;
  StreamItem item_;
  int64_t position_ = 0;
  std::vector<Level> levels_;
  std::vector<int64_t> key_;

  std::vector<int64_t> counters_, limits_, turns_, arm_entries_;
  std::vector<TripCursor> loop_trips_, branch_trips_;
  std::vector<int64_t> seen_, entered_, tested_;
  mutable std::vector<int64_t> scratch_;  // counters of a producer, by LoopId

  std::vector<EdgePlan> edges_;
  std::vector<int> first_edge_;
  std::vector<History> histories_;
  std::vector<std::vector<int>> loop_histories_;
};

StreamWalker::StreamWalker(const Program& program, const Structure& structure, Engine engine,
                           const TripRecord& trips) {
  using Ahead = std::pair<LoopId, int64_t>;
  const std::vector<uint8_t> masks = engine_masks(program, structure);
  // The first group has no `ahead`; it also carries the control items.
  std::vector<Ahead> kinds = {{-1, 0}};
  std::vector<std::vector<char>> members(1, std::vector<char>(program.insts.size(), 0));
  std::vector<char> all(program.insts.size(), 0);
  for (size_t i = 0; i < program.insts.size(); ++i) {
    const InstPlace& place = program.placement.insts[i];
    if ((masks[i] >> hw::index(engine) & 1) == 0) continue;
    const Ahead kind = place.ahead > 0 ? Ahead{place.ahead_loop, place.ahead} : Ahead{-1, 0};
    auto it = std::find(kinds.begin(), kinds.end(), kind);
    if (it == kinds.end()) {
      kinds.push_back(kind);
      members.emplace_back(program.insts.size(), 0);
      it = kinds.end() - 1;
    }
    members[it - kinds.begin()][i] = 1;
    all[i] = 1;
  }
  groups_.reserve(kinds.size());
  for (size_t g = 0; g < kinds.size(); ++g) {
    groups_.emplace_back(program, structure, std::move(members[g]),
                         g == 0 ? all : std::vector<char>{}, trips, kinds[g].first,
                         kinds[g].second);
  }
}

StreamWalker::StreamWalker(const Program& program, const Structure& structure,
                           std::span<const InstId> members, const TripRecord& trips) {
  std::vector<char> set(program.insts.size(), 0);
  for (const InstId i : members) set[i] = 1;
  std::vector<char> all = set;
  groups_.emplace_back(program, structure, std::move(set), std::move(all), trips, -1, 0);
}

StreamWalker::~StreamWalker() = default;
StreamWalker::StreamWalker(StreamWalker&&) noexcept = default;

const int64_t* StreamWalker::counters() const { return current_->counters(); }

int64_t StreamWalker::tensor_instance(TensorId tensor) const {
  return current_->tensor_instance(tensor);
}

bool StreamWalker::next() {
  if (current_ != nullptr) current_->advance();
  current_ = nullptr;
  if (groups_.size() == 1) {
    if (!groups_[0].done()) current_ = &groups_[0];
  } else {
    for (Group& g : groups_) {
      if (g.done()) continue;
      g.make_key();
      if (current_ == nullptr || g.key() < current_->key()) current_ = &g;
    }
  }
  if (current_ == nullptr) return false;
  item_ = current_->item();
  if (item_.kind == StreamItem::Kind::Instruction) {
    current_->needs(needs_);
  } else {
    needs_.clear();
  }
  return true;
}

}  // namespace trainyard::isa
