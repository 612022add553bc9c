#include "isa/stream/group.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace trainyard::isa {

StreamGroup::StreamGroup(const Program& program, const Structure& structure, InstSet members,
                         const InstSet& controlled, const TripRecord& trips, Ahead ahead)
    : program_(program),
      structure_(structure),
      trips_(trips),
      members_(std::move(members)),
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
      loop_histories_(program.loops.size()),
      producer_counters_(program.loops.size(), 0) {
  plan_edges();
  InstSet wanted = members_;
  for (const InstanceHistory& h : histories_) {
    if (h.walked) wanted[h.producer] = 1;
  }
  for (size_t i = 0; i < controlled.size(); ++i) {
    const Path& around = structure.around(static_cast<InstId>(i));
    const auto at_run_time = [&](const Enclosure& e) { return !is_repeat(program, e); };
    if (controlled[i] && std::any_of(around.begin(), around.end(), at_run_time)) wanted[i] = 1;
  }
  steps_ = flatten(program, wanted, controlled);
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

// ---- Edges -------------------------------------------------------------------------------------

void StreamGroup::plan_edges() {
  first_edge_.assign(program_.insts.size() + 1, 0);
  for (size_t i = 0; i < program_.insts.size(); ++i) {
    first_edge_[i] = static_cast<int>(edges_.size());
    if (!members_[i]) continue;
    const auto& after = program_.placement.insts[i].after;
    for (size_t e = 0; e < after.size(); ++e) {
      edges_.push_back(plan_edge(static_cast<InstId>(i), after[e]));
      edges_.back().edge = static_cast<int32_t>(e);
    }
  }
  first_edge_.back() = static_cast<int>(edges_.size());
}

EdgePlan StreamGroup::plan_edge(InstId waiter, const Edge& edge) {
  const Path& path = structure_.around(edge.producer);
  size_t inside = Structure::shared(structure_.around(waiter), path);
  if (edge.lag_loop >= 0) {
    const auto it =
        std::find(path.begin(), path.end(), Enclosure{Enclosure::Kind::Loop, edge.lag_loop});
    TY_CHECK(it != path.end());
    inside = static_cast<size_t>(it - path.begin()) + 1;
  }
  // Count over the innermost loop that encloses both; branch arms between it and here are walked.
  while (inside > 0 && path[inside - 1].kind != Enclosure::Kind::Loop) --inside;
  EdgePlan plan{.producer = edge.producer,
                .loop = inside > 0 ? path[inside - 1].id : -1,
                .inside = inside,
                .lag = edge.lag,
                .at = edge.at.empty() ? nullptr : &edge.at};
  plan.walked = inside > 0 && program_.loops[plan.loop].kind == Loop::Kind::While;
  for (size_t i = inside; i < path.size(); ++i) plan.walked |= !is_repeat(program_, path[i]);
  if (!plan.walked && count_is_constant(program_, path, inside)) {
    plan.per_turn = count_from(program_, path, inside, counters_);  // all zero at this time
  } else {
    plan.history = history(plan);
  }
  return plan;
}

int StreamGroup::history(const EdgePlan& plan) {
  const auto same = [&](const InstanceHistory& h) {
    return h.producer == plan.producer && h.loop == plan.loop;
  };
  auto it = std::find_if(histories_.begin(), histories_.end(), same);
  if (it == histories_.end()) {
    histories_.emplace_back(plan.producer, plan.loop, plan.inside, plan.walked);
    it = histories_.end() - 1;
  }
  it->reach(plan.lag);
  return static_cast<int>(it - histories_.begin());
}

void StreamGroup::needs(std::vector<Need>& out) const {
  out.clear();
  for (int i = first_edge_[item_.id]; i < first_edge_[item_.id + 1]; ++i) {
    const int64_t n = count(edges_[i]);
    if (n > 0) out.push_back({edges_[i].producer, n, least(edges_[i], n), edges_[i].edge});
  }
}

// Instances of the producer that must have completed.
int64_t StreamGroup::count(const EdgePlan& e) const {
  const int64_t turn = e.loop >= 0 ? turns_[e.loop] : 0;
  if (turn - e.lag < 0) return 0;
  if (e.at != nullptr) return up_to(e, e.lag + 1) + index(e) + 1;
  return up_to(e, e.lag);
}

// `at` may go back to the first instance of the iteration; everything else only grows.
int64_t StreamGroup::least(const EdgePlan& e, int64_t n) const {
  return e.at != nullptr ? std::min(n, up_to(e, e.lag + 1) + 1) : n;
}

// Instances up to the end of the iteration `lag` turns back.
int64_t StreamGroup::up_to(const EdgePlan& e, int64_t lag) const {
  if (e.per_turn >= 0) {
    const int64_t turn = e.loop >= 0 ? turns_[e.loop] : 0;
    return std::max<int64_t>(0, e.per_turn * (turn - lag + 1));
  }
  return histories_[e.history].up_to(lag, seen_[e.producer]);
}

// Position of the instance whose unshared counters are `at`, inside one iteration.
int64_t StreamGroup::index(const EdgePlan& e) const {
  const Path& path = structure_.around(e.producer);
  for (size_t i = 0; i < e.inside; ++i) {
    if (path[i].kind == Enclosure::Kind::Loop) {
      producer_counters_[path[i].id] = counters_[path[i].id];
    }
  }
  unshared_.clear();
  for (const Affine& a : *e.at) unshared_.push_back(a.value(counters_.data()));
  return count_before(program_, path, unshared_, producer_counters_);
}

// ---- The walk ----------------------------------------------------------------------------------

void StreamGroup::make_key() {
  key_.clear();
  for (const Level& level : levels_) {
    key_.push_back(level.position);
    if (level.loop < 0) continue;
    key_.push_back(counters_[level.loop] - (level.loop == ahead_.loop ? ahead_.distance : 0));
  }
  key_.push_back(position_);
}

int64_t StreamGroup::tensor_instance(TensorId tensor) const {
  const auto& around = structure_.around_tensor(tensor);
  if (around.empty()) return 0;
  const Enclosure& e = around.back();
  if (e.kind == Enclosure::Kind::Loop) return turns_[e.id];
  return arm_entries_[2 * e.id + (e.kind == Enclosure::Kind::Else)];
}

void StreamGroup::advance() {
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
        const bool entered = enter_loop(s);
        if (!s.control) break;
        position_ = entered ? -1 : s.position;
        item_ = {StreamItem::Kind::LoopEnter, s.id, entered_[s.id]++};
        return;
      }
      case Step::Kind::Exit:
        if (counters_[s.id] < limits_[s.id]) {
          ++at_;
          break;
        }
        levels_.pop_back();
        at_ = s.jump;
        break;
      case Step::Kind::LoopEnd:
        if (s.control && !turn_pending_) {
          turn_pending_ = true;
          position_ = INT64_MAX;
          item_ = {StreamItem::Kind::LoopTurn, s.id, turns_[s.id]};
          return;
        }
        turn_pending_ = false;
        turn_loop(s);
        break;
      case Step::Kind::BranchBegin:
        position_ = -1;
        enter_branch(s);
        if (!s.control) break;
        item_ = {StreamItem::Kind::BranchTest, s.id, tested_[s.id]++};
        return;
      case Step::Kind::ArmEnd:
        levels_.pop_back();
        at_ = s.jump;
        break;
    }
  }
}

void StreamGroup::begin_turn(InstanceHistory& history) {
  const Path& path = structure_.around(history.producer);
  const int64_t n = history.walked ? 0 : count_from(program_, path, history.inside, counters_);
  history.begin_turn(n, seen_[history.producer]);
}

void StreamGroup::begin_turn(LoopId loop) {
  ++turns_[loop];
  for (const int h : loop_histories_[loop]) begin_turn(histories_[h]);
}

bool StreamGroup::enter_loop(const Step& s) {
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

void StreamGroup::turn_loop(const Step& s) {
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

void StreamGroup::enter_branch(const Step& s) {
  const bool taken = branch_trips_[s.id].next(trips_.branches[s.id]) != 0;
  ++arm_entries_[2 * s.id + (taken ? 0 : 1)];
  levels_.push_back({s.position, -1});
  at_ = taken ? at_ + 1 : s.jump;
}

}  // namespace trainyard::isa
