#include "tools/plan_screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tools/quantities.h"

namespace trainyard::tools {

using namespace cluster;

namespace {

std::string money(double usd) { return usd > 0 ? "$" + short_count(usd) : "no price"; }

// The largest parts of a step, "compute 54 %, tensor parallel 15 %".
std::string parts_text(const Step& step, int most) {
  const auto parts = by_part(step.parts);
  std::vector<int> order(kStepParts);
  for (int i = 0; i < kStepParts; ++i) order[static_cast<size_t>(i)] = i;
  std::ranges::stable_sort(order, [&](int a, int b) {
    return parts[static_cast<size_t>(a)] > parts[static_cast<size_t>(b)];
  });
  std::string out;
  for (int i = 0; i < most; ++i) {
    const int part = order[static_cast<size_t>(i)];
    const double share = parts[static_cast<size_t>(part)] / step.total;
    if (share < 0.005) break;
    out += fmt::format("{}{} {:.0f} %", out.empty() ? "" : ", ", step_part(part), 100 * share);
  }
  return out;
}

std::string plan_line(const PlanReport& r, const Plan& p, const Band& band) {
  const StepModel model = step_model(r.question, p.offer, p.nodes);
  const std::string days = fmt::format("{:.1f} ({:.1f}-{:.1f})", p.wall_h / 24,
                                       p.wall_h / 24 / band.high, p.wall_h / 24 / band.low);
  const std::string memory = fmt::format("{:.0f} of {:.0f} GB", p.step.memory.total() / 1e9,
                                         model.memory_rules().hbm / 1e9);
  const std::string flags =
      fmt::format("{}{}", p.late ? " late" : "", p.dear ? " over budget" : "");
  return fmt::format(
      "{:<26}{:>5}{:>7}  {:<34.34}{:>3}  {:>12} {:>5.1f} % {:>18} {:>10} {:>8}  {}{}\n",
      r.question.offers[p.offer].label, p.nodes, p.chips, text(p.layout), p.batch.micro, memory,
      100 * p.step.mfu, days, money(p.usd),
      p.usd > 0 ? fmt::format("{:.3f}", p.usd_per_mtoken) : "-", parts_text(p.step, 1), flags);
}

std::string header() {
  return fmt::format("{:<26}{:>5}{:>7}  {:<34}{:>3}  {:>12} {:>7} {:>18} {:>10} {:>8}  {}\n",
                     "machine", "nodes", "chips", "layout", "mb", "memory", "MFU", "days (band)",
                     "cost", "$/Mtok", "bound by");
}

std::string prices_text(const PlanReport& r) {
  std::string out;
  std::string before;
  for (const Offer& offer : r.question.offers) {
    if (offer.system.name == before) continue;
    before = offer.system.name;
    if (!offer.price) {
      out += fmt::format("price     {}: none is public; give one with --price to see a cost\n",
                         offer.system.name);
      continue;
    }
    const hw::Price& row = offer.price->row;
    out += fmt::format(
        "price     {}: ${:.4g} per unit-hour ({:.4g}-{:.4g}), ${:.3g} per chip, {}{}{}, {} "
        "[{}{}]\n",
        offer.system.name, offer.price->middle, offer.price->low, offer.price->high,
        offer.price->middle / static_cast<double>(unit_chips(offer.system)), hw::name(row.market),
        row.region.empty() ? "" : " ", row.region, row.date, row.source,
        row.note.empty() ? "" : "; " + std::string(row.note));
  }
  return out;
}

std::string faults_text(const PlanReport& r, const Plan& best) {
  const FaultModel& f = r.faults;
  std::string out = fmt::format(
      "faults    one in {:.0f} h{}; checkpoint of {:.2f} TB each {:.0f} min (Young and Daly "
      "{:.0f}, "
      "search {:.0f}), goodput {:.1f} %\n",
      f.lambda() > 0 ? 1 / f.lambda() / 3600 : 0.0, r.question.spot ? " on spot" : "",
      checkpoint_bytes(step_model(r.question, best.offer, best.nodes).workload()) / 1e12,
      best.interval_s / 60, young_daly(f) / 60, best_interval(f) / 60, 100 * best.goodput);
  out += fmt::format("odds      {:.1f} to {:.1f} days in 8 runs of 10, {:.1f} interruptions",
                     r.odds.p10_s / 86400, r.odds.p90_s / 86400, r.odds.interruptions);
  if (r.question.deadline_h > 0) {
    out += fmt::format("; {:.0f} % miss the deadline of {:.3g} days", 100 * r.odds.miss,
                       r.question.deadline_h / 24);
  }
  return out + "\n";
}

std::string swings_text(const PlanReport& r, const Plan& best) {
  std::string out;
  for (size_t i = 0; i < std::min<size_t>(8, r.swings.size()); ++i) {
    const Swing& s = r.swings[i];
    const bool cost = best.usd > 0;
    const double base = cost ? best.usd : best.wall_h;
    const double low = cost ? s.usd_low : s.wall_h_low, high = cost ? s.usd_high : s.wall_h_high;
    std::string memory;
    if (!s.fits_low) memory = fmt::format("  does not fit at {:.4g}", s.low);
    if (!s.fits_high) memory = fmt::format("  does not fit at {:.4g}", s.high);
    out +=
        fmt::format("  {:<30} {:>9.4g} to {:<9.4g} {:<5} {:+6.1f} % to {:+.1f} %{}\n", s.knob,
                    s.low, s.high, s.unit, 100 * (low / base - 1), 100 * (high / base - 1), memory);
  }
  return out;
}

// At which price of `a` both cost the same.
double equal_price(const PlanReport& r, const Plan& a, const Plan& b) {
  const Offer& offer = r.question.offers[a.offer];
  return offer.price->middle / static_cast<double>(unit_chips(offer.system)) * b.usd_per_mtoken /
         a.usd_per_mtoken;
}

}  // namespace

std::string plan_text(const PlanReport& r) {
  const PlanQuestion& q = r.question;
  const Plan& best = r.answer.best.front();
  const double flops = q.tokens / static_cast<double>(q.seq_len) * model_flops(q.model, q.seq_len);
  std::string out = fmt::format(
      "{}: {} tokens, {:.3g} FLOP; steps of {} x {} tokens; {} layouts, {} too large\n\n",
      q.model.name, short_count(q.tokens), flops, q.global_batch, q.seq_len, r.answer.considered,
      r.answer.out_of_memory);
  out += header();
  out += plan_line(r, best, r.band);
  std::vector<const Plan*> shown = {&best};
  // The best of each other machine, then the runners-up.
  for (size_t i = 0; i < r.by_offer.size(); ++i) {
    if (!r.by_offer[i] || i == best.offer) continue;
    out += plan_line(r, *r.by_offer[i], r.offer_bands[i]);
  }
  const Plan* runner = nullptr;
  int more = 0;
  for (size_t i = 1; i < r.answer.best.size() && more < 4; ++i) {
    const Plan& p = r.answer.best[i];
    if (p.offer != best.offer) continue;
    if (runner == nullptr) runner = &p;
    out += plan_line(r, p, r.band);
    ++more;
  }
  out += "\n";
  if (best.late || best.dear) {
    const bool both = q.deadline_h > 0 && q.budget_usd > 0;
    out += fmt::format("missed    no plan meets the {}; the nearest is shown first\n",
                       both        ? "deadline and the budget"
                       : best.late ? "deadline"
                                   : "budget");
  }
  out += fmt::format("where     {}\n", parts_text(best.step, 4));
  if (runner != nullptr) {
    out += fmt::format("runner-up {} on {} nodes: {}\n", text(runner->layout), runner->nodes,
                       why_worse(best, *runner));
  }
  out +=
      fmt::format("band      rate {:+.0f} % to {:+.0f} %: nine of ten published runs lie inside\n",
                  100 * (r.band.low - 1), 100 * (r.band.high - 1));
  out += faults_text(r, best);
  out += prices_text(r);
  if (!r.answer.front.empty()) {
    out += "front     faster costs more:\n";
    for (const Plan& p : r.answer.front) {
      out += fmt::format("  {:>7.1f} days {:>10}  {} x {}, {}\n", p.wall_h / 24, money(p.usd),
                         p.nodes, q.offers[p.offer].label, text(p.layout));
    }
  }
  if (!r.swings.empty()) {
    out += fmt::format("sensitive {} over the likely range of each unknown:\n{}",
                       best.usd > 0 ? "cost" : "time", swings_text(r, best));
  }
  out += "not modelled  engineering time, queues for capacity, your data loader\n";
  return out;
}

std::string compare_text(const PlanReport& r) {
  std::string out = fmt::format(
      "cost per million tokens of {}\n{:<26}{:>5}{:>8}{:>10}{:>22}{:>14}\n", r.question.model.name,
      "machine", "nodes", "MFU", "$/Mtok", "by price low-high", "$/chip-hour");
  const Plan* best = nullptr;
  for (const auto& plan : r.by_offer) {
    if (!plan || plan->usd <= 0) continue;
    if (best == nullptr || plan->usd_per_mtoken < best->usd_per_mtoken) best = &*plan;
  }
  for (size_t i = 0; i < r.by_offer.size(); ++i) {
    const auto& plan = r.by_offer[i];
    const Offer& offer = r.question.offers[i];
    if (!plan) {
      out += fmt::format("{:<24}  nothing fits\n", offer.label);
      continue;
    }
    if (plan->usd <= 0) {
      out += fmt::format("{:<26}{:>5}{:>6.1f} %   no public price\n", offer.label, plan->nodes,
                         100 * plan->step.mfu);
      continue;
    }
    const double scale = plan->usd_per_mtoken / plan->usd;
    out += fmt::format("{:<26}{:>5}{:>6.1f} %{:>10.3f}{:>22}{:>14.3f}\n", offer.label, plan->nodes,
                       100 * plan->step.mfu, plan->usd_per_mtoken,
                       fmt::format("{:.3f}-{:.3f}", plan->usd_low * scale, plan->usd_high * scale),
                       offer.price->middle / static_cast<double>(unit_chips(offer.system)));
    if (plan->offer != best->offer) {
      out += fmt::format("{:<24}  equal to {} at ${:.3f} per chip-hour\n", "",
                         r.question.offers[best->offer].label, equal_price(r, *plan, *best));
    }
  }
  return out + prices_text(r);
}

nlohmann::ordered_json plan_json(const PlanReport& r) {
  using Json = nlohmann::ordered_json;
  const PlanQuestion& q = r.question;
  const auto one = [&](const Plan& p) {
    const Layout& l = p.layout;
    return Json{{"machine", q.offers[p.offer].system.name},
                {"software", name(q.offers[p.offer].software.stack)},
                {"nodes", p.nodes},
                {"chips", p.chips},
                {"tp", l.tp},
                {"pp", l.pp},
                {"vpp", l.vpp},
                {"cp", l.cp},
                {"ep", l.ep},
                {"dp", l.dp},
                {"sharding", name(l.sharding)},
                {"recompute", name(l.recompute)},
                {"micro_batch", p.batch.micro},
                {"step_time_s", p.step.total},
                {"tokens_per_s", p.step.tokens_per_s},
                {"mfu_pct", 100 * p.step.mfu},
                {"memory_bytes", p.step.memory.total()},
                {"goodput", p.goodput},
                {"days", p.wall_h / 24},
                {"usd", p.usd},
                {"usd_low", p.usd_low},
                {"usd_high", p.usd_high},
                {"usd_per_mtoken", p.usd_per_mtoken},
                {"kwh", p.kwh},
                {"late", p.late},
                {"over_budget", p.dear}};
  };
  Json out = {{"model", q.model.name},
              {"tokens", q.tokens},
              {"seq_len", q.seq_len},
              {"global_batch", q.global_batch},
              {"considered", r.answer.considered},
              {"out_of_memory", r.answer.out_of_memory},
              {"band", {r.band.low, r.band.high}},
              {"odds",
               {{"days_p10", r.odds.p10_s / 86400},
                {"days_p50", r.odds.p50_s / 86400},
                {"days_p90", r.odds.p90_s / 86400},
                {"miss_deadline", r.odds.miss},
                {"interruptions", r.odds.interruptions}}}};
  for (size_t i = 0; i < std::min<size_t>(20, r.answer.best.size()); ++i) {
    out["plans"].push_back(one(r.answer.best[i]));
  }
  out["front"] = Json::array();
  for (const Plan& p : r.answer.front) out["front"].push_back(one(p));
  out["prices"] = Json::array();
  for (const Offer& offer : q.offers) {
    if (!offer.price) continue;
    out["prices"].push_back({{"machine", offer.system.name},
                             {"usd_per_hour", offer.price->middle},
                             {"low", offer.price->low},
                             {"high", offer.price->high},
                             {"market", hw::name(offer.price->row.market)},
                             {"date", offer.price->row.date},
                             {"source", offer.price->row.source}});
  }
  out["sensitivity"] = Json::array();
  for (const Swing& s : r.swings) {
    out["sensitivity"].push_back({{"knob", s.knob},
                                  {"low", s.low},
                                  {"high", s.high},
                                  {"usd_low", s.usd_low},
                                  {"usd_high", s.usd_high},
                                  {"hours_low", s.wall_h_low},
                                  {"hours_high", s.wall_h_high},
                                  {"fits_low", s.fits_low},
                                  {"fits_high", s.fits_high}});
  }
  return out;
}

}  // namespace trainyard::tools
