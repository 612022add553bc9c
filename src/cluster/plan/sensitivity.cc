#include "cluster/plan/sensitivity.h"

#include <algorithm>
#include <cmath>

#include "hw/systems/system_fields.h"

namespace trainyard::cluster {
namespace {

constexpr double kNineOfTen = 1.645;
constexpr double kSmall = 0.001;

struct Outcome {
  double wall_h, usd;
  bool fits = true;
};

Outcome outcome(const PlanQuestion& q, const Plan& plan) {
  const StepModel model = step_model(q, plan.offer, plan.nodes);
  const Plan again = make_plan(model, q, plan.offer, plan.nodes, plan.layout, plan.batch);
  return {again.wall_h, again.usd, again.step.fits};
}

Swing swing(std::string_view knob, std::string_view unit, double low, double high,
            const Outcome& at_low, const Outcome& at_high) {
  return {.knob = std::string(knob),
          .unit = std::string(unit),
          .low = low,
          .high = high,
          .wall_h_low = at_low.wall_h,
          .wall_h_high = at_high.wall_h,
          .usd_low = at_low.usd,
          .usd_high = at_high.usd,
          .fits_low = at_low.fits,
          .fits_high = at_high.fits};
}

void catalogue_knobs(const PlanQuestion& question, const Plan& plan, std::vector<Swing>& out) {
  for (const hw::KnobRange& range : hw::knob_ranges()) {
    if (range.low >= range.high) continue;
    const hw::KnobField* field = hw::find_field(hw::knob_fields(), range.key);
    if (field == nullptr) continue;
    PlanQuestion q = question;
    hw::Knobs& knobs = q.offers[plan.offer].system.knobs;
    const auto at = [&](double value) {
      field->set(knobs, {value, hw::Trust::Assumed, "trainyard"});
      return outcome(q, plan);
    };
    const Outcome low = at(range.low), high = at(range.high);
    out.push_back(swing(range.key, field->unit, range.low, range.high, low, high));
  }
}

// Numbers of a machine on which public pages are silent or disagree. [cluster 1.4, 10]
void machine_numbers(const PlanQuestion& question, const Plan& plan, std::vector<Swing>& out) {
  PlanQuestion q = question;
  hw::System& system = q.offers[plan.offer].system;
  if (!system.device) return;
  auto& host = system.accelerator.host_bytes_per_ns.value;
  const auto at_host = [&](double rate) {
    host = rate;
    return outcome(q, plan);
  };
  const double before = host;
  const Outcome slow = at_host(12), fast = at_host(24);
  host = before;
  out.push_back(swing("accelerator.host_bytes_per_ns", "B/ns", 12, 24, slow, fast));
  if (system.instance.shape != hw::Shape::Sleds) return;
  // 704 GB/s by the links that are described, up to 1.8 times as much by other pages.
  hw::InstanceSpec& i = system.instance;
  const Outcome listed = outcome(q, plan);
  for (double* rate : {&i.link_sled_bytes_per_ns.value, &i.link_group_bytes_per_ns.value,
                       &i.link_far_bytes_per_ns.value}) {
    *rate *= 1.8;
  }
  out.push_back(swing("trn3 links", "x", 1, 1.8, listed, outcome(q, plan)));
}

void calibrated_knobs(const PlanQuestion& question, const Plan& plan, std::vector<Swing>& out) {
  for (size_t i = 0; i < kKnobCount; ++i) {
    const KnobInfo& info = knob_table()[i];
    if (info.spread == 0) continue;
    PlanQuestion q = question;
    const double factor = std::exp(kNineOfTen * info.doubt);
    const double low = std::max(info.low, question.knobs.values[i] / factor);
    const double high = std::min(info.high, question.knobs.values[i] * factor);
    q.knobs.values[i] = low;
    const Outcome at_low = outcome(q, plan);
    q.knobs.values[i] = high;
    out.push_back(swing(info.name, info.unit, low, high, at_low, outcome(q, plan)));
  }
}

}  // namespace

double Swing::effect(const Plan& plan) const {
  const auto share = [](double a, double b, double base) {
    return base > 0 ? std::max(std::abs(a - base), std::abs(b - base)) / base : 0;
  };
  return std::max(share(wall_h_low, wall_h_high, plan.wall_h), share(usd_low, usd_high, plan.usd));
}

std::vector<Swing> tornado(const PlanQuestion& question, const Plan& plan) {
  std::vector<Swing> swings;
  catalogue_knobs(question, plan, swings);
  machine_numbers(question, plan, swings);
  calibrated_knobs(question, plan, swings);
  if (plan.usd > 0) {
    const UnitPrice& price = *question.offers[plan.offer].price;
    swings.push_back(swing("price", "USD/h", price.low, price.high, {plan.wall_h, plan.usd_low},
                           {plan.wall_h, plan.usd_high}));
  }
  const auto holds = [](const Swing& s) { return s.fits_low && s.fits_high; };
  std::erase_if(swings, [&](const Swing& s) { return holds(s) && s.effect(plan) < kSmall; });
  std::ranges::stable_sort(swings, [&](const Swing& a, const Swing& b) {
    if (holds(a) != holds(b)) return holds(b);
    return a.effect(plan) > b.effect(plan);
  });
  return swings;
}

}  // namespace trainyard::cluster
