#include "cluster/plan/search.h"

#include <gtest/gtest.h>

#include <set>

#include "cluster/plan/sensitivity.h"
#include "cluster/training/job.h"
#include "cluster/training/model_list.h"

namespace trainyard::cluster {
namespace {

Offer offer(const char* name, Stack stack, double usd_per_hour) {
  Offer o{.system = *hw::find_system(name), .software = {.stack = stack}, .label = name};
  if (usd_per_hour > 0) {
    o.price = UnitPrice{usd_per_hour, usd_per_hour, usd_per_hour, hw::Price{.date = "2026-08"}};
  }
  return o;
}

PlanQuestion question() {
  PlanQuestion q;
  q.model = *find_model("llama3-8b");
  q.tokens = 1e12;
  q.global_batch = 512;
  q.offers = {offer("trn2.48xlarge", Stack::NeuronNxd, 35.76),
              offer("p5.48xlarge", Stack::Megatron, 55.04)};
  q.nodes_low = 1;
  q.nodes_high = 8;
  return q;
}

PlanAnswer answer_to(const PlanQuestion& q) {
  Result<PlanAnswer> answer = search_plans(q);
  EXPECT_TRUE(answer.ok()) << answer.status().str();
  return answer.ok() ? std::move(*answer) : PlanAnswer{};
}

TEST(Search, TheBestPlanIsTheCheapestThatMeetsTheDeadline) {
  PlanQuestion q = question();
  const Result<PlanAnswer> free = search_plans(q);
  ASSERT_TRUE(free.ok()) << free.status().str();
  for (const Plan& p : free->best) EXPECT_GE(p.usd, 0.998 * free->best.front().usd);
  q.deadline_h = 0.5 * free->best.front().wall_h;
  const Result<PlanAnswer> hurried = search_plans(q);
  ASSERT_TRUE(hurried.ok());
  EXPECT_LE(hurried->best.front().wall_h, q.deadline_h);
  EXPECT_GT(hurried->best.front().usd, free->best.front().usd);
  EXPECT_GT(hurried->best.front().nodes, free->best.front().nodes);
}

TEST(Search, OnTheFrontNobodyIsBothFasterAndCheaper) {
  const PlanAnswer answer = answer_to(question());
  ASSERT_GE(answer.front.size(), 2u);
  for (size_t i = 1; i < answer.front.size(); ++i) {
    EXPECT_GT(answer.front[i].wall_h, answer.front[i - 1].wall_h);
    EXPECT_LT(answer.front[i].usd, answer.front[i - 1].usd);
  }
  for (const Plan& p : answer.best) {
    for (const Plan& f : answer.front) {
      EXPECT_FALSE(p.wall_h < 0.999 * f.wall_h && p.usd < 0.999 * f.usd);
    }
  }
}

TEST(Search, EveryPlanIsLegalAndFits) {
  const PlanQuestion q = question();
  const PlanAnswer answer = answer_to(q);
  for (const Plan& p : answer.best) {
    const Result<Step> step = step_model(q, p.offer, p.nodes).step(p.layout, p.batch);
    ASSERT_TRUE(step.ok()) << step.status().str();
    EXPECT_DOUBLE_EQ(step->total, p.step.total);
    EXPECT_NEAR(p.usd, static_cast<double>(p.nodes) * p.wall_h * q.offers[p.offer].price->middle,
                1e-6 * p.usd);
  }
}

TEST(Search, APlanOverBudgetComesAfterThoseWithin) {
  PlanQuestion q = question();
  const double cheapest = answer_to(q).best.front().usd;
  q.budget_usd = 1.1 * cheapest;
  const PlanAnswer answer = answer_to(q);
  EXPECT_FALSE(answer.best.front().dear);
  EXPECT_TRUE(answer.best.back().dear);
}

TEST(Search, WithoutAPriceThereIsTimeButNoCost) {
  PlanQuestion q = question();
  q.offers = {offer("trn3-gen1-ultraserver", Stack::NeuronNxd, 0)};
  q.nodes_high = 2;
  const PlanAnswer answer = answer_to(q);
  EXPECT_GT(answer.best.front().wall_h, 0);
  EXPECT_EQ(answer.best.front().usd, 0);
  EXPECT_TRUE(answer.front.empty());
}

TEST(Search, JaxShardsAndNxdPipes) {
  PlanQuestion q = question();
  q.model = *find_model("llama3-70b");
  q.nodes_low = q.nodes_high = 16;
  q.offers = {offer("trn2.48xlarge", Stack::NeuronNxd, 35.76),
              offer("trn2.48xlarge", Stack::NeuronJax, 35.76)};
  std::set<int64_t> stages;
  const PlanAnswer answer = answer_to(q);
  for (const Plan& p : answer.best) {
    if (p.offer == 0) {
      EXPECT_NE(p.layout.sharding, Sharding::Fsdp);
      continue;
    }
    EXPECT_EQ(p.layout.pp, 1);
    EXPECT_EQ(p.layout.sharding, Sharding::Fsdp);
    EXPECT_GE(p.layout.recompute, Recompute::Partial);
  }
}

TEST(Search, SpotLosesTimeToLostNodes) {
  PlanQuestion q = question();
  const double calm = answer_to(q).best.front().goodput;
  q.spot = true;
  EXPECT_LT(answer_to(q).best.front().goodput, calm);
}

TEST(Search, QuestionsWithoutAnAnswerAreRefusedByCode) {
  const auto code = [](auto change) {
    PlanQuestion q = question();
    change(q);
    const Result<PlanAnswer> answer = search_plans(q);
    return answer.ok() ? std::string() : answer.status().code();
  };
  EXPECT_EQ(code([](PlanQuestion& q) { q.tokens = -1; }), "TY-PLAN-003");
  EXPECT_EQ(code([](PlanQuestion& q) { q.nodes_high = 0; }), "TY-PLAN-003");
  EXPECT_EQ(code([](PlanQuestion& q) { q.deadline_h = -1; }), "TY-PLAN-003");
  EXPECT_EQ(code([](PlanQuestion& q) { q.offers.clear(); }), "TY-PLAN-003");
  EXPECT_EQ(code([](PlanQuestion& q) { q.offers[0].price->low = -1; }), "TY-PLAN-003");
  EXPECT_EQ(code([](PlanQuestion& q) { q.global_batch = 0; }), "TY-PLAN-003");
  EXPECT_EQ(code([](PlanQuestion& q) {
              q.model = *find_model("llama3.1-405b");
              q.nodes_high = 1;
            }),
            "TY-PLAN-002");
  EXPECT_EQ(code([](PlanQuestion& q) {
              q.nodes_low = q.nodes_high = 7;
              q.global_batch = 13;
            }),
            "TY-PLAN-001");
}

TEST(Search, TheRunnerUpIsWorseForAReasonThatIsNamed) {
  const PlanAnswer answer = answer_to(question());
  ASSERT_GE(answer.best.size(), 2u);
  EXPECT_FALSE(why_worse(answer.best[0], answer.best[1]).empty());
  Plan late = answer.best[1];
  late.late = true;
  EXPECT_EQ(why_worse(answer.best[0], late), "misses the deadline");
}

TEST(Tornado, TheLargestEffectComesFirstAndThePriceIsAmongThem) {
  PlanQuestion q = question();
  UnitPrice& price = *q.offers[0].price;
  price.low = 0.5 * price.middle;
  price.high = 1.5 * price.middle;
  q.offers.resize(1);
  const Plan best = answer_to(q).best.front();
  const std::vector<Swing> swings = tornado(q, best);
  ASSERT_GE(swings.size(), 5u);
  EXPECT_TRUE(std::ranges::any_of(swings, [](const Swing& s) { return s.knob == "price"; }));
  EXPECT_TRUE(
      std::ranges::any_of(swings, [](const Swing& s) { return s.knob == "run.compute_sigma"; }));
  double before = 1e30;
  for (const Swing& s : swings) {
    if (!s.fits_low || !s.fits_high) continue;
    EXPECT_LE(s.effect(best), before);
    before = s.effect(best);
  }
}

TEST(Tornado, AMemoryThatMayNotSufficeIsNamed) {
  PlanQuestion q = question();
  q.offers.resize(1);
  const Plan best = answer_to(q).best.front();
  // A machine that leaves the plan no room at the low end of what may be filled.
  q.offers[0].system.accelerator.hbm_bytes.value =
      static_cast<int64_t>(best.step.memory.total() * 4 / 0.90);
  const std::vector<Swing> swings = tornado(q, best);
  const auto found =
      std::ranges::find_if(swings, [](const Swing& s) { return s.knob == "run.usable_hbm"; });
  ASSERT_NE(found, swings.end());
  EXPECT_FALSE(found->fits_low);
  EXPECT_TRUE(found->fits_high);
}

}  // namespace
}  // namespace trainyard::cluster
