// Any bytes are a table or TY-CLU-230; every row of a table is predicted with finite numbers, or
// refused with a code. What we write, we can read.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/check.h"
#include "cluster/training/predict_table.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  using namespace trainyard::cluster;
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const auto table = parse_csv(text, "fuzz.csv");
  if (!table) {
    TY_CHECK(table.status().code() == "TY-CLU-230");
    return 0;
  }
  TY_CHECK(table->rows.size() == table->lines.size());
  // Predictions take long beside the reading; one row shows what many do.
  if (table->column("status") >= 0 || table->rows.size() > 1) return 0;
  const PredictedTable predicted = predict_table(*table);
  const auto again = parse_csv(predicted.csv, "predicted.csv");
  // The only table that cannot be read back has a column of ours already.
  if (!again) return 0;
  const auto status = static_cast<size_t>(again->column("status"));
  const auto rate = static_cast<size_t>(again->column("predicted_tokens_per_s"));
  for (const auto& row : again->rows) {
    const bool good = row[status] == "ok";
    TY_CHECK(good || row[status].starts_with("TY-"));
    const double value = std::strtod(row[rate].c_str(), nullptr);
    if (good) TY_CHECK(std::isfinite(value) && value >= 0);
  }
  return 0;
}
