// Time alone and check: instructions per second on one core. The ceiling is the bar itself.
#include "rows.h"

namespace trainyard::bench {
namespace {

// The example with its outermost repeat run more often, so that setting up does not count.
Row rate_row(const std::string& name, const std::string& text, double bar, bool check) {
  const runtime::Kernel kernel = must(load_text(text, name));
  isa::TripRecord trips;
  trips.loops.resize(kernel.program().loops.size());
  trips.branches.resize(kernel.program().branches.size());
  std::vector<double> rates;
  for (int i = 0; i < 5; ++i) {
    const double start = thread_seconds();
    double executed = 0;
    if (check) {
      const auto r = sim::check(kernel.program(), kernel.core(), trips);
      must(r.ok() ? Status() : r.status());
      if (!r->findings.empty()) must(r->findings[0].status);
      executed = static_cast<double>(r->instructions);
    } else {
      const auto r = sim::simulate_time(kernel.program(), kernel.core(), trips, {});
      must(r.ok() ? Status() : r.status());
      executed = static_cast<double>(r->executed);
    }
    rates.push_back(executed / (thread_seconds() - start) / 1e6);
  }
  return {name + (check ? ", check alone" : ", time alone"),
          median(rates),
          bar,
          "M instructions/s",
          median(rates) / bar,
          1.0,
          true,
          ""};
}

std::string example_text(const std::string& name, const std::string& from, const std::string& to) {
  const runtime::Kernel kernel = must(load_example(name));
  (void)kernel;
  std::string text;
  if (FILE* f = std::fopen(("examples/" + name + ".tya").c_str(), "r")) {
    char buffer[4096];
    for (size_t n; (n = std::fread(buffer, 1, sizeof buffer, f)) > 0;) text.append(buffer, n);
    std::fclose(f);
  }
  const size_t at = text.find(from);
  if (at == std::string::npos)
    must(error("TY-TOOL-003", "examples/{}.tya has no '{}'", name, from));
  return text.replace(at, from.size(), to);
}

}  // namespace

std::vector<Row> time_rows() {
  const std::string matmul =
      example_text("matmul", "repeat mb 4 {", "repeat again 16 { repeat mb 4 {") + "\n}\n";
  const std::string softmax =
      example_text("softmax", "repeat i 32 {", "repeat again 500 { repeat i 32 {") + "\n}\n";
  return {rate_row("matmul", matmul, 5, false), rate_row("softmax", softmax, 5, false),
          rate_row("matmul", matmul, 1, true), rate_row("softmax", softmax, 1, true)};
}

}  // namespace trainyard::bench
