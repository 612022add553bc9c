// The HTML report of a plan.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "cluster/report/charts.h"
#include "cluster/report/html.h"
#include "cluster/report/svg.h"
#include "tools/knob_meaning.h"
#include "tools/plan_screen.h"
#include "tools/quantities.h"

namespace trainyard::tools {

using namespace cluster;

namespace {

std::vector<std::string> labels(const PlanQuestion& q) {
  std::vector<std::string> out;
  for (const Offer& offer : q.offers) out.push_back(offer.label);
  return out;
}

std::string plans_table(const PlanReport& r) {
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](const Plan& p) {
    rows.push_back({r.question.offers[p.offer].label, fmt::format("{}", p.nodes), text(p.layout),
                    fmt::format("{:.1f} %", 100 * p.step.mfu), fmt::format("{:.1f}", p.wall_h / 24),
                    p.usd > 0 ? "$" + short_count(p.usd) : "no price",
                    p.usd > 0 ? fmt::format("${:.3f}", p.usd_per_mtoken) : "",
                    p.late   ? "late"
                    : p.dear ? "over budget"
                             : ""});
  };
  add(r.answer.best.front());
  for (size_t i = 0; i < r.by_offer.size(); ++i) {
    if (r.by_offer[i] && i != r.answer.best.front().offer) add(*r.by_offer[i]);
  }
  for (size_t i = 1; i < r.answer.best.size() && rows.size() < 10; ++i) {
    if (r.answer.best[i].offer == r.answer.best.front().offer) add(r.answer.best[i]);
  }
  return html_table({"machine", "nodes", "layout", "MFU", "days", "cost", "per M tokens", ""},
                    rows);
}

std::string cost_against_time(const PlanReport& r) {
  std::vector<Dot> dots;
  const auto add = [&](const Plan& p, bool front) {
    if (p.usd <= 0) return;
    dots.push_back(
        {p.wall_h / 24, p.usd,
         fmt::format("{} x {}, {}: {:.1f} days, ${}", p.nodes, r.question.offers[p.offer].label,
                     text(p.layout), p.wall_h / 24, short_count(p.usd)),
         static_cast<int>(p.offer), front});
  };
  for (const Plan& p : r.answer.best) add(p, false);
  for (const Plan& p : r.answer.front) add(p, true);
  return scatter_chart(dots, labels(r.question), {"days", "USD", true, true});
}

std::string scaling(const PlanReport& r) {
  std::vector<Series> series;
  for (size_t i = 0; i < r.question.offers.size(); ++i) {
    std::map<int64_t, double> best;
    for (const Plan& p : r.answer.best) {
      if (p.offer != i) continue;
      const double each = p.step.tokens_per_s / static_cast<double>(p.chips);
      best[p.chips] = std::max(best[p.chips], each);
    }
    Series s{.name = r.question.offers[i].label, .x = {}, .y = {}};
    for (const auto& [chips, rate] : best) {
      s.x.push_back(static_cast<double>(chips));
      s.y.push_back(rate);
    }
    series.push_back(std::move(s));
  }
  return line_chart(series, {"chips", "tokens/s of one chip", true, false});
}

std::string memory_bars(const PlanReport& r) {
  std::vector<StackedBar> bars;
  for (size_t i = 0; i < r.by_offer.size(); ++i) {
    if (!r.by_offer[i]) continue;
    StackedBar bar{r.question.offers[i].label, {}};
    const auto kinds = by_kind(r.by_offer[i]->step.memory);
    const double hbm = step_model(r.question, i, r.by_offer[i]->nodes).memory_rules().hbm;
    for (int k = 0; k < kMemoryKinds; ++k) {
      bar.shares.push_back(
          {std::string(memory_kind(k)), 100 * kinds[static_cast<size_t>(k)] / hbm});
    }
    bars.push_back(std::move(bar));
  }
  return stacked_chart(bars, "%", 100, "all of it");
}

std::string part_bars(const PlanReport& r) {
  std::vector<StackedBar> bars;
  for (size_t i = 0; i < r.by_offer.size(); ++i) {
    if (!r.by_offer[i]) continue;
    const Step& step = r.by_offer[i]->step;
    StackedBar bar{r.question.offers[i].label, {}};
    const auto parts = by_part(step.parts);
    for (int k = 0; k < kStepParts; ++k) {
      bar.shares.push_back(
          {std::string(step_part(k)), 100 * parts[static_cast<size_t>(k)] / step.total});
    }
    bars.push_back(std::move(bar));
  }
  return stacked_chart(bars, "%", 0, "");
}

std::string sensitivity(const PlanReport& r) {
  const Plan& best = r.answer.best.front();
  std::vector<TornadoBar> bars;
  for (size_t i = 0; i < std::min<size_t>(14, r.swings.size()); ++i) {
    const Swing& s = r.swings[i];
    const bool cost = best.usd > 0;
    const double base = cost ? best.usd : best.wall_h;
    bars.push_back({s.knob, fmt::format("{} {}", tick_text(s.low), s.unit),
                    fmt::format("{} {}", tick_text(s.high), s.unit),
                    (cost ? s.usd_low : s.wall_h_low) / base - 1,
                    (cost ? s.usd_high : s.wall_h_high) / base - 1});
  }
  if (bars.empty()) return "";
  std::vector<std::vector<std::string>> meanings;
  for (const TornadoBar& bar : bars) meanings.push_back({bar.name, knob_meaning(bar.name)});
  return tornado_chart(bars) + html_table({"unknown", "meaning"}, meanings);
}

std::string checkpoints(const PlanReport& r) {
  Series s{.name = "goodput in %", .x = {}, .y = {}, .points = false};
  Series here{.name = "this plan",
              .x = {r.answer.best.front().interval_s / 60},
              .y = {100 * r.answer.best.front().goodput}};
  for (double minutes = 1; minutes < 24 * 60; minutes *= 1.3) {
    s.x.push_back(minutes);
    s.y.push_back(100 * goodput(r.faults, 60 * minutes));
  }
  return line_chart({s, here}, {"minutes between checkpoints", "goodput in %", true, false, true});
}

std::string prices_table(const PlanReport& r) {
  std::vector<std::vector<std::string>> rows;
  for (const Offer& offer : r.question.offers) {
    if (!offer.price) {
      rows.push_back({offer.label, "none is public", "", "", "", ""});
      continue;
    }
    const hw::Price& row = offer.price->row;
    rows.push_back({offer.label, fmt::format("${:.4g}", offer.price->middle),
                    fmt::format("${:.3g}", offer.price->middle /
                                               static_cast<double>(unit_chips(offer.system))),
                    fmt::format("{} {}", hw::name(row.market), row.region), std::string(row.date),
                    std::string(row.source)});
  }
  return html_table({"machine", "per unit-hour", "per chip-hour", "market", "date", "source"},
                    rows);
}

}  // namespace

std::string plan_report(const PlanReport& r) {
  const PlanQuestion& q = r.question;
  const Plan& best = r.answer.best.front();
  Page page{
      .title = fmt::format("Training {} on {} tokens", q.model.name, short_count(q.tokens)),
      .subtitle = fmt::format("Best of {} legal layouts: {} x {}, {}; steps of {} x {} tokens",
                              r.answer.considered, best.nodes, q.offers[best.offer].label,
                              text(best.layout), q.global_batch, q.seq_len)};
  page.figures = {
      {fmt::format("{:.1f}", best.wall_h / 24),
       fmt::format("days ({:.1f} to {:.1f})", best.wall_h / 24 / r.band.high,
                   best.wall_h / 24 / r.band.low)},
      {best.usd > 0 ? "$" + short_count(best.usd) : "no price", "for the run"},
      {best.usd > 0 ? fmt::format("${:.3f}", best.usd_per_mtoken) : "-", "per million tokens"},
      {fmt::format("{:.1f} %", 100 * best.step.mfu), "MFU, listed peak"},
      {fmt::format("{:.1f} %", 100 * best.goodput), "goodput"}};
  if (q.deadline_h > 0) {
    page.figures.push_back({fmt::format("{:.0f} %", 100 * r.odds.miss),
                            fmt::format("odds to miss {:.3g} days", q.deadline_h / 24)});
  }
  page.sections = {
      {"Plans", "The best plan, the best of each other machine, and the runners-up.",
       plans_table(r)},
      {"Cost against time", "Large dots: nobody is both faster and cheaper.", cost_against_time(r)},
      {"Scaling", "The best layout of each size. A level line is perfect scaling.", scaling(r)},
      {"Where the time goes", "The best plan of each machine, in % of its step.", part_bars(r)},
      {"Memory", "The best plan of each machine, in % of the memory of a rank.", memory_bars(r)},
      {"Sensitivity",
       "Change of the cost (of the time, without a price) over the likely range of each unknown.",
       sensitivity(r)},
      {"Checkpoints and faults",
       fmt::format(
           "One fault in {:.0f} hours; {:.1f} interruptions; {:.1f} to {:.1f} days in eight of "
           "ten simulated runs.",
           r.faults.lambda() > 0 ? 1 / r.faults.lambda() / 3600 : 0.0, r.odds.interruptions,
           r.odds.p10_s / 86400, r.odds.p90_s / 86400),
       checkpoints(r)},
      {"Prices", "With the date on which they were seen.", prices_table(r)}};
  page.footer =
      "Trust: assumed. Constants are calibrated on published runs (docs/cluster/step-model.md).\n"
      "Not modelled: engineering time, queues for capacity, the data loader.";
  return html(page);
}

}  // namespace trainyard::tools
