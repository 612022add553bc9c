// Pages as plain text and as Markdown.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/check.h"
#include "hw/explain.h"
#include "hw/fields.h"
#include "hw/units.h"

namespace trainyard::hw {
namespace {

constexpr size_t kColumns = 100;

std::string wrapped(std::string_view paragraph) {
  std::string out;
  size_t column = 0;
  while (!paragraph.empty()) {
    const size_t end = std::min(paragraph.find(' '), paragraph.size());
    if (column > 0 && column + 1 + end > kColumns) {
      out += '\n';
      column = 0;
    } else if (column > 0) {
      out += ' ';
      ++column;
    }
    out += paragraph.substr(0, end);
    column += end;
    paragraph.remove_prefix(std::min(end + 1, paragraph.size()));
  }
  return out + '\n';
}

std::string with_unit(const PageRow& row) {
  return row.unit.empty() ? row.value : row.value + " " + row.unit;
}

std::string provenance(const PageRow& row) { return fmt::format("{} ({})", row.trust, row.source); }

// One letter per trust keeps the tables of docs/machine narrow.
char letter(Trust trust) {
  constexpr std::array<char, 4> kLetters = {'D', 'I', 'M', 'A'};
  return kLetters[static_cast<size_t>(trust)];
}

const Unit& unit_called(std::string_view name) {
  const auto unit = std::ranges::find(units(), name, &Unit::name);
  TY_CHECK(unit != units().end());
  return *unit;
}

}  // namespace

std::string text(const Page& page) {
  std::string out = fmt::format("{}\n", page.title);
  for (const std::string& paragraph : page.paragraphs) out += "\n" + wrapped(paragraph);
  size_t key = 0, value = 0, trust = 0;
  for (const PageRow& row : page.rows) {
    key = std::max(key, row.key.size());
    value = std::max(value, with_unit(row).size());
    trust = std::max(trust, provenance(row).size());
  }
  if (!page.rows.empty()) out += "\n";
  for (const PageRow& row : page.rows) {
    std::string line = fmt::format("  {:<{}}  {:<{}}  {:<{}}  {}", row.key, key, with_unit(row),
                                   value, provenance(row), trust, row.meaning);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

std::string unit_markdown(std::string_view unit_name) {
  const Unit& unit = unit_called(unit_name);
  std::string out = fmt::format("# {}\n", unit.title);
  for (const std::string_view paragraph : unit.paragraphs) out += "\n" + wrapped(paragraph);
  out +=
      "\nThe constants of NeuronCore-v2 (Trainium1, Inferentia2), v3 (Trainium2) and v4 "
      "(Trainium3).\nD is documented, I derived, M measured, A assumed; the last column has the "
      "sources\n(docs/sources.md). This page is written by `unit_markdown` in src/hw.\n\n"
      "| key | v2 | v3 | v4 | unit | meaning | sources |\n|---|---|---|---|---|---|---|\n";
  for (const CoreField& field : core_fields()) {
    if (std::ranges::find(unit.groups, field.group) == unit.groups.end()) continue;
    std::string values, sources, last;
    for (const CoreSpec* core : {&kNeuronCoreV2, &kNeuronCoreV3, &kNeuronCoreV4}) {
      const FactView fact = field.get(*core);
      values += fmt::format(" {} {} |", value_text(fact.value, field.kind), letter(fact.trust));
      if (fact.source == last) continue;
      sources += fmt::format("{}{}", last.empty() ? "" : ", ", fact.source);
      last = fact.source;
    }
    out += fmt::format("| `{}.{}` |{} {} | {} | {} |\n", field.group, field.name, values,
                       field.unit, field.meaning, sources);
  }
  return out;
}

}  // namespace trainyard::hw
