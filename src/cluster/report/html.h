#pragma once
// A report as one HTML file: style and drawings inside, no scripts, nothing loaded.
#include <string>
#include <vector>

namespace trainyard::cluster {

struct Figure {
  std::string value, name;  // "70.9 s", "step"
};

struct Section {
  std::string title;
  std::string note;  // one or two sentences under the title, plain text
  std::string body;  // HTML: drawings and tables
};

struct Page {
  std::string title, subtitle;
  std::vector<Figure> figures;  // on top, large
  std::vector<Section> sections;
  std::string footer;  // plain text
};

std::string html(const Page& page);

// A table; numbers are set to the right.
std::string html_table(const std::vector<std::string>& header,
                       const std::vector<std::vector<std::string>>& rows);

}  // namespace trainyard::cluster
