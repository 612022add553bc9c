#include "cluster/training/published.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

#include "cluster/training/published_fields.h"

namespace trainyard::cluster {

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

std::string_view RowFields::text(std::string_view column) const {
  const int at = table_.column(column);
  return at < 0 ? std::string_view() : table_.rows[row_][static_cast<size_t>(at)];
}

std::string RowFields::word(std::string_view column) const {
  std::string out(text(column));
  std::ranges::transform(out, out.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

namespace {

// How tables write that they do not know.
bool says_nothing(std::string_view field) {
  constexpr std::array<std::string_view, 6> kWords = {"", "?", "-", "n/a", "na", "unknown"};
  return std::ranges::find(kWords, field) != kWords.end();
}

}  // namespace

Result<std::optional<double>> RowFields::number(std::string_view column) const {
  std::string_view field = text(column);
  if (says_nothing(word(column))) return std::optional<double>();
  if (field.ends_with('?')) field.remove_suffix(1);  // a guess of the table's author
  double value = 0;
  const auto [end, problem] = std::from_chars(field.data(), field.data() + field.size(), value);
  if (problem != std::errc() || end != field.data() + field.size() || !std::isfinite(value) ||
      value < 0 || value > 1e15) {
    return error("TY-CLU-232", "{} = '{}': a number from 0 to 1e15 is needed, or an empty field",
                 column, field);
  }
  return std::optional(value);
}

Result<std::optional<int64_t>> RowFields::integer(std::string_view column) const {
  const Result<std::optional<double>> value = number(column);
  if (!value) return value.status();
  if (!value->has_value()) return std::optional<int64_t>();
  if (**value != std::floor(**value)) {
    return error("TY-CLU-232", "{} = {}: a whole number is needed", column, **value);
  }
  return std::optional(static_cast<int64_t>(**value));
}

Result<int64_t> RowFields::required(std::string_view column) const {
  const Result<std::optional<int64_t>> value = integer(column);
  if (!value) return value.status();
  if (!value->has_value() || **value < 1) {
    return error("TY-CLU-231", "the row has no {}; it cannot be assumed", column);
  }
  return **value;
}

Result<PublishedRun> published_run(const CsvTable& table, size_t index) {
  const RowFields row(table, index);
  PublishedRun run;
  run.id = row.text("id");
  run.hardware = row.text("hw");
  run.config_key = row.text("config_key");
  run.latest = row.text("is_latest") == "1";
  const auto tokens = row.number("tokens_per_s"), peak = row.number("peak_tflops_used");
  if (!tokens) return tokens.status();
  if (!peak) return peak.status();
  run.tokens_per_s = tokens->value_or(0);
  run.peak_tflops = peak->value_or(0);
  if (Status s = read_hardware(row, run); !s.ok()) return s;
  Model model;
  if (Status s = read_model(row, model, run.notes); !s.ok()) return s;
  run.model_class = model.model_class;
  for (Workload& work : run.workloads) {
    work.model = model;
    work.collectives = default_collectives(work);
  }
  if (Status s = read_layout(row, run); !s.ok()) return s;
  return run;
}

}  // namespace trainyard::cluster
