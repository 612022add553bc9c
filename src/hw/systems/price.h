#pragma once
// Prices with their dates. The built-in table is data; a price file replaces or adds rows:
//
//   [[price]]
//   instance = "trn2.48xlarge"
//   market = "capacity-block"       # on-demand, spot, reserved or capacity-block
//   region = "us-east-2"
//   usd_per_hour = 35.76            # or low = ..., high = ... for a range
//   date = "2026-05"
//   source = "quote of 3 May"
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "hw/fact.h"

namespace trainyard::hw {

enum class Market : uint8_t { OnDemand, Spot, Reserved, CapacityBlock };

constexpr std::string_view name(Market market) {
  constexpr std::array<std::string_view, 4> kNames = {"on-demand", "spot", "reserved",
                                                      "capacity-block"};
  return kNames[static_cast<std::size_t>(market)];
}

// USD per hour for one instance (`chips` chips). low = high where one price is known.
struct Price {
  std::string_view provider;     // "aws"
  std::string_view instance;     // "trn2.48xlarge"; elsewhere the provider's own kind, "8xh100"
  std::string_view accelerator;  // key of accelerators(); "" in a user's row for a known instance
  int64_t chips = 0;             // that the price pays for; 0: all of the instance
  std::string_view region;       // "us-east-1"
  Market market = Market::OnDemand;
  double low = 0;
  double high = 0;
  std::string_view date;  // "2026-08-22", "2026-05"
  Trust trust = Trust::Assumed;
  std::string_view source;  // key of docs/sources.md, or "user:<file>"
  std::string_view note;    // "list price before June 2025", a user's source; may be empty

  double middle() const { return (low + high) / 2; }
  friend bool operator==(const Price&, const Price&) = default;
};

// The built-in table, by provider and instance, newest row of a market first.
std::span<const Price> prices();

// The rows of a price file. Errors carry the line: TY-HW-012.
Result<std::vector<Price>> parse_prices(std::string_view text, std::string_view file);
Result<std::vector<Price>> load_prices(const std::string& path);

// `table` with the rows of `mine` before it, so that find_price meets them first.
std::vector<Price> with_prices(std::vector<Price> mine, std::span<const Price> table);

// What to look for; an empty text means any.
struct PriceQuery {
  std::string_view instance;
  Market market = Market::OnDemand;
  std::string_view region = {};
  std::string_view provider = {};
};

// The first row that fits. TY-HW-013 if there is none: nothing is guessed.
Result<Price> find_price(std::span<const Price> table, const PriceQuery& query);

// The price that a plan takes if the user asks for no market: on-demand, else a Capacity Block,
// else what the built-in rules allow (a trn2 UltraServer costs four trn2.48xlarge, assumed).
// TY-HW-013 if there is none, as for Trainium3.
Result<Price> default_price(std::span<const Price> table, std::string_view instance);

}  // namespace trainyard::hw
