#include "cluster/training/fidelity.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "cluster/training/neuron_timer.h"

namespace trainyard::cluster {
namespace {

double tokens_of(const PublishedRun& run) {
  const Model& model = run.workloads.front().model;
  const int64_t each = model.fixed_sequence > 0 ? model.fixed_sequence : run.batch.sequence;
  return static_cast<double>(run.batch.global) * static_cast<double>(each);
}

double published_seconds(const PublishedRun& run) { return tokens_of(run) / run.tokens_per_s; }

// The time at full utilisation.
double ideal_seconds(const PublishedRun& run) {
  const StepModel model(run.workloads.front(), calibrated());
  return static_cast<double>(run.batch.global) *
         model_flops(run.workloads.front().model, run.batch.sequence) / model.peak_flops();
}

// Ratios of a baseline that divides an ideal time by one efficiency per group: the geometric mean
// over the group's other configurations, or over all others where there is none.
std::vector<double> left_out_baseline(
    const std::vector<PublishedRun>& runs, const std::function<double(const PublishedRun&)>& ideal,
    const std::function<std::string(const PublishedRun&)>& group) {
  std::vector<double> efficiency;  // logarithms
  for (const PublishedRun& run : runs) {
    efficiency.push_back(std::log(ideal(run) / published_seconds(run)));
  }
  std::vector<double> ratios;
  for (size_t i = 0; i < runs.size(); ++i) {
    double same = 0, same_weight = 0, all = 0, all_weight = 0;
    for (size_t j = 0; j < runs.size(); ++j) {
      if (runs[j].config_key == runs[i].config_key) continue;
      all += efficiency[j];
      all_weight += 1;
      if (group(runs[j]) != group(runs[i])) continue;
      same += efficiency[j];
      same_weight += 1;
    }
    const double guess = same_weight > 0  ? same / same_weight
                         : all_weight > 0 ? all / all_weight
                                          : 0;
    // predicted rate over published rate = published time over predicted time
    ratios.push_back(std::exp(guess - efficiency[i]));
  }
  return ratios;
}

std::string class_of(const PublishedRun& run) {
  return run.hardware + " " + std::string(name(run.model_class));
}

std::string summary_of(const PublishedRun& run) {
  if (!run.workloads.front().software.neuron()) return "all peers";
  const bool decoder =
      run.model_class == ModelClass::Decoder || run.model_class == ModelClass::Mixture;
  return decoder ? "all Trainium decoders" : "all Trainium encoders";
}

FidelityGroup group_of(const std::string& name, const std::vector<const FidelityRow*>& rows) {
  const auto collect = [&](double FidelityRow::*field) {
    std::vector<double> ratios;
    for (const FidelityRow* row : rows) ratios.push_back(row->*field);
    return errors_of(std::move(ratios));
  };
  FidelityGroup g{.name = name,
                  .in_sample = collect(&FidelityRow::in_sample),
                  .left_out = collect(&FidelityRow::left_out),
                  .constant_mfu = collect(&FidelityRow::constant_mfu),
                  .roofline = collect(&FidelityRow::roofline)};
  double inside = 0;
  for (const FidelityRow* row : rows) {
    inside += row->band.contains(1 / row->left_out) ? 1 : 0;
    g.widest = std::max(g.widest, row->band.high - 1);
  }
  g.covered = inside / static_cast<double>(rows.size());
  return g;
}

// What a row itself leaves open.
double row_doubt(const PublishedRun& run, const Calibration& knobs) {
  double variance = 0;
  if (run.recompute_doubt > 0) {
    PublishedRun other = run;
    other.layout.recompute =
        run.layout.recompute == Recompute::Full ? Recompute::None : Recompute::Full;
    const double gap =
        std::log(predict(other, knobs).step_s / predict(run, knobs).step_s) * run.recompute_doubt;
    variance += gap * gap / 16;
  }
  if (run.workloads.size() > 1) {
    const StepModel one(run.workloads[0], knobs), two(run.workloads[1], knobs);
    const double gap = std::log(one.evaluate(run.layout, run.batch).total /
                                two.evaluate(run.layout, run.batch).total);
    variance += gap * gap / 4;
  }
  return std::sqrt(variance);
}

}  // namespace

Errors errors_of(std::vector<double> ratios) {
  Errors e;
  e.rows = static_cast<int>(ratios.size());
  if (ratios.empty()) return e;
  for (double& ratio : ratios) ratio = std::abs(ratio - 1);
  std::ranges::sort(ratios);
  for (const double miss : ratios) e.mean += miss / static_cast<double>(ratios.size());
  const auto rank = static_cast<size_t>(std::ceil(0.9 * static_cast<double>(ratios.size())));
  e.p90 = ratios[rank - 1];
  e.worst = ratios.back();
  return e;
}

Band run_band(const PublishedRun& run, const Calibration& knobs) {
  const Workload& work = run.workloads.front();
  double variance = 0;
  for (const KnobEffect& e : knob_effects(work, run.layout, run.batch, knobs)) {
    const double sigma = e.slope * knob_table()[static_cast<size_t>(e.knob)].doubt;
    variance += sigma * sigma;
  }
  return make_band({.knobs = std::sqrt(variance), .row = row_doubt(run, knobs)},
                   work.software.neuron());
}

double roofline_seconds(const PublishedRun& run) {
  const Workload& work = run.workloads.front();
  const StepModel model(work, calibrated());
  const double ranks = static_cast<double>(model.limits().ranks);
  const double peak = model.peak_flops() / ranks;
  const double memory = 1e9 * work.system.accelerator.hbm_bytes_per_ns.value *
                        static_cast<double>(work.chips) / ranks;
  double time = 0;
  for (const LayerLine& line : model.layer_lines(run.layout, run.batch)) {
    time += line.times * std::max(flops(line.shape) / peak, least_bytes(line.shape) / memory);
  }
  return time;
}

Fidelity judge(const std::vector<PublishedRun>& runs) {
  Fidelity f;
  f.fit = fit(runs, priors());
  const std::vector<double> constant =
      left_out_baseline(runs, ideal_seconds, [](const PublishedRun& run) { return run.hardware; });
  const std::vector<double> roofline = left_out_baseline(
      runs, roofline_seconds, [](const PublishedRun&) { return std::string("all"); });
  for (size_t i = 0; i < runs.size(); ++i) {
    const BandParts parts{.knobs = f.fit.spread_left[i], .row = row_doubt(runs[i], f.fit.knobs)};
    f.rows.push_back({.run = &runs[i],
                      .in_sample = std::exp(f.fit.log_ratio[i]),
                      .left_out = std::exp(f.fit.log_ratio_left[i]),
                      .constant_mfu = constant[i],
                      .roofline = roofline[i],
                      .band = make_band(parts, runs[i].workloads.front().software.neuron())});
  }
  std::map<std::string, std::vector<const FidelityRow*>> classes, summaries;
  for (const FidelityRow& row : f.rows) {
    classes[class_of(*row.run)].push_back(&row);
    summaries[summary_of(*row.run)].push_back(&row);
  }
  for (const auto& [name, rows] : classes) f.groups.push_back(group_of(name, rows));
  for (const auto& [name, rows] : summaries) f.groups.push_back(group_of(name, rows));
  return f;
}

}  // namespace trainyard::cluster
