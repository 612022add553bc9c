#pragma once
// Comma-separated tables with a header line, quotes as in RFC 4180.
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace trainyard::cluster {

struct CsvTable {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  // each as wide as the header
  std::vector<int> lines;                      // where each row starts in the file

  // -1 if there is no such column.
  int column(std::string_view name) const;
};

// TY-CLU-230 with the line: an open quote, a row of another width, no header, a column twice.
Result<CsvTable> parse_csv(std::string_view text, std::string_view file);
Result<CsvTable> load_csv(const std::string& path);

// One row, quoted where needed, with the line end.
std::string csv_line(const std::vector<std::string>& fields);

}  // namespace trainyard::cluster
