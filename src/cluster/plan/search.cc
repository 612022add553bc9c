#include "cluster/plan/search.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace trainyard::cluster {
namespace {

std::vector<int64_t> divisors(int64_t n, int64_t most) {
  std::vector<int64_t> out;
  for (int64_t d = 1; d <= std::min(n, most); ++d) {
    if (n % d == 0) out.push_back(d);
  }
  return out;
}

// Heads and experts that every layer has.
struct Divisible {
  int64_t heads = 0, experts = 0;
};

Divisible divisible(const Model& model) {
  Divisible d;
  for (const Layer& layer : model.layers) {
    const auto* block = std::get_if<Block>(&layer);
    if (block == nullptr) continue;
    d.heads = std::gcd(d.heads, block->heads);
    d.experts = std::max(d.experts, block->experts);
  }
  return d;
}

class LayoutWalk {
 public:
  LayoutWalk(const StepModel& model, const PlanQuestion& question,
             const std::function<void(const Layout&, const Batch&)>& visit)
      : model_(model),
        q_(question),
        visit_(visit),
        limits_(model.limits()),
        shape_(divisible(question.model)),
        layers_(layer_count(question.model)) {}

  void walk() {
    for (int64_t tp = 1; tp <= std::min<int64_t>(64, limits_.domain_ranks); tp *= 2) {
      if (shape_.heads > 0 ? shape_.heads % tp != 0 : tp > 1) break;
      for (const int64_t pp : divisors(layers_, 128)) {
        if (limits_.ranks % (tp * pp) != 0) continue;
        for (int64_t cp = 1; cp == 1 || q_.seq_len / cp >= 4096; cp *= 2) {
          if (limits_.ranks % (tp * pp * cp) == 0) degrees(tp, pp, cp);
        }
      }
    }
  }

 private:
  void degrees(int64_t tp, int64_t pp, int64_t cp) {
    Layout l{.tp = tp, .pp = pp, .cp = cp, .dp = limits_.ranks / (tp * pp * cp)};
    l.sequence_parallel = tp > 1 && q_.seq_len % (tp * cp) == 0;
    l.overlap = q_.overlap;
    for (const int64_t ep : divisors(std::max<int64_t>(1, shape_.experts), 256)) {
      if (l.dp % ep != 0) continue;
      l.ep = ep;
      batches(l);
    }
  }

  void batches(Layout l) {
    for (int64_t micro = 1; micro <= 32; micro *= 2) {
      const Batch b{.global = q_.global_batch, .micro = micro, .sequence = q_.seq_len};
      if (b.global % (micro * l.dp) != 0) break;
      const int64_t m = micro_batches(l, b);
      if (m < l.pp) break;
      l.vpp = 1;
      shardings(l, b);
      if (l.pp == 1 || m % l.pp != 0) continue;
      for (const int64_t vpp : divisors(layers_ / l.pp, 16)) {
        if (vpp == 1) continue;
        l.vpp = vpp;
        shardings(l, b);
      }
    }
  }

  // Only what the stack offers: JAX shards with FSDP and has no pipelines, pipelines and ZeRO-1 are
  // NxD's and Megatron's. [cluster 5.1]
  void shardings(Layout l, const Batch& b) {
    const Software& software = model_.workload().software;
    if (is_jax(software) && l.pp > 1) return;
    if (l.dp * l.cp == 1) return legal(l, b);
    l.sharding = Sharding::Zero1;
    if (!is_jax(software)) legal(l, b);
    if (l.pp > 1 || (software.neuron() && !is_jax(software))) return;
    l.sharding = Sharding::Fsdp;
    legal(l, b);
  }

  void legal(const Layout& l, const Batch& b) {
    if (check_layout(q_.model, l, b, limits_).ok()) visit_(l, b);
  }

  const StepModel& model_;
  const PlanQuestion& q_;
  const std::function<void(const Layout&, const Batch&)>& visit_;
  RankLimits limits_;
  Divisible shape_;
  int64_t layers_;
};

// The least recomputation that fits; nothing if none does.
std::optional<Layout> fitting(const StepModel& model, Layout l, const Batch& b) {
  const MemoryRules rules = model.memory_rules();
  const Workload& w = model.workload();
  // JAX keeps what a policy names: no published run of it keeps everything. [cluster 12.4]
  const bool policy = is_jax(w.software);
  for (const Recompute r :
       {Recompute::None, Recompute::Selective, Recompute::Partial, Recompute::Full}) {
    if (r == Recompute::Selective && rules.flash) continue;
    if (policy ? r < Recompute::Partial : r == Recompute::Partial) continue;
    l.recompute = r;
    if (fits(memory({w.model, l, b, w.precision, w.optimizer, rules}), rules)) return l;
  }
  return std::nullopt;
}

// Whether `a` is the better plan: first those that meet deadline and budget, then by cost, then by
// time; without prices by time alone.
bool better(const Plan& a, const Plan& b) {
  const auto faults = [](const Plan& p) { return (p.late ? 1 : 0) + (p.dear ? 1 : 0); };
  if (faults(a) != faults(b)) return faults(a) < faults(b);
  if (faults(a) > 0 && a.late && b.late) return a.wall_h < b.wall_h;
  if (a.usd > 0 && b.usd > 0 && std::abs(a.usd - b.usd) > 1e-3 * b.usd) return a.usd < b.usd;
  if ((a.usd > 0) != (b.usd > 0)) return a.usd > 0;
  return a.wall_h < b.wall_h;
}

// Keeps the best few of one machine and size.
class Best {
 public:
  void add(Plan plan) {
    plans_.push_back(std::move(plan));
    if (plans_.size() < 64) return;
    shrink();
  }
  std::vector<Plan> take() {
    shrink();
    return std::move(plans_);
  }

 private:
  void shrink() {
    std::ranges::stable_sort(plans_, better);
    if (plans_.size() > 3) plans_.resize(3);
  }
  std::vector<Plan> plans_;
};

std::vector<Plan> pareto(std::vector<Plan> plans) {
  std::ranges::stable_sort(plans, [](const Plan& a, const Plan& b) { return a.wall_h < b.wall_h; });
  std::vector<Plan> front;
  for (Plan& plan : plans) {
    if (plan.usd <= 0) continue;
    if (front.empty() || plan.usd < front.back().usd * (1 - 1e-6)) front.push_back(std::move(plan));
  }
  return front;
}

Status check_question(const PlanQuestion& q) {
  const auto positive = [](double x) { return x > 0 && x < 1e30; };
  if (!positive(q.tokens)) {
    return error("TY-PLAN-003", "tokens = {}: how many tokens the run takes, e.g. 2T", q.tokens);
  }
  if (q.nodes_low < 1 || q.nodes_high < q.nodes_low || q.nodes_high > 1'000'000) {
    return error("TY-PLAN-003", "nodes {}..{}: a range inside 1..1000000", q.nodes_low,
                 q.nodes_high);
  }
  if (q.seq_len < 1 || q.seq_len > 1'000'000'000 || q.global_batch < 1 ||
      q.global_batch > 1'000'000'000) {
    return error("TY-PLAN-003", "seq_len {} and global_batch {} must be from 1 to 1000000000",
                 q.seq_len, q.global_batch);
  }
  if (q.deadline_h < 0 || q.budget_usd < 0) {
    return error("TY-PLAN-003", "a deadline of {} h or a budget of {} USD cannot be negative",
                 q.deadline_h, q.budget_usd);
  }
  for (const Offer& offer : q.offers) {
    if (offer.price && (offer.price->low < 0 || !std::isfinite(offer.price->high))) {
      return error("TY-PLAN-003", "the price of {} is {}: it cannot be negative", offer.system.name,
                   offer.price->low);
    }
  }
  if (q.offers.empty()) return error("TY-PLAN-003", "no machine to plan on; write --on trn2");
  return {};
}

}  // namespace

StepModel step_model(const PlanQuestion& q, size_t offer, int64_t nodes) {
  const Offer& o = q.offers[offer];
  Workload work{.model = q.model,
                .system = o.system,
                .chips = nodes * unit_chips(o.system),
                .software = o.software,
                .precision = q.precision,
                .optimizer = q.optimizer};
  return {work, q.knobs};
}

void for_each_layout(const StepModel& model, const PlanQuestion& question,
                     const std::function<void(const Layout&, const Batch&)>& visit) {
  LayoutWalk(model, question, visit).walk();
}

Plan make_plan(const StepModel& model, const PlanQuestion& q, size_t offer, int64_t nodes,
               const Layout& layout, const Batch& batch) {
  const Offer& o = q.offers[offer];
  const Workload& work = model.workload();
  Plan p{.offer = offer, .nodes = nodes, .chips = work.chips, .layout = layout, .batch = batch};
  p.step = model.evaluate(layout, batch);
  const FaultModel faults = fault_model(work, static_cast<double>(nodes), q.spot, q.save);
  p.interval_s = std::max({young_daly(faults), faults.write, kShortestInterval});
  p.goodput = goodput(faults, p.interval_s);
  p.wall_h =
      wall_hours(q.tokens, p.step.tokens_per_s, p.goodput, o.system.knobs.run.compile_cold_s.value);
  p.kwh = p.wall_h * static_cast<double>(p.chips) * o.system.accelerator.power_w.value / 1000;
  if (o.price) {
    const double node_hours = p.wall_h * static_cast<double>(nodes);
    p.usd = node_hours * o.price->middle;
    p.usd_low = node_hours * o.price->low;
    p.usd_high = node_hours * o.price->high;
    p.usd_per_mtoken = p.usd / q.tokens * 1e6;
  }
  p.late = q.deadline_h > 0 && p.wall_h > q.deadline_h;
  p.dear = q.budget_usd > 0 && p.usd > q.budget_usd;
  return p;
}

Result<PlanAnswer> search_plans(const PlanQuestion& q) {
  TY_TRY(check_question(q));
  PlanAnswer answer;
  std::vector<Plan> all;
  double nearest = 1e300;  // how much too large the smallest layout is
  for (size_t offer = 0; offer < q.offers.size(); ++offer) {
    for (int64_t nodes = q.nodes_low; nodes <= q.nodes_high; ++nodes) {
      const StepModel model = step_model(q, offer, nodes);
      const MemoryRules rules = model.memory_rules();
      Best best;
      for_each_layout(model, q, [&](const Layout& layout, const Batch& batch) {
        ++answer.considered;
        const std::optional<Layout> fit = fitting(model, layout, batch);
        if (fit) {
          best.add(make_plan(model, q, offer, nodes, *fit, batch));
          return;
        }
        ++answer.out_of_memory;
        Layout full = layout;
        full.recompute = Recompute::Full;
        const Workload& w = model.workload();
        const Memory m = memory({w.model, full, batch, w.precision, w.optimizer, rules});
        nearest = std::min(nearest, m.total() / (rules.usable * rules.hbm));
      });
      for (Plan& plan : best.take()) all.push_back(std::move(plan));
    }
  }
  if (answer.considered == 0) {
    return error("TY-PLAN-001",
                 "no layout is legal on {}..{} nodes: global_batch {} must be divisible by the "
                 "data-parallel ranks; change --nodes or --global-batch",
                 q.nodes_low, q.nodes_high, q.global_batch);
  }
  if (all.empty()) {
    return error("TY-PLAN-002",
                 "none of {} layouts fits into memory; the smallest needs {:.1f} times what a rank "
                 "may use; take more nodes, or chips with more memory",
                 answer.considered, nearest);
  }
  answer.front = pareto(all);
  std::ranges::stable_sort(all, better);
  if (all.size() > 200) all.resize(200);
  answer.best = std::move(all);
  return answer;
}

std::string why_worse(const Plan& best, const Plan& other) {
  if (other.late && !best.late) return "misses the deadline";
  if (other.dear && !best.dear) return "exceeds the budget";
  const double tokens_best = best.step.tokens_per_s / static_cast<double>(best.chips);
  const double tokens_other = other.step.tokens_per_s / static_cast<double>(other.chips);
  if (best.offer != other.offer) {
    return fmt::format(
        "{:.0f} % of the rate per chip at {:.2f} times the price per chip",
        100 * tokens_other / tokens_best,
        (other.usd / other.wall_h / static_cast<double>(other.chips)) /
            std::max(1e-30, best.usd / best.wall_h / static_cast<double>(best.chips)));
  }
  // Shares of a step: the part that takes more of it than in the best plan.
  const auto a = by_part(best.step.parts), b = by_part(other.step.parts);
  int worst = 0;
  double most = -1;
  for (int i = 0; i < kStepParts; ++i) {
    const auto k = static_cast<size_t>(i);
    const double more =
        b[k] * static_cast<double>(other.chips) - a[k] * static_cast<double>(best.chips);
    if (more > most) {
      most = more;
      worst = i;
    }
  }
  const auto k = static_cast<size_t>(worst);
  return fmt::format("{}: {:.1f} % of its step against {:.1f} %", step_part(worst),
                     100 * b[k] / other.step.total, 100 * a[k] / best.step.total);
}

}  // namespace trainyard::cluster
