// Any bytes are a price file that loads, or an error: never a crash.
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "hw/systems/price.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const auto prices = trainyard::hw::parse_prices(text, "fuzz.toml");
  if (!prices) {
    TY_CHECK(prices.status().code() == "TY-HW-012");
    return 0;
  }
  for (const trainyard::hw::Price& price : *prices) {
    TY_CHECK(price.low >= 0 && price.high >= price.low && !price.date.empty());
  }
  return 0;
}
