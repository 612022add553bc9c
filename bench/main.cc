// `./dev bench`: our speed as a share of what this host can do, measured in the same run.
#include <fmt/format.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "numerics/simd.h"
#include "rows.h"

namespace trainyard::bench {
namespace {

const Area kAreas[] = {
    {"placement", placement_rows}, {"vector", vector_rows}, {"time", time_rows},
    {"memory", memory_rows},       {"matmul", matmul_rows},
};

int run(const std::string& only, bool json) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  int failed = 0;
  if (!json) {
    fmt::print(
        "host level {}; seconds are CPU seconds of the thread unless the row says otherwise\n\n",
        numerics::name(numerics::active_simd()));
    fmt::print("{:<60} {:>10} {:>10} {:<17} {:>6}  {:<8}\n", "name", "ours", "ceiling", "unit",
               "ratio", "bar");
  }
  for (const Area& area : kAreas) {
    if (!only.empty() && only != area.name) continue;
    for (const Row& row : area.run()) {
      failed += row.passes() ? 0 : 1;
      if (json) {
        out.push_back({{"area", area.name},
                       {"name", row.name},
                       {"ours", row.ours},
                       {"ceiling", row.ceiling},
                       {"unit", row.unit},
                       {"ratio", row.ratio},
                       {"bar", row.bar},
                       {"passes", row.passes()}});
        continue;
      }
      fmt::print("{:<60} {:>10.3f} {:>10.3f} {:<17} {:>6.2f}  {} {:<5.2f} {}  {}\n", row.name,
                 row.ours, row.ceiling, row.unit, row.ratio, row.at_least ? ">=" : "<=", row.bar,
                 row.passes() ? "ok  " : "MISS", row.note);
      std::fflush(stdout);
    }
  }
  if (json) {
    fmt::print("{}\n", out.dump(2));
  } else {
    fmt::print("\n{} missed\n", failed);
  }
  return 0;  // a figure, not a test
}

}  // namespace
}  // namespace trainyard::bench

int main(int argc, char** argv) {
  std::string only;
  bool json = false;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--json") == 0) {
      json = true;
    } else if (std::strcmp(argv[i], "--only") == 0 && i + 1 < argc) {
      only = argv[++i];
    } else {
      fmt::print(
          "usage: trainyard_bench [--only placement|vector|time|memory|matmul] [--json]\n"
          "Run it from the root of the sources.\n");
      return 2;
    }
  }
  return trainyard::bench::run(only, json);
}
