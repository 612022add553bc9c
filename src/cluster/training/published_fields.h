#pragma once
// Reading one row of a published table: fields by column name, numbers checked.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "cluster/training/csv.h"
#include "cluster/training/published.h"

namespace trainyard::cluster {

class RowFields {
 public:
  RowFields(const CsvTable& table, size_t row) : table_(table), row_(row) {}

  // "" if the column or the value is absent.
  std::string_view text(std::string_view column) const;
  // Lower case.
  std::string word(std::string_view column) const;
  // Nothing if absent. TY-CLU-232 if it is no number, not positive, or beyond 1e15.
  Result<std::optional<double>> number(std::string_view column) const;
  Result<std::optional<int64_t>> integer(std::string_view column) const;
  // TY-CLU-231 if absent.
  Result<int64_t> required(std::string_view column) const;

  SourcePlace place() const { return {"", table_.lines[row_], 0}; }

 private:
  const CsvTable& table_;
  size_t row_;
};

bool contains(std::string_view text, std::string_view part);

// The steps of published_run, in this order. Each fills its part of `run`.
Status read_model(const RowFields& row, Model& model, std::vector<std::string>& notes);
Status read_hardware(const RowFields& row, PublishedRun& run);
Status read_layout(const RowFields& row, PublishedRun& run);

}  // namespace trainyard::cluster
