#include "cluster/report/html.h"

#include <fmt/format.h>

#include <cctype>

#include "cluster/report/svg.h"

namespace trainyard::cluster {
namespace {

// Ten hues that stay apart for colour-blind readers, on light and on dark.
constexpr std::string_view kStyle = R"(
:root { --ink: #1c2430; --soft: #5b6775; --rule: #e3e7ec; --paper: #f6f7f9; --card: #ffffff;
  --h0: #2f6db5; --h1: #e08a2c; --h2: #3a9a6b; --h3: #c4516a; --h4: #7a62b8; --h5: #8a9099;
  --h6: #c9a227; --h7: #2aa3b3; --h8: #a0623a; --h9: #5f7f2f; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ecf1; --soft: #a3afbd; --rule: #333c47;
  --paper: #14181d; --card: #1d232a; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, "Segoe UI", Roboto, "Helvetica Neue", sans-serif; }
main { max-width: 940px; margin: 0 auto; padding: 36px 20px 60px; }
h1 { font-size: 27px; margin: 0 0 4px; letter-spacing: -0.01em; }
h2 { font-size: 18px; margin: 0 0 4px; }
p { margin: 0; color: var(--soft); }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(130px, 1fr)); gap: 12px;
  margin: 24px 0; }
.figure, section { background: var(--card); border: 1px solid var(--rule); border-radius: 10px; }
.figure { padding: 12px 14px; }
.figure b { display: block; font-size: 21px; font-variant-numeric: tabular-nums;
  white-space: nowrap; }
.figure span { color: var(--soft); font-size: 13px; }
section { padding: 20px 22px; margin: 0 0 18px; overflow-x: auto; }
section > svg, section > table { margin-top: 16px; }
svg { max-width: 100%; height: auto; display: block; }
svg text { fill: var(--ink); font-size: 13px; }
svg .tick { fill: var(--soft); font-size: 12px; }
svg .inside { fill: #fff; font-size: 12px; font-weight: 600; }
svg .grid { stroke: var(--rule); }
svg .axis { stroke: var(--soft); }
svg .limit { stroke: var(--h3); stroke-width: 2; stroke-dasharray: 5 3; }
svg .roof, svg .front, svg .curve { fill: none; stroke-width: 2; }
svg .roof { stroke: var(--h3); }
svg .front { stroke: var(--soft); stroke-dasharray: 4 3; }
svg .dashed { stroke-dasharray: 6 4; }
svg .dot { fill-opacity: 0.55; }
svg .faint { fill-opacity: 0.35; }
svg .marked { stroke: var(--card); stroke-width: 1.5; }
table { border-collapse: collapse; width: 100%; font-size: 13.5px;
  font-variant-numeric: tabular-nums; }
th { text-align: left; color: var(--soft); font-weight: 600; }
th, td { padding: 5px 16px 5px 0; border-bottom: 1px solid var(--rule); white-space: nowrap; }
.number { text-align: right; }
footer { color: var(--soft); font-size: 13px; white-space: pre-line; }
)";

std::string hues() {
  std::string out;
  for (int i = 0; i < 10; ++i) {
    out +=
        fmt::format("svg .c{0} {{ fill: var(--h{0}); }} svg .s{0} {{ stroke: var(--h{0}); }}\n", i);
  }
  return out;
}

bool is_number(const std::string& cell) {
  return !cell.empty() && (std::isdigit(static_cast<unsigned char>(cell[0])) != 0 ||
                           cell[0] == '$' || cell[0] == '+' || cell[0] == '-');
}

}  // namespace

std::string html_table(const std::vector<std::string>& header,
                       const std::vector<std::vector<std::string>>& rows) {
  std::string out = "<table><tr>";
  for (size_t i = 0; i < header.size(); ++i) {
    const bool number = !rows.empty() && is_number(rows.front()[i]);
    out += fmt::format("<th{}>{}</th>", number ? " class=\"number\"" : "", escaped(header[i]));
  }
  out += "</tr>\n";
  for (const auto& row : rows) {
    out += "<tr>";
    for (const std::string& cell : row) {
      out +=
          fmt::format("<td{}>{}</td>", is_number(cell) ? " class=\"number\"" : "", escaped(cell));
    }
    out += "</tr>\n";
  }
  return out + "</table>\n";
}

std::string html(const Page& page) {
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{0}</title>\n<style>{1}{2}</style>\n</head>\n<body>\n<main>\n<h1>{0}</h1>\n<p>{3}</"
      "p>\n",
      escaped(page.title), kStyle, hues(), escaped(page.subtitle));
  out += "<div class=\"figures\">\n";
  for (const Figure& f : page.figures) {
    out += fmt::format("<div class=\"figure\"><b>{}</b><span>{}</span></div>\n", escaped(f.value),
                       escaped(f.name));
  }
  out += "</div>\n";
  for (const Section& s : page.sections) {
    if (s.body.empty()) continue;
    out += fmt::format("<section>\n<h2>{}</h2>\n<p>{}</p>\n{}</section>\n", escaped(s.title),
                       escaped(s.note), s.body);
  }
  return out +
         fmt::format("<footer>{}</footer>\n</main>\n</body>\n</html>\n", escaped(page.footer));
}

}  // namespace trainyard::cluster
