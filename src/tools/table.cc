#include "tools/table.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::tools {
namespace {

std::vector<size_t> widths(const std::vector<Row>& heading, const std::vector<Row>& rows) {
  std::vector<size_t> width;
  const auto fit = [&](const Row& row) {
    width.resize(std::max(width.size(), row.size()));
    for (size_t c = 0; c < row.size(); ++c) width[c] = std::max(width[c], row[c].size());
  };
  for (const Row& row : heading) fit(row);
  for (const Row& row : rows) fit(row);
  return width;
}

std::string ruler(const std::vector<size_t>& width) {
  std::string line = "+";
  for (const size_t w : width) line += std::string(w + 2, '-') + "+";
  return line + "\n";
}

}  // namespace

std::string boxed_table(const std::vector<Row>& heading, const std::vector<Row>& rows) {
  const std::vector<size_t> width = widths(heading, rows);
  std::string out = ruler(width);
  for (const Row& row : heading) {
    out += "|";
    for (size_t c = 0; c < row.size(); ++c) out += fmt::format(" {:^{}} |", row[c], width[c]);
    out += "\n";
  }
  out += ruler(width);
  for (const Row& row : rows) {
    out += "|";
    for (size_t c = 0; c < row.size(); ++c) out += fmt::format(" {:<{}} |", row[c], width[c]);
    out += "\n";
  }
  return out + ruler(width);
}

std::string plain_table(const std::vector<Row>& rows) {
  const std::vector<size_t> width = widths({}, rows);
  std::string out;
  for (const Row& row : rows) {
    for (size_t c = 0; c < row.size(); ++c) out += fmt::format("{:>{}}", row[c], width[c] + 4);
    out += "\n";
  }
  return out;
}

}  // namespace trainyard::tools
