// Looks prices up.
#include "hw/systems/price.h"

#include <algorithm>

namespace trainyard::hw {
namespace {

// What stands for an instance without public prices: `count` of another one, assumed.
struct Stand {
  std::string_view instance;
  std::string_view other;
  int count;
};
constexpr Stand kStands[] = {{"trn2u.48xlarge", "trn2.48xlarge", 1},
                             {"trn2-ultraserver-2", "trn2.48xlarge", 2},
                             {"trn2-ultraserver", "trn2.48xlarge", 4}};

const Price* first(std::span<const Price> table, const PriceQuery& query) {
  const auto found = std::ranges::find_if(table, [&](const Price& price) {
    return price.instance == query.instance && price.market == query.market &&
           (query.region.empty() || query.region == price.region) &&
           (query.provider.empty() || query.provider == price.provider);
  });
  return found == table.end() ? nullptr : &*found;
}

// A row that says "until June 2025" must not price a plan of today.
bool is_offered(const Price& price) { return price.note.find("not offered") == price.note.npos; }

const Price* default_row(std::span<const Price> table, std::string_view instance) {
  for (const Market market : {Market::OnDemand, Market::CapacityBlock}) {
    const Price* price = first(table, {.instance = instance, .market = market});
    if (price != nullptr && is_offered(*price)) return price;
  }
  return nullptr;
}

}  // namespace

std::vector<Price> with_prices(std::vector<Price> mine, std::span<const Price> table) {
  mine.insert(mine.end(), table.begin(), table.end());
  return mine;
}

Result<Price> find_price(std::span<const Price> table, const PriceQuery& query) {
  if (const Price* price = first(table, query)) return *price;
  return error("TY-HW-013",
               "no {} price of {}{}{} is known; give one in a price file (--prices) with its date",
               name(query.market), query.instance, query.region.empty() ? "" : " in ",
               query.region);
}

Result<Price> default_price(std::span<const Price> table, std::string_view instance) {
  if (const Price* price = default_row(table, instance)) return *price;
  for (const Stand& stand : kStands) {
    if (stand.instance != instance) continue;
    const Price* other = default_row(table, stand.other);
    if (other == nullptr) break;
    Price price = *other;
    price.instance = stand.instance;
    price.chips *= stand.count;
    price.low *= stand.count;
    price.high *= stand.count;
    price.trust = Trust::Assumed;
    price.note = "taken as so many trn2.48xlarge";
    return price;
  }
  return error("TY-HW-013",
               "no price of {} is public; give one in a price file (--prices) with its date",
               instance);
}

}  // namespace trainyard::hw
