// Hot code. An all-reduce over 8,192 chips with jitter is 4.8 million flows.
//
// The shape of the data. Flows, their uses of resources and the actors are arrays of indices, fixed
// when the plan is made; a run touches only small arrays beside them (Active, Resource). A flow
// uses three to six resources; a resource has one to some thirty flows at a time.
//
// The law. At each resource every flow gets capacity * share / (sum of share * cost); its rate is
// the least of what its resources give. What a flow cannot use there is not given to others. Full
// max-min fairness would redistribute it, but then one event reaches through the whole graph; with
// this law it reaches only the flows on the same resources. Where flows are equal, as in the steps
// of a collective, a step never takes longer than its busiest resource under either law.
//
// What is saved. A flow that joins can only lower others: just those above the new fair rate are
// touched. One that leaves can raise only those that this resource held back (`tightest`). An end
// that moves later keeps its old place in the queue and is moved when it comes up; only one that
// moves earlier is queued again. The run above took 5.0 s so; 5.4 s without the first, 5.9 s
// without the second, 6.9 s without the third, 20.5 s without all three. A heap of four branches
// instead of two took as long (5.1 s).
//
// bench/cluster_bench.cc guards it.
#include "cluster/net/flow_engine.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace trainyard::cluster {
namespace {

constexpr uint32_t kBegin = 0;

uint64_t mixed(uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ULL;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebULL;
  return x ^ x >> 31;
}

// About normal: the sum of four uniform numbers, scaled to variance 1.
double deviate(uint64_t seed, uint64_t what) {
  const uint64_t bits = mixed(seed ^ mixed(what + 0x9e3779b97f4a7c15ULL));
  double sum = 0;
  for (int i = 0; i < 4; ++i) sum += static_cast<double>(bits >> (16 * i) & 0xffff);
  return (sum / 65535 - 2) * std::sqrt(3.0);
}

}  // namespace

FlowEngine::FlowEngine(const FlowPlan& plan)
    : plan_(plan),
      flow_of_use_(plan.uses.size()),
      actor_of_flow_(plan.flows.size()),
      initial_waits_(static_cast<size_t>(plan.actors) * (plan.steps + 1), 1),
      active_(plan.flows.size()),
      place_(plan.uses.size()),
      resources_(plan.capacity.size()) {
  // Waits: to have entered the step before, its own flows of that step, and those to it.
  const uint32_t stride = plan.steps + 1;
  for (uint32_t a = 0; a < plan.actors; ++a) {
    for (uint32_t s = 0; s < plan.steps; ++s) {
      const uint32_t first = plan.first_flow[a * plan.steps + s];
      const uint32_t last = plan.first_flow[a * plan.steps + s + 1];
      initial_waits_[a * stride + s + 1] += last - first;
      for (uint32_t f = first; f < last; ++f) {
        actor_of_flow_[f] = a;
        const FlowPlan::Flow& flow = plan.flows[f];
        if (flow.to != kNobody) ++initial_waits_[flow.to * stride + s + 1];
        if (flow.to_too != kNobody) ++initial_waits_[flow.to_too * stride + s + 1];
        for (uint32_t u = 0; u < flow.use_count; ++u) flow_of_use_[flow.first_use + u] = f;
      }
    }
  }
  first_after_.assign(plan.actors + 1, 0);
  for (const FlowPlan::Order& order : plan.orders) {
    ++first_after_[order.before + 1];
    ++initial_waits_[order.after * stride];
  }
  for (uint32_t a = 0; a < plan.actors; ++a) first_after_[a + 1] += first_after_[a];
  after_.resize(plan.orders.size());
  std::vector<uint32_t> next = first_after_;
  for (const FlowPlan::Order& order : plan.orders) after_[next[order.before]++] = order.after;
}

void FlowEngine::reset(const FlowRun& run) {
  run_ = run;
  waits_ = initial_waits_;
  step_.assign(plan_.actors, kNobody);
  sent_.assign(plan_.actors, kNobody);
  at_ns_.assign(plan_.actors, 0);
  end_ns_.assign(plan_.actors, kNever);
  queue_.clear();
  for (size_t r = 0; r < resources_.size(); ++r) {
    const double factor = run.capacity_factor.empty() ? 1 : run.capacity_factor[r];
    resources_[r].capacity = plan_.capacity[r] * factor;
    resources_[r].load = 0;
    resources_[r].users.clear();
  }
}

std::span<const double> FlowEngine::run(const FlowRun& run) {
  reset(run);
  const uint32_t stride = plan_.steps + 1;
  for (uint32_t a = 0; a < plan_.actors; ++a) {
    release(a * stride, run.start_ns.empty() ? 0 : run.start_ns[a]);
  }
  while (!queue_.empty()) {
    const Event event = pop();
    if (event.stamp == kBegin) {
      begin(event.flow, event.time);
      continue;
    }
    Active& active = active_[event.flow];
    if (event.stamp != active.stamp) continue;
    if (active.end > event.time) {
      active.queued = active.end;
      push({active.end, event.flow, active.stamp});
      continue;
    }
    finish(event.flow, event.time);
  }
  return end_ns_;
}

// One thing less to wait for before a step.
void FlowEngine::release(uint32_t actor_step, double now) {
  const uint32_t actor = actor_step / (plan_.steps + 1);
  at_ns_[actor] = std::max(at_ns_[actor], now);
  if (--waits_[actor_step] == 0) enter(actor, at_ns_[actor]);
}

void FlowEngine::enter(uint32_t actor, double now) {
  const uint32_t stride = plan_.steps + 1;
  const uint32_t step = ++step_[actor];
  if (step == plan_.steps) {
    end_ns_[actor] = now;
    for (uint32_t i = first_after_[actor]; i < first_after_[actor + 1]; ++i) {
      release(after_[i] * stride, now);
    }
    return;
  }
  if (!run_.dead.empty() && run_.dead[actor] != 0) return;
  sent_[actor] = step;
  const uint32_t first = plan_.first_flow[actor * plan_.steps + step];
  const uint32_t last = plan_.first_flow[actor * plan_.steps + step + 1];
  double factor = 1;
  if (run_.jitter != nullptr && first < last) {
    const uint64_t what = static_cast<uint64_t>(actor) << 32 | step;
    factor = std::max(0.0, 1 + run_.jitter->sigma * deviate(run_.jitter->seed, what));
  }
  for (uint32_t f = first; f < last; ++f) {
    push({now + static_cast<double>(plan_.flows[f].latency_ns) * factor, f, kBegin});
  }
  release(actor * stride + step + 1, now);
}

void FlowEngine::begin(uint32_t f, double now) {
  const FlowPlan::Flow& flow = plan_.flows[f];
  Active& active = active_[f];
  active = {.left = flow.bytes, .since = now, .queued = kNever, .limit = kNever, .stamp = kBegin};
  for (uint32_t u = flow.first_use; u < flow.first_use + flow.use_count; ++u) {
    const FlowPlan::Use& use = plan_.uses[u];
    Resource& resource = resources_[use.resource];
    place_[u] = static_cast<uint32_t>(resource.users.size());
    resource.users.push_back(u);
    resource.load += static_cast<double>(use.cost) * static_cast<double>(flow.share);
    resource.fair = resource.capacity / resource.load;
    if (resource.fair < active.limit) {
      active.limit = resource.fair;
      active.tightest = use.resource;
    }
  }
  for (uint32_t u = flow.first_use; u < flow.first_use + flow.use_count; ++u) {
    lower(plan_.uses[u].resource, now);
  }
  set_rate(f, now);
}

void FlowEngine::finish(uint32_t f, double now) {
  const FlowPlan::Flow& flow = plan_.flows[f];
  active_[f].stamp = kBegin;
  for (uint32_t u = flow.first_use; u < flow.first_use + flow.use_count; ++u) {
    const FlowPlan::Use& use = plan_.uses[u];
    Resource& resource = resources_[use.resource];
    const uint32_t last = resource.users.back();
    resource.users[place_[u]] = last;
    place_[last] = place_[u];
    resource.users.pop_back();
    // From scratch when it is empty, so that rounding does not pile up.
    resource.load -= static_cast<double>(use.cost) * static_cast<double>(flow.share);
    if (resource.users.empty()) resource.load = 0;
    resource.fair = resource.users.empty() ? kNever : resource.capacity / resource.load;
  }
  for (uint32_t u = flow.first_use; u < flow.first_use + flow.use_count; ++u) {
    raise(plan_.uses[u].resource, now);
  }
  const uint32_t stride = plan_.steps + 1, actor = actor_of_flow_[f];
  const uint32_t next = step_[actor] + 1;  // a flow ends in the step in which it began
  if (flow.to != kNobody) release(flow.to * stride + next, now);
  if (flow.to_too != kNobody) release(flow.to_too * stride + next, now);
  release(actor * stride + next, now);
}

// A flow has joined: those that had more than the new fair rate now have that.
void FlowEngine::lower(uint32_t r, double now) {
  const Resource& resource = resources_[r];
  for (const uint32_t user : resource.users) {
    const uint32_t f = flow_of_use_[user];
    Active& active = active_[f];
    if (active.stamp == kBegin || active.limit <= resource.fair) continue;
    active.limit = resource.fair;
    active.tightest = r;
    set_rate(f, now);
  }
}

// A flow has left: those that this resource held back may have more.
void FlowEngine::raise(uint32_t r, double now) {
  const Resource& resource = resources_[r];
  for (const uint32_t user : resource.users) {
    const uint32_t f = flow_of_use_[user];
    Active& active = active_[f];
    if (active.tightest != r) continue;
    const FlowPlan::Flow& flow = plan_.flows[f];
    active.limit = kNever;
    for (uint32_t u = flow.first_use; u < flow.first_use + flow.use_count; ++u) {
      const uint32_t other = plan_.uses[u].resource;
      if (resources_[other].fair >= active.limit) continue;
      active.limit = resources_[other].fair;
      active.tightest = other;
    }
    set_rate(f, now);
  }
}

void FlowEngine::set_rate(uint32_t f, double now) {
  Active& active = active_[f];
  active.left -= active.rate * (now - active.since);
  active.since = now;
  active.rate = active.limit * static_cast<double>(plan_.flows[f].share);
  active.end = now + std::max(0.0, active.left) / active.rate;
  if (active.stamp != kBegin && active.end >= active.queued) return;  // moved when it comes up
  active.stamp = std::max(active.stamp + 1, kBegin + 1);
  active.queued = active.end;
  push({active.end, f, active.stamp});
}

std::vector<uint32_t> FlowEngine::culprits() const {
  std::vector<uint32_t> found;
  for (uint32_t a = 0; a < plan_.actors; ++a) {
    const bool entered = step_[a] != kNobody && step_[a] < plan_.steps;
    if (entered && sent_[a] != step_[a]) found.push_back(a);
  }
  return found;
}

void FlowEngine::push(const Event& event) {
  queue_.push_back(event);
  size_t at = queue_.size() - 1;
  while (at > 0) {
    const size_t up = (at - 1) / 2;
    if (queue_[up].time < event.time ||
        (queue_[up].time == event.time && queue_[up].flow <= event.flow)) {
      break;
    }
    queue_[at] = queue_[up];
    at = up;
  }
  queue_[at] = event;
}

FlowEngine::Event FlowEngine::pop() {
  const Event top = queue_.front();
  const Event last = queue_.back();
  queue_.pop_back();
  const size_t n = queue_.size();
  size_t at = 0;
  while (n > 0) {
    size_t down = 2 * at + 1;
    if (down >= n) break;
    const auto before = [&](const Event& a, const Event& b) {
      return a.time < b.time || (a.time == b.time && a.flow < b.flow);
    };
    if (down + 1 < n && before(queue_[down + 1], queue_[down])) ++down;
    if (!before(queue_[down], last)) break;
    queue_[at] = queue_[down];
    at = down;
  }
  if (n > 0) queue_[at] = last;
  return top;
}

}  // namespace trainyard::cluster
