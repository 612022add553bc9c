#include "tools/topology_drawing.h"

#include <fmt/format.h>

namespace trainyard::tools {
namespace {

using cluster::Topology;

constexpr int kCell = 9;  // columns from one cell to the next

std::string cell(int32_t chip) { return fmt::format("[{:>2} ]", chip); }

// `mark` under every cell of a row.
std::string under(int32_t columns, const char* mark) {
  std::string line = "      ";
  for (int32_t c = 0; c < columns; ++c) line += mark + std::string(kCell - 1, ' ');
  while (line.ends_with(' ')) line.pop_back();
  return line + "\n";
}

// Chips [first, first + columns) and the links between them; a closed row has stars at its ends.
std::string row(int32_t first, int32_t columns, bool closed) {
  std::string line = closed ? "*––►" : "    ";
  for (int32_t c = 0; c < columns; ++c) {
    if (c > 0) line += "◄––►";
    line += cell(first + c);
  }
  return line + (closed ? "◄––*" : "") + "\n";
}

std::string plane(int32_t first, int32_t columns, int32_t rows) {
  const bool wide = columns > 2, tall = rows > 2;
  std::string out;
  if (tall) out += under(columns, "*") + under(columns, "│") + under(columns, "▼");
  for (int32_t r = 0; r < rows; ++r) {
    out += row(first + r * columns, columns, wide);
    const bool last = r + 1 == rows;
    if (last && !tall) break;
    out += under(columns, "▲") + under(columns, "│");
    out += last ? under(columns, "*") : under(columns, "▼");
  }
  return out;
}

std::string torus(const Topology& t) {
  std::string out;
  for (int32_t z = 0; z < t.dims[2]; ++z) {
    if (t.dims[2] > 1) out += fmt::format("{}Server {}\n", z > 0 ? "\n" : "", z);
    out += plane(z * t.dims[0] * t.dims[1], t.dims[0], t.dims[1]);
  }
  if (t.dims[2] > 1) {
    out += fmt::format("\nEach chip is linked to the same place of the {} server{}.\n",
                       t.dims[2] > 2 ? "next and the previous" : "other", "");
  }
  return out;
}

// More than a screen holds.
constexpr int32_t kMaxDrawnColumns = 16;

}  // namespace

std::string draw(const Topology& t) {
  switch (t.shape) {
    case hw::Shape::Single:
      return row(0, 1, false);
    case hw::Shape::Chain:
      return row(0, t.chips, false);
    case hw::Shape::Ring:
      return row(0, t.chips, true) + "\nLegend:\n\n        *––► = Wrap-around link\n";
    case hw::Shape::Torus:
      if (t.dims[0] > kMaxDrawnColumns || t.chips > 256) {
        return fmt::format("{} x {} x {} torus of {} chips, every axis closed\n", t.dims[0],
                           t.dims[1], t.dims[2], t.chips);
      }
      return torus(t) + "\nLegend:\n\n        *––► = Wrap-around link\n";
    case hw::Shape::Switch:
      return fmt::format("{} chips into one switch\n", t.chips);
    case hw::Shape::FullMesh:
      return fmt::format("{} chips, each linked to each other\n", t.chips);
    case hw::Shape::Sleds:
      return fmt::format(
          "{0} chips: {1} sleds of {2} behind a switch each, two groups of {3} behind switches of "
          "a second level,\nand a direct link from chip i of the first group to chip i + {3}\n",
          t.chips, t.chips / t.sled_chips, t.sled_chips, t.group_chips);
  }
  return "";
}

}  // namespace trainyard::tools
