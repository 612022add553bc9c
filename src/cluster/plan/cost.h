#pragma once
// Money and time of a whole run. [cluster 2.3]
#include <cstdint>

#include "hw/systems/price.h"
#include "hw/systems/system.h"

namespace trainyard::cluster {

// A rented unit: an instance, or a host of a pod.
int64_t unit_chips(const hw::System& system);

// USD for one unit and hour.
struct UnitPrice {
  double low = 0, middle = 0, high = 0;
  hw::Price row;  // where it comes from, with its date

  double at(double where) const { return low + where * (high - low); }
};
UnitPrice unit_price(const hw::Price& row, const hw::System& system);

// usd_per_Mtoken = price * nodes / (tokens_per_s * 3600) * 1e6 / goodput
double usd_per_million_tokens(double usd_per_hour, double nodes, double tokens_per_s,
                              double goodput);

// Hours from the start to the last token, compilation included.
double wall_hours(double tokens, double tokens_per_s, double goodput, double compile_s);

// MFU_a / MFU_b at which both cost the same per FLOP: (price_a / peak_a) / (price_b / peak_b).
double break_even_mfu(double price_a, double peak_a, double price_b, double peak_b);

}  // namespace trainyard::cluster
