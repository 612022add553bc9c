#include "sim/timing/dma_fabric.h"

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace trainyard::sim {

void DmaFabric::Line::pop_front() {
  constexpr size_t kWorthMoving = 1024;
  ++head_;
  if (empty()) {
    parts_.clear();
    head_ = 0;
  } else if (head_ >= kWorthMoving && 2 * head_ >= parts_.size()) {
    parts_.erase(parts_.begin(), parts_.begin() + static_cast<std::ptrdiff_t>(head_));
    head_ = 0;
  }
}

void DmaFabric::advance(Group& group, Ticks time) {
  const int64_t dt = (time - group.updated).value;
  group.updated = time;
  if (group.active == 0 || dt == 0) return;
  group.virtual_time += dt * (kShare / group.active);
  group.busy += Ticks(dt);
}

void DmaFabric::push(Group& group, int queue, Part part) {
  auto& line = group.waiting[queue];
  if (line.empty()) {
    group.finish[queue] = group.virtual_time + part.units;
    ++group.active;
  }
  line.push_back(part);
}

Ticks DmaFabric::group_next(const Group& group) const {
  if (group.active == 0) return kNever;
  int64_t left = INT64_MAX;
  for (int q = 0; q < kDmaQueues; ++q) {
    if (!group.waiting[q].empty()) left = std::min(left, group.finish[q] - group.virtual_time);
  }
  const int64_t rate = kShare / group.active;
  return group.updated + Ticks(left <= 0 ? 0 : (left + rate - 1) / rate);
}

void DmaFabric::find_next() {
  next_ = kNever;
  for (const Group& g : groups_) next_ = std::min(next_, group_next(g));
}

// Makes the groups fine enough that each sees one amount of work. Idle engines are alike again.
void DmaFabric::split(const TransferParts& parts) {
  if (idle() && groups_.size() > 1) {
    for (const Group& g : groups_) {
      for (int e = 0; e < kDmaEngines; ++e) {
        if (g.engines >> e & 1) busy_before_[e] += g.busy;
      }
    }
    const Ticks now = groups_[0].updated;
    groups_.assign(1, Group{.engines = (1u << kDmaEngines) - 1, .updated = now});
  }
  if (parts.uniform) return;
  for (size_t i = 0; i < groups_.size(); ++i) {
    const int first = std::countr_zero(groups_[i].engines);
    uint32_t same = 0;
    for (int e = 0; e < kDmaEngines; ++e) {
      if ((groups_[i].engines >> e & 1) && parts.work[e] == parts.work[first]) same |= 1u << e;
    }
    if (same == groups_[i].engines) continue;
    Group rest = groups_[i];
    rest.engines &= ~same;
    groups_[i].engines = same;
    groups_.push_back(std::move(rest));  // looked at in its turn
  }
}

void DmaFabric::start(int queue, const TransferParts& parts, Ticks time) {
  for (Group& g : groups_) advance(g, time);
  if (in_flight_ == 0) busy_since_ = time;
  split(parts);
  Open& open = open_[queue];
  const int64_t number = open.first + static_cast<int64_t>(open.engines.size());
  open.engines.push_back(kDmaEngines);
  ++in_flight_;
  for (Group& g : groups_) {
    const int64_t ticks = parts.work[std::countr_zero(g.engines)].value;
    push(g, queue, {number, ticks * kShare});
  }
  find_next();
}

void DmaFabric::step(std::vector<End>& ended) {
  const Ticks now = next_;
  TY_CHECK(now != kNever);
  for (Group& g : groups_) {
    advance(g, now);
    for (int q = 0; q < kDmaQueues; ++q) {
      auto& line = g.waiting[q];
      while (!line.empty() && g.finish[q] <= g.virtual_time) {
        Open& open = open_[q];
        int& left = open.engines[static_cast<size_t>(line.front().number - open.first)];
        line.pop_front();
        left -= std::popcount(g.engines);
        if (left == 0) {
          TY_CHECK(&left == &open.engines.front());
          open.engines.pop_front();
          ++open.first;
          ended.push_back({q, now});
          --in_flight_;
        }
        if (line.empty()) {
          --g.active;
        } else {
          g.finish[q] += line.front().units;  // in order: the next part begins where this one ended
        }
      }
    }
  }
  if (in_flight_ == 0) any_busy_ += now - busy_since_;
  find_next();
}

Ticks DmaFabric::busy(int engine) const {
  Ticks sum = busy_before_[engine];
  for (const Group& g : groups_) {
    if (g.engines >> engine & 1) sum += g.busy;
  }
  return sum;
}

}  // namespace trainyard::sim
