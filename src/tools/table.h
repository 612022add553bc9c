#pragma once
// Tables for a terminal.
#include <string>
#include <vector>

namespace trainyard::tools {

using Row = std::vector<std::string>;

// A table in a box, as the vendor's tools draw it. Headings may have several lines; cells are left
// aligned, headings centred.
std::string boxed_table(const std::vector<Row>& heading, const std::vector<Row>& rows);

// Columns of equal width, right aligned, without lines.
std::string plain_table(const std::vector<Row>& rows);

}  // namespace trainyard::tools
