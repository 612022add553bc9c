#include "tools/plan_options.h"

#include <charconv>
#include <cmath>

#include "cluster/training/model_config.h"
#include "hw/machine_file.h"
#include "tools/quantities.h"

namespace trainyard::tools {
namespace {

using namespace cluster;

std::vector<std::string> split(const std::string& text, char mark) {
  std::vector<std::string> parts;
  size_t from = 0;
  while (from <= text.size()) {
    const size_t to = std::min(text.find(mark, from), text.size());
    if (to > from) parts.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  return parts;
}

// "trn2=2.25/chip-hour" or "p5.48xlarge=55/hour": the user's own price of one machine.
Result<UnitPrice> read_price(const std::string& text, const hw::System& system) {
  const size_t at = text.find('=');
  const std::string number = text.substr(at + 1);
  double usd = 0;
  const char* end = number.data() + number.size();
  const auto parsed = std::from_chars(number.data(), end, usd);
  const std::string_view unit(parsed.ptr, static_cast<size_t>(end - parsed.ptr));
  const bool per_chip = unit == "/chip-hour" || unit == "/gpu-hour";
  if (parsed.ec != std::errc() || !std::isfinite(usd) || usd <= 0 || usd > 1e7 ||
      (!per_chip && unit != "/hour" && !unit.empty())) {
    return error("TY-PLAN-005",
                 "--price {}: a positive price is needed, e.g. trn2=2.25/chip-hour "
                 "or p5.48xlarge=55.04/hour",
                 text);
  }
  const double unit_usd = per_chip ? usd * static_cast<double>(unit_chips(system)) : usd;
  hw::Price row{.provider = "user",
                .instance = system.instance.name,
                .accelerator = system.accelerator.name,
                .chips = unit_chips(system),
                .low = unit_usd,
                .high = unit_usd,
                .date = "now",
                .trust = hw::Trust::Assumed,
                .source = "user"};
  return UnitPrice{unit_usd, unit_usd, unit_usd, row};
}

Result<std::optional<UnitPrice>> find_unit_price(const PlanOptions& o, const std::string& name,
                                                 const hw::System& system,
                                                 std::span<const hw::Price> table) {
  for (const std::string& text : o.price) {
    const size_t at = text.find('=');
    if (at == std::string::npos) {
      return error("TY-PLAN-005", "--price {}: write NAME=USD, e.g. trn2=2.25/chip-hour", text);
    }
    const std::string who = text.substr(0, at);
    if (who != name && instance_of(who) != system.name) continue;
    const Result<UnitPrice> price = read_price(text, system);
    if (!price) return price.status();
    return std::optional(*price);
  }
  std::string market = o.spot ? "spot" : o.market;
  Result<hw::Price> row = hw::default_price(table, system.instance.name);
  if (!market.empty()) {
    hw::PriceQuery query{.instance = system.instance.name};
    bool known = false;
    for (const hw::Market each : {hw::Market::OnDemand, hw::Market::Spot, hw::Market::Reserved,
                                  hw::Market::CapacityBlock}) {
      if (hw::name(each) != market) continue;
      query.market = each;
      known = true;
    }
    if (!known) {
      return error("TY-PLAN-005", "--market {}: on-demand, spot, reserved or capacity-block",
                   market);
    }
    row = hw::find_price(table, query);
  }
  // Without a price the plan is printed without a cost.
  if (!row) return std::optional<UnitPrice>();
  return std::optional(unit_price(*row, system));
}

Status read_offers(const PlanOptions& o, std::span<const hw::Price> table, PlanQuestion& q) {
  for (const std::string& name : split(o.on, ',')) {
    Result<hw::System> system =
        name.ends_with(".toml") ? hw::load_system(name) : hw::find_system(instance_of(name));
    if (!system) return system.status();
    const Result<Software> software = software_by_name(o.job.request.software, *system);
    if (!software) return software.status();
    if (system->accelerator.name.starts_with("inferentia")) {
      return error("TY-CLU-222",
                   "{} cannot train: the Neuron stack has no training on Inferentia; "
                   "take trn1, trn2 or trn3",
                   system->name);
    }
    const auto price = find_unit_price(o, name, *system, table);
    if (!price) return price.status();
    q.offers.push_back({*system, *software, system->name, *price});
    if (!software->neuron() || !o.job.request.software.empty()) continue;
    // Two stacks with different layouts: pipelines in one, FSDP in the other.
    q.offers.back().label += " nxd";
    q.offers.push_back({*system, {.stack = Stack::NeuronJax}, system->name + " jax", *price});
  }
  return {};
}

Status read_quantities(const PlanOptions& o, PlanQuestion& q) {
  if (o.tokens.empty()) {
    return error("TY-PLAN-004", "--tokens is missing: how many tokens the run takes, e.g. 2T");
  }
  const Result<double> tokens = parse_count("tokens", o.tokens);
  if (!tokens) return tokens.status();
  q.tokens = *tokens;
  const Result<Range> nodes = parse_range("nodes", o.nodes);
  if (!nodes) return nodes.status();
  q.nodes_low = nodes->low;
  q.nodes_high = nodes->high;
  if (!o.deadline.empty()) {
    const Result<double> hours = parse_hours("deadline", o.deadline);
    if (!hours) return hours.status();
    q.deadline_h = *hours;
  }
  if (!o.budget.empty()) {
    const Result<double> budget = parse_count("budget", o.budget, "1M, 250k or 3e6, in dollars");
    if (!budget) return budget.status();
    q.budget_usd = *budget;
  }
  return {};
}

}  // namespace

void add_plan_options(CLI::App& app, PlanOptions& o) {
  add_model_options(app, o.job);
  app.add_option("--on,--chips", o.on, "Machines to plan on, e.g. trn2.48xlarge,p5.48xlarge,v5p")
      ->capture_default_str();
  app.add_option("--tokens", o.tokens, "Tokens of the run, e.g. 2T");
  app.add_option("--nodes", o.nodes, "Number of instances, e.g. 32 or 1..256")
      ->capture_default_str();
  app.add_option("--deadline,--days", o.deadline, "e.g. 14d or 36h");
  app.add_option("--budget", o.budget, "USD, e.g. 1M");
  app.add_option("--market", o.market, "on-demand, spot, reserved or capacity-block");
  app.add_option("--prices", o.prices, "File with prices of your own");
  app.add_option("--price", o.price, "One price, e.g. trn2=2.25/chip-hour");
  app.add_flag("--spot", o.spot, "Spot prices and spot losses");
  app.add_flag("--synchronous-checkpoints", o.synchronous, "Checkpoints stop the job");
}

Result<PlanQuestion> read_question(const PlanOptions& o) {
  PlanQuestion q;
  if (o.job.model.empty()) {
    return error("TY-CLU-201", "no model is given; write --model llama3-70b, or a config.json");
  }
  Result<Model> model = load_model(o.job.model);
  if (!model) return model.status();
  q.model = std::move(*model);
  const JobRequest& r = o.job.request;
  const std::optional<Precision> precision = parse_precision(r.dtype);
  const std::optional<Optimizer> optimizer = parse_optimizer(r.optimizer);
  if (!precision)
    return error("TY-CLU-221", "dtype = '{}' is not known; take bf16 or fp8", r.dtype);
  if (!optimizer)
    return error("TY-CLU-221",
                 "optimizer = '{}' is not known; take adamw, lamb, lion, sgd or adafactor",
                 r.optimizer);
  q.precision = *precision;
  q.optimizer = *optimizer;
  if (!r.overlap.empty()) {
    const std::optional<Overlap> overlap = parse_overlap(r.overlap);
    if (!overlap)
      return error("TY-CLU-221",
                   "overlap = '{}' is not known; take none, default, token or token+multistream",
                   r.overlap);
    q.overlap = *overlap;
  }
  q.seq_len = r.seq_len > 0 ? r.seq_len : default_sequence(q.model);
  // About four million tokens a step unless asked otherwise, a power of two of sequences.
  q.global_batch = r.global_batch;
  if (q.global_batch == 0) {
    q.global_batch = 1;
    while (q.global_batch * 2 * q.seq_len <= 4'500'000) q.global_batch *= 2;
  }
  q.spot = o.spot || o.market == "spot";
  q.save = o.synchronous ? Save::Synchronous : Save::Asynchronous;
  std::vector<hw::Price> table(hw::prices().begin(), hw::prices().end());
  if (!o.prices.empty()) {
    Result<std::vector<hw::Price>> mine = hw::load_prices(o.prices);
    if (!mine) return mine.status();
    table = hw::with_prices(std::move(*mine), hw::prices());
  }
  TY_TRY(read_quantities(o, q));
  TY_TRY(read_offers(o, table, q));
  return q;
}

}  // namespace trainyard::tools
