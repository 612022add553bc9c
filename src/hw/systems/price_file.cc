// Reads price files.
#include <sstream>

#include "base/nearest.h"
#include "hw/intern.h"
#include "hw/systems/price.h"
#include "hw/toml_file.h"

namespace trainyard::hw {
namespace {

constexpr std::string_view kKind = "price file";
constexpr std::string_view kCode = "TY-HW-012";
// More than any vendor charges; catches a price per year and other slips.
constexpr double kMostUsdPerHour = 1e6;
constexpr int64_t kMostChips = 1'000'000;

const std::vector<std::string>& row_keys() {
  static const auto& keys = *new std::vector<std::string>{
      "provider",     "instance", "accelerator", "chips", "region", "market",
      "usd_per_hour", "low",      "high",        "date",  "source"};
  return keys;
}

// One [[price]] table, with a place for its errors.
class Row {
 public:
  Row(const toml::table& table, std::string_view file) : table_(table), file_(file) {}

  Status check_keys() const {
    for (const auto& [key, node] : table_) {
      const std::string_view name = key.str();
      if (std::ranges::find(row_keys(), name) != row_keys().end()) continue;
      return error(kCode, "a price has no key '{}'{}; keys are {}", name,
                   did_you_mean(name, row_keys()), fmt::join(row_keys(), ", "))
          .at(place_in(file_, node.source()));
    }
    return {};
  }

  // A text under `key`; `fallback` where it is absent, an error where that is null.
  Result<std::string_view> text(std::string_view key, const char* fallback) const {
    const toml::node* node = table_.get(key);
    if (node == nullptr && fallback != nullptr) return std::string_view(fallback);
    if (node == nullptr) return missing(key);
    const auto* value = node->as_string();
    if (value == nullptr) return wrong(*node, key, "a text in quotes");
    return intern(value->get());
  }

  Result<double> number(std::string_view key, double low, double high) const {
    const toml::node* node = table_.get(key);
    if (node == nullptr) return missing(key);
    const auto value = node->value<double>();
    if (!node->is_number() || !value || !(*value >= low && *value <= high)) {
      return wrong(*node, key, fmt::format("a number from {} to {}", low, high));
    }
    return *value;
  }

  bool has(std::string_view key) const { return table_.get(key) != nullptr; }
  const toml::node& at(std::string_view key) const { return *table_.get(key); }
  std::string_view file() const { return file_; }

  Status wrong(const toml::node& node, std::string_view key, std::string_view wanted) const {
    std::ostringstream text;
    node.visit([&](const auto& n) { text << n; });
    return error(kCode, "{} = {}: must be {}", key, text.str(), wanted)
        .at(place_in(file_, node.source()));
  }

 private:
  Status missing(std::string_view key) const {
    return error(kCode,
                 "a price without {}; every row needs instance, market, usd_per_hour (or low "
                 "and high), date and source",
                 key)
        .at(place_in(file_, table_.source()));
  }

  const toml::table& table_;
  std::string_view file_;
};

Result<Market> market_of(const Row& row) {
  const auto text = row.text("market", nullptr);
  if (!text) return text.status();
  for (const Market market :
       {Market::OnDemand, Market::Spot, Market::Reserved, Market::CapacityBlock}) {
    if (name(market) == *text) return market;
  }
  return row.wrong(row.at("market"), "market", "on-demand, spot, reserved or capacity-block");
}

// A year, a month or a day: "2026", "2026-05", "2026-05-03".
bool is_date(std::string_view text) {
  if (text.size() != 4 && text.size() != 7 && text.size() != 10) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 4 || i == 7;
    if (dash ? text[i] != '-' : text[i] < '0' || text[i] > '9') return false;
  }
  return true;
}

Status read_amount(const Row& row, Price& price) {
  const bool range = row.has("low") || row.has("high");
  if (range && row.has("usd_per_hour")) {
    return row.wrong(row.at("usd_per_hour"), "usd_per_hour", "alone, without low and high");
  }
  const auto low = row.number(range ? "low" : "usd_per_hour", 0, kMostUsdPerHour);
  if (!low) return low.status();
  const auto high = row.number(range ? "high" : "usd_per_hour", *low, kMostUsdPerHour);
  if (!high) return high.status();
  price.low = *low;
  price.high = *high;
  return {};
}

Status read_texts(const Row& row, Price& price) {
  struct Slot {
    const char* key;
    const char* fallback;
    std::string_view Price::*field;
  };
  constexpr Slot kSlots[] = {
      {"provider", "aws", &Price::provider},    {"instance", nullptr, &Price::instance},
      {"accelerator", "", &Price::accelerator}, {"region", "", &Price::region},
      {"date", nullptr, &Price::date},          {"source", nullptr, &Price::note},
  };
  for (const Slot& slot : kSlots) {
    const auto text = row.text(slot.key, slot.fallback);
    if (!text) return text.status();
    price.*slot.field = *text;
  }
  if (!is_date(price.date)) return row.wrong(row.at("date"), "date", "like 2026-05 or 2026-05-03");
  return {};
}

Result<Price> read_row(const toml::table& table, std::string_view file) {
  const Row row(table, file);
  TY_TRY(row.check_keys());
  Price price;
  TY_TRY(read_texts(row, price));
  const auto market = market_of(row);
  if (!market) return market.status();
  price.market = *market;
  TY_TRY(read_amount(row, price));
  if (row.has("chips")) {
    const auto chips = row.number("chips", 1, static_cast<double>(kMostChips));
    if (!chips) return chips.status();
    price.chips = static_cast<int64_t>(*chips);
  } else {
    price.chips = 0;  // all of the instance
  }
  price.source = intern("user:" + std::string(file));
  return price;
}

}  // namespace

Result<std::vector<Price>> parse_prices(std::string_view text, std::string_view file) {
  auto table = parse_toml(text, file, kKind, kCode);
  if (!table) return table.status();
  std::vector<Price> rows;
  for (const auto& [key, node] : *table) {
    const toml::array* array = node.as_array();
    if (key.str() != "price" || array == nullptr) {
      return error(kCode, "a price file has only [[price]] tables, not '{}'", key.str())
          .at(place_in(file, node.source()));
    }
    for (const toml::node& row : *array) {
      if (!row.is_table()) {
        return error(kCode, "every price is a [[price]] table").at(place_in(file, row.source()));
      }
      auto price = read_row(*row.as_table(), file);
      if (!price) return price.status();
      rows.push_back(*price);
    }
  }
  return rows;
}

Result<std::vector<Price>> load_prices(const std::string& path) {
  const auto text = read_toml_file(path, kKind);
  if (!text) return text.status();
  return parse_prices(*text, path);
}

}  // namespace trainyard::hw
