#include <fmt/format.h>

#include <memory>

#include "tools/command.h"
#include "tools/plan_options.h"
#include "tools/plan_screen.h"
#include "tools/program_input.h"

namespace trainyard::tools {
namespace {

using namespace cluster;

struct Options {
  PlanOptions plan;
  std::string report;
  uint64_t seed = 1;
  bool json = false, compare = false;
};

Band band_of(const PlanQuestion& q, const Plan& plan) {
  const StepModel model = step_model(q, plan.offer, plan.nodes);
  return step_band(model.workload(), plan.layout, plan.batch, q.knobs);
}

PlanReport make_report(const PlanQuestion& q, PlanAnswer answer, uint64_t seed) {
  PlanReport r{.question = q, .answer = std::move(answer)};
  const Plan& best = r.answer.best.front();
  r.band = band_of(q, best);
  const StepModel model = step_model(q, best.offer, best.nodes);
  r.faults = fault_model(model.workload(), static_cast<double>(best.nodes), q.spot, q.save);
  r.odds = simulate_runs(r.faults, {.work_s = q.tokens / best.step.tokens_per_s,
                                    .rate_band = r.band.deviation,
                                    .deadline_s = q.deadline_h * 3600,
                                    .interval_s = best.interval_s,
                                    .seed = seed});
  r.swings = tornado(q, best);
  r.by_offer.resize(q.offers.size());
  r.offer_bands.resize(q.offers.size());
  for (const Plan& plan : r.answer.best) {
    if (r.by_offer[plan.offer]) continue;
    r.by_offer[plan.offer] = plan;
    r.offer_bands[plan.offer] = band_of(q, plan);
  }
  return r;
}

Result<int> plan(const Options& o) {
  const Result<PlanQuestion> question = read_question(o.plan);
  if (!question) return question.status();
  Result<PlanAnswer> answer = search_plans(*question);
  if (!answer) return answer.status();
  const PlanReport report = make_report(*question, std::move(*answer), o.seed);
  if (o.json) {
    fmt::print("{}\n", plan_json(report).dump(2));
  } else if (o.compare) {
    fmt::print("{}", compare_text(report));
  } else {
    fmt::print("{}", plan_text(report));
  }
  if (!o.report.empty()) TY_TRY(write_file(o.report, plan_report(report)));
  return 0;
}

}  // namespace

Run declare_plan(CLI::App& app) {
  const auto o = std::make_shared<Options>();
  add_plan_options(app, o->plan);
  app.add_option("--report", o->report, "Write an HTML report");
  app.add_option("--seed", o->seed, "Seed of the simulated runs")->capture_default_str();
  app.add_flag("--compare", o->compare, "Cost per million tokens on each machine");
  app.add_flag("--json", o->json, "Print JSON");
  return [o] { return plan(*o); };
}

}  // namespace trainyard::tools
