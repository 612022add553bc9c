// The event simulation against a slow one that computes every rate again at every event.
#include "cluster/net/flow_engine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace trainyard::cluster {
namespace {

// The law of flow_engine.h, without queue, stamps or remembered rates.
class SlowEngine {
 public:
  SlowEngine(const FlowPlan& plan, const FlowRun& run) : plan_(plan), run_(run) {
    state_.resize(plan.flows.size());
    step_.assign(plan.actors, -1);
    end_.assign(plan.actors, kNever);
  }

  std::vector<double> run() {
    while (true) {
      enter_all();
      const std::vector<double> rate = rates();
      double next = kNever;
      for (size_t f = 0; f < state_.size(); ++f) {
        if (state_[f].phase == Waiting) next = std::min(next, state_[f].starts);
        if (state_[f].phase == Moving) next = std::min(next, now_ + state_[f].left / rate[f]);
      }
      for (const double start : run_.start_ns) {
        if (start > now_) next = std::min(next, start);
      }
      if (next == kNever) return end_;
      advance(next, rate);
    }
  }

 private:
  enum Phase { Idle, Waiting, Moving, Done };
  struct State {
    Phase phase = Idle;
    double starts = 0, left = 0;
  };

  uint32_t first(uint32_t actor, int32_t step) const {
    return plan_.first_flow[actor * plan_.steps + static_cast<uint32_t>(step)];
  }
  bool is_over(uint32_t f) const { return state_[f].phase == Done; }

  // Everything that an actor sends and hears in its step has arrived.
  bool may_leave(uint32_t actor) const {
    const int32_t step = step_[actor];
    for (uint32_t a = 0; a < plan_.actors; ++a) {
      for (uint32_t f = first(a, step); f < first(a, step + 1); ++f) {
        const FlowPlan::Flow& flow = plan_.flows[f];
        const bool mine = a == actor || flow.to == actor || flow.to_too == actor;
        if (mine && !is_over(f)) return false;
      }
    }
    return true;
  }

  bool may_start(uint32_t actor) const {
    if (!run_.start_ns.empty() && run_.start_ns[actor] > now_) return false;
    return std::ranges::all_of(plan_.orders, [&](const FlowPlan::Order& order) {
      return order.after != actor || end_[order.before] <= now_;
    });
  }

  void enter_all() {
    for (bool again = true; again;) {
      again = false;
      for (uint32_t a = 0; a < plan_.actors; ++a) {
        if (step_[a] == static_cast<int32_t>(plan_.steps)) continue;
        if (step_[a] < 0 ? !may_start(a) : !may_leave(a)) continue;
        again = true;
        ++step_[a];
        if (step_[a] == static_cast<int32_t>(plan_.steps)) {
          end_[a] = now_;
          continue;
        }
        for (uint32_t f = first(a, step_[a]); f < first(a, step_[a] + 1); ++f) {
          state_[f] = {Waiting, now_ + static_cast<double>(plan_.flows[f].latency_ns),
                       plan_.flows[f].bytes};
        }
      }
    }
  }

  std::vector<double> rates() const {
    std::vector<double> load(plan_.capacity.size());
    const auto for_uses = [&](uint32_t f, auto&& visit) {
      const FlowPlan::Flow& flow = plan_.flows[f];
      for (uint32_t u = 0; u < flow.use_count; ++u) visit(plan_.uses[flow.first_use + u], flow);
    };
    for (uint32_t f = 0; f < state_.size(); ++f) {
      if (state_[f].phase != Moving) continue;
      for_uses(f, [&](const FlowPlan::Use& use, const FlowPlan::Flow& flow) {
        load[use.resource] += static_cast<double>(use.cost) * static_cast<double>(flow.share);
      });
    }
    std::vector<double> rate(state_.size(), kNever);
    for (uint32_t f = 0; f < state_.size(); ++f) {
      for_uses(f, [&](const FlowPlan::Use& use, const FlowPlan::Flow& flow) {
        const double factor = run_.capacity_factor.empty() ? 1 : run_.capacity_factor[use.resource];
        const double share = static_cast<double>(flow.share);
        rate[f] =
            std::min(rate[f], plan_.capacity[use.resource] * factor * share / load[use.resource]);
      });
    }
    return rate;
  }

  void advance(double next, const std::vector<double>& rate) {
    for (size_t f = 0; f < state_.size(); ++f) {
      State& s = state_[f];
      if (s.phase == Moving) {
        s.left -= rate[f] * (next - now_);
        if (s.left <= 1e-9 * plan_.flows[f].bytes) s.phase = Done;
      } else if (s.phase == Waiting && s.starts <= next) {
        s.phase = Moving;
      }
    }
    now_ = next;
  }

  const FlowPlan& plan_;
  const FlowRun& run_;
  double now_ = 0;
  std::vector<State> state_;
  std::vector<int32_t> step_;
  std::vector<double> end_;
};

FlowPlan random_plan(std::mt19937& random) {
  const auto any = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  FlowPlan plan;
  plan.actors = 2 + any(7);
  plan.steps = 1 + any(4);
  for (uint32_t r = 0; r < 5; ++r) plan.capacity.push_back(5 + any(50));
  for (uint32_t a = 0; a < plan.actors; ++a) {
    for (uint32_t s = 0; s < plan.steps; ++s) {
      plan.first_flow.push_back(static_cast<uint32_t>(plan.flows.size()));
      for (uint32_t count = any(4); count > 0; --count) {
        FlowPlan::Flow flow;
        flow.bytes = 1 + any(1000);
        flow.latency_ns = static_cast<float>(any(3) == 0 ? 0 : any(40));
        flow.share = static_cast<float>(1U << (2 * any(3)));
        flow.first_use = static_cast<uint32_t>(plan.uses.size());
        const uint32_t start = any(5);
        flow.use_count = 1 + any(3);
        for (uint32_t u = 0; u < flow.use_count; ++u) {
          plan.uses.push_back({(start + u) % 5, static_cast<float>(1 + any(3))});
        }
        if (any(3) > 0) flow.to = (a + 1 + any(plan.actors - 1)) % plan.actors;
        if (flow.to != kNobody && any(4) == 0) {
          const uint32_t too = any(plan.actors);
          if (too != a && too != flow.to) flow.to_too = too;
        }
        plan.flows.push_back(flow);
      }
    }
  }
  plan.first_flow.push_back(static_cast<uint32_t>(plan.flows.size()));
  return plan;
}

TEST(FlowEngine, AgreesWithTheLawComputedAnewAtEveryEvent) {
  std::mt19937 random(7);
  for (int i = 0; i < 400; ++i) {
    const FlowPlan plan = random_plan(random);
    std::vector<double> start, factor;
    for (uint32_t a = 0; a < plan.actors && i % 2 == 1; ++a) {
      start.push_back(static_cast<double>(random() % 60));
    }
    for (size_t r = 0; r < plan.capacity.size() && i % 3 == 1; ++r) {
      factor.push_back(random() % 2 == 0 ? 1 : 0.5);
    }
    const FlowRun run{.start_ns = start, .capacity_factor = factor};
    FlowEngine engine(plan);
    const auto fast = engine.run(run);
    const std::vector<double> slow = SlowEngine(plan, run).run();
    for (uint32_t a = 0; a < plan.actors; ++a) {
      EXPECT_NEAR(fast[a], slow[a], 1e-6 * (1 + slow[a])) << "plan " << i << " actor " << a;
    }
  }
}

TEST(FlowEngine, ASecondRunOfAPlanIsThatOfANewEngine) {
  std::mt19937 random(8);
  for (int i = 0; i < 50; ++i) {
    const FlowPlan plan = random_plan(random);
    FlowEngine used(plan), fresh(plan);
    const std::vector<double> half(plan.capacity.size(), 0.5);
    used.run({.capacity_factor = half});
    const auto again = used.run({});
    const auto once = fresh.run({});
    EXPECT_TRUE(std::ranges::equal(again, once)) << i;
  }
}

TEST(FlowEngine, NobodyEndsEarlierThanItsBytesAllow) {
  std::mt19937 random(9);
  for (int i = 0; i < 200; ++i) {
    const FlowPlan plan = random_plan(random);
    FlowEngine engine(plan);
    const auto end = engine.run({});
    const double last = *std::ranges::max_element(end);
    std::vector<double> busy(plan.capacity.size());
    for (const FlowPlan::Flow& flow : plan.flows) {
      for (uint32_t u = flow.first_use; u < flow.first_use + flow.use_count; ++u) {
        const FlowPlan::Use& use = plan.uses[u];
        busy[use.resource] += flow.bytes * static_cast<double>(use.cost);
      }
    }
    for (size_t r = 0; r < busy.size(); ++r) {
      EXPECT_GE(last * plan.capacity[r], busy[r] * (1 - 1e-9)) << "plan " << i;
    }
  }
}

}  // namespace
}  // namespace trainyard::cluster
