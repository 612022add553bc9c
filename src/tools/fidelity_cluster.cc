#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "cluster/training/fidelity.h"
#include "tools/command.h"

namespace trainyard::tools {
namespace {

using namespace cluster;

struct Options {
  std::string csv = "../shared/benchmarks/calibrate.csv";
  bool rows = false, knobs = false, latest = false;
};

std::string percent(const Errors& e) {
  return fmt::format("{:6.1f} {:6.1f} {:6.1f}", 100 * e.mean, 100 * e.p90, 100 * e.worst);
}

void print_rows(const Fidelity& f, bool only_latest) {
  fmt::print("{:<7}{:<7}{:<34} {:>13} {:>13} {:>7} {:>9} {:>6}\n", "id", "hw", "model and layout",
             "published", "ours tok/s", "ratio", "left out", "band");
  for (const FidelityRow& row : f.rows) {
    if (only_latest && !row.run->latest) continue;
    const std::string what =
        fmt::format("{} {}", row.run->workloads.front().model.name, text(row.run->layout));
    fmt::print("{:<7}{:<7}{:<34.34} {:>13.0f} {:>13.0f} {:>7.3f} {:>9.3f} {:>5.0f}%\n", row.run->id,
               row.run->hardware, what, row.run->tokens_per_s,
               row.in_sample * row.run->tokens_per_s, row.in_sample, row.left_out,
               100 * (row.band.high - 1));
  }
}

void print_groups(const Fidelity& f) {
  fmt::print("\nabsolute error in %: mean, p90, worst\n");
  fmt::print("{:<24}{:>5}  {:^20}  {:^20}  {:^20}  {:^20}  {:>6} {:>6}\n", "", "rows", "in sample",
             "left out", "constant MFU", "roofline", "inside", "widest");
  for (const FidelityGroup& g : f.groups) {
    fmt::print("{:<24}{:>5}  {}  {}  {}  {}  {:>5.0f}% {:>5.0f}%\n", g.name, g.left_out.rows,
               percent(g.in_sample), percent(g.left_out), percent(g.constant_mfu),
               percent(g.roofline), 100 * g.covered, 100 * g.widest);
  }
  fmt::print(
      "\nin sample: fitted to all rows. left out: fitted without the configuration of the row; so "
      "are both\nbaselines. inside: rows whose published value lies in the left-out band.\n");
}

// What the step model promises for configurations that it has not seen.
struct Bar {
  std::string_view group;
  double mean, p90, worst;  // 0: no promise
  double widest;
};
constexpr Bar kBars[] = {
    {"all Trainium decoders", 0.12, 0, 0.30, 0.30},
    {"all Trainium encoders", 0.20, 0, 0, 0.30},
    {"all peers", 0.10, 0.20, 0, 0.25},
};
constexpr double kInside = 0.9;  // of the rows, in their bands

// True if every bar is met.
bool print_bars(const Fidelity& f) {
  bool all = true;
  fmt::print("\nbars, leaving one configuration out\n");
  const auto line = [&](std::string_view group, std::string_view what, double value, double limit,
                        bool met) {
    all = all && met;
    fmt::print("  {:<24}{:<18}{:>6.1f} % of {:>3.0f} %  {}\n", group, what, 100 * value,
               100 * limit, met ? "met" : "MISSED");
  };
  for (const FidelityGroup& g : f.groups) {
    const auto* bar = std::ranges::find_if(kBars, [&](const Bar& b) { return b.group == g.name; });
    if (bar == std::end(kBars)) continue;
    line(g.name, "mean error", g.left_out.mean, bar->mean, g.left_out.mean <= bar->mean);
    if (bar->p90 > 0) line(g.name, "p90", g.left_out.p90, bar->p90, g.left_out.p90 <= bar->p90);
    if (bar->worst > 0) {
      line(g.name, "worst", g.left_out.worst, bar->worst, g.left_out.worst <= bar->worst);
    }
    line(g.name, "widest band", g.widest, bar->widest, g.widest <= bar->widest);
    line(g.name, "inside the band", g.covered, kInside, g.covered >= kInside);
  }
  return all;
}

void print_knobs(const Fidelity& f) {
  for (size_t i = 0; i < kKnobCount; ++i) {
    const KnobInfo& k = knob_table()[i];
    const bool free = k.spread > 0;
    fmt::print("TY_KNOB({}, {:.4g}, {:.3g}, {:.6g}, {:.6g}, {:.6g}, {:.6g}, \"{}\", \"{}\")\n",
               k.name, free ? f.fit.knobs.values[i] : k.prior, free ? f.fit.doubt.values[i] : 0,
               k.prior, k.spread, k.low, k.high, k.unit, k.meaning);
  }
}

// How far the built-in knobs are from those that this table gives.
double knob_drift(const Fidelity& f) {
  double largest = 0;
  for (size_t i = 0; i < kKnobCount; ++i) {
    largest = std::max(largest, std::abs(std::log(f.fit.knobs.values[i] / knob_table()[i].value)));
  }
  return largest;
}

Result<int> judge_table(const Options& o) {
  const Result<CsvTable> table = load_csv(o.csv);
  if (!table) return table.status();
  std::vector<PublishedRun> runs;
  int refused = 0;
  for (size_t i = 0; i < table->rows.size(); ++i) {
    Result<PublishedRun> run = published_run(*table, i);
    if (run && run->tokens_per_s > 0) {
      runs.push_back(std::move(*run));
    } else {
      ++refused;
      fmt::print(stderr, "row {}: {}\n", i + 1, run ? "no tokens_per_s" : run.status().str());
    }
  }
  if (runs.empty())
    return error("TY-CLU-231", "no row of '{}' can be predicted; run with --rows to see why",
                 o.csv);
  const Fidelity f = judge(runs);
  if (o.knobs) {
    print_knobs(f);
    return 0;
  }
  fmt::print("{} rows of {}, {} refused\n\n", runs.size(), o.csv, refused);
  print_rows(f, !o.rows);
  if (!o.rows) fmt::print("(newest row of each configuration; --rows for all)\n");
  print_groups(f);
  fmt::print("the built-in knobs differ from this fit by at most {:.1f} %\n",
             100 * std::expm1(knob_drift(f)));
  return print_bars(f) ? 0 : 1;
}

}  // namespace

Run declare_fidelity_cluster(CLI::App& app) {
  const auto options = std::make_shared<Options>();
  app.add_option("csv", options->csv, "Published runs, in the format of calibrate.csv")
      ->capture_default_str();
  app.add_flag("--rows", options->rows, "Every row, not only the newest of each configuration");
  app.add_flag("--knobs", options->knobs,
               "Print the fitted knobs as src/cluster/training/knobs.inc");
  return [options] { return judge_table(*options); };
}

}  // namespace trainyard::tools
