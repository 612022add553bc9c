#include "cluster/plan/cost.h"

#include <algorithm>

namespace trainyard::cluster {

int64_t unit_chips(const hw::System& system) {
  const hw::InstanceSpec& i = system.instance;
  const bool pod = system.accelerator.name.starts_with("tpu");
  return pod ? std::max<int64_t>(1, i.chips.value / i.servers.value) : i.chips.value;
}

UnitPrice unit_price(const hw::Price& row, const hw::System& system) {
  const double share = static_cast<double>(unit_chips(system)) /
                       static_cast<double>(std::max<int64_t>(1, row.chips));
  return {
      .low = row.low * share, .middle = row.middle() * share, .high = row.high * share, .row = row};
}

double usd_per_million_tokens(double usd_per_hour, double nodes, double tokens_per_s,
                              double goodput) {
  return usd_per_hour * nodes / (tokens_per_s * 3600) * 1e6 / goodput;
}

double wall_hours(double tokens, double tokens_per_s, double goodput, double compile_s) {
  return tokens / (tokens_per_s * goodput) / 3600 + compile_s / 3600;
}

double break_even_mfu(double price_a, double peak_a, double price_b, double peak_b) {
  return (price_a / peak_a) / (price_b / peak_b);
}

}  // namespace trainyard::cluster
