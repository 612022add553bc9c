#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/units.h"
#include "numerics/simd.h"
#include "tools/command.h"
#include "tools/host.h"
#include "tools/slow.h"
#include "tools/units.h"
#include "tools/version.h"

namespace trainyard::tools {
namespace {

struct Options {
  bool json = false;
};

std::string size_text(int64_t bytes) {
  if (bytes <= 0) return "unknown";
  if (bytes >= GiB) return fmt::format("{:.1f} GiB", static_cast<double>(bytes) / GiB);
  if (bytes >= MiB) return fmt::format("{} MiB", bytes / MiB);
  return fmt::format("{} KiB", bytes / KiB);
}

std::string count_text(int count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

Circumstances circumstances() {
  const bool held = numerics::active_simd() != numerics::host_simd();
  return {.host = host(),
          .units = units_of_host(),
          .build_type = build_type(),
          .held_at = held ? name(numerics::active_simd()) : ""};
}

void print_text(const Circumstances& now) {
  const Host& host = now.host;
  std::vector<std::string> versions;
  for (const Library& library : libraries()) {
    versions.push_back(fmt::format("{} {}", library.name, library.version));
  }
  fmt::print("trainyard  {}, built as {} by {}\n", version(), build_type(), compiler());
  fmt::print("libraries  {}\n\n", fmt::join(versions, ", "));
  fmt::print("processor  {}\n", host.cpu_model.empty() ? "unknown model" : host.cpu_model);
  fmt::print("           {}, {}, {}\n", count_text(host.cores, "core"),
             count_text(host.threads, "thread"), count_text(host.numa_nodes, "NUMA node"));
  fmt::print("caches     L1d {}, L2 {}, L3 {}\n", size_text(host.l1d_bytes),
             size_text(host.l2_bytes), size_text(host.l3_bytes));
  fmt::print("memory     {}, {} available\n\n", size_text(host.memory_bytes),
             size_text(host.available_bytes));
  fmt::print("unit           present  usable\n");
  for (const Unit& unit : now.units.all()) {
    fmt::print("{:<13}  {:<7}  {}\n", unit.name, unit.present ? "yes" : "no",
               unit.usable ? "yes" : "no");
  }
  fmt::print("\nSIMD       {} in use, {} is the best of this host\n", name(numerics::active_simd()),
             name(numerics::host_simd()));
  const std::vector<std::string> reasons = what_is_slow(now);
  if (reasons.empty()) fmt::print("slow       nothing found\n");
  for (const std::string& reason : reasons) fmt::print("slow       {}\n", reason);
}

void print_json(const Circumstances& now) {
  const Host& host = now.host;
  nlohmann::ordered_json report;
  report["trainyard"] = version();
  report["build_type"] = build_type();
  report["compiler"] = compiler();
  for (const Library& library : libraries()) report["libraries"][library.name] = library.version;
  report["processor"] = {{"model", host.cpu_model},     {"cores", host.cores},
                         {"threads", host.threads},     {"numa_nodes", host.numa_nodes},
                         {"l1d_bytes", host.l1d_bytes}, {"l2_bytes", host.l2_bytes},
                         {"l3_bytes", host.l3_bytes}};
  report["memory"] = {{"bytes", host.memory_bytes}, {"available_bytes", host.available_bytes}};
  for (const Unit& unit : now.units.all()) {
    report["units"][std::string(unit.name)] = {{"present", unit.present}, {"usable", unit.usable}};
  }
  report["simd_level"] = name(numerics::active_simd());
  report["simd_best"] = name(numerics::host_simd());
  report["slow"] = what_is_slow(now);
  fmt::print("{}\n", report.dump(2));
}

}  // namespace

Run declare_doctor(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  app.add_flag("--json", options->json, "Print one JSON object");
  return [options]() -> Result<int> {
    if (options->json) {
      print_json(circumstances());
    } else {
      print_text(circumstances());
    }
    return 0;
  };
}

}  // namespace trainyard::tools
