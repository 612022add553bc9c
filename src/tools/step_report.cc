// The HTML report of one step.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "cluster/report/charts.h"
#include "cluster/report/html.h"
#include "tools/knob_meaning.h"
#include "tools/quantities.h"
#include "tools/step_screen.h"

namespace trainyard::tools {

using namespace cluster;

namespace {

// Nine of ten of a normal distribution lie within this many deviations.
constexpr double kNineOfTen = 1.645;

std::vector<Share> part_shares(const Step& step) {
  std::vector<Share> shares;
  const auto parts = by_part(step.parts);
  for (int i = 0; i < kStepParts; ++i) {
    shares.push_back({std::string(step_part(i)), parts[static_cast<size_t>(i)]});
  }
  return shares;
}

std::string timeline(const StepAnswer& a) {
  PipelineShape shape = a.pipeline;
  if (shape.stages == 1) return "";
  // Enough for the fill, some turns and the drain.
  shape.micro_batches = std::min(shape.micro_batches, 2 * shape.stages);
  return timeline_chart(pipeline_schedule(shape), shape.stages);
}

std::string memory_bars(const StepAnswer& a) {
  std::vector<StackedBar> bars;
  const Workload& w = a.job.work;
  for (const Recompute r : {Recompute::None, Recompute::Selective, Recompute::Full}) {
    if (r == Recompute::Selective && a.rules.flash) continue;
    Layout l = a.job.layout;
    l.recompute = r;
    const Memory m = memory({w.model, l, a.job.batch, w.precision, w.optimizer, a.rules});
    StackedBar bar{fmt::format("{}{}", name(r), r == a.job.layout.recompute ? " (this)" : ""), {}};
    const auto kinds = by_kind(m);
    for (int i = 0; i < kMemoryKinds; ++i) {
      bar.shares.push_back({std::string(memory_kind(i)), kinds[static_cast<size_t>(i)] / 1e9});
    }
    bars.push_back(std::move(bar));
  }
  return stacked_chart(bars, "GB", a.rules.usable * a.rules.hbm / 1e9, "usable");
}

std::string roofline(const StepAnswer& a) {
  std::map<std::string, RoofPoint> by_name;
  double all = 0;
  for (const LayerLine& line : a.lines) all += line.times * line.time.total;
  for (const LayerLine& line : a.lines) {
    const double work = flops(line.shape);
    if (work <= 0) continue;
    const std::string label =
        line.layer == "head"
            ? line.kernel
            : fmt::format("{}{}", line.layer == "layer" ? "" : line.layer + " ", line.kernel);
    by_name[label] = {label, work / least_bytes(line.shape), work / line.time.total,
                      line.times * line.time.total / all};
  }
  std::vector<RoofPoint> points;
  for (const auto& [label, point] : by_name) points.push_back(point);
  const StepModel model(a.job.work, calibrated());
  const double ranks = static_cast<double>(model.limits().ranks);
  const double memory = 1e9 * a.job.work.system.accelerator.hbm_bytes_per_ns.value *
                        static_cast<double>(a.job.work.chips) / ranks;
  return roofline_chart(points, a.peak_flops / ranks, memory);
}

// More or fewer replicas with the same batch, and with a batch that grows with them. Level is
// perfect scaling.
std::string scaling(const StepAnswer& a) {
  Series strong{.name = "same global batch", .x = {}, .y = {}};
  Series weak{.name = "batch grows with the chips", .x = {}, .y = {}};
  for (int shift = -4; shift <= 5; ++shift) {
    const double factor = std::exp2(shift);
    const double dp = static_cast<double>(a.job.layout.dp) * factor;
    const double chips = static_cast<double>(a.job.work.chips) * factor;
    if (dp < 1 || dp != std::floor(dp) || chips != std::floor(chips) || chips > 1e6) continue;
    Workload work = a.job.work;
    work.collectives = nullptr;
    work.chips = static_cast<int64_t>(chips);
    Layout layout = a.job.layout;
    layout.dp = static_cast<int64_t>(dp);
    const StepModel model(work, calibrated());
    Batch batch = a.job.batch;
    const auto add = [&](Series& series) {
      if (!check_layout(work.model, layout, batch, model.limits()).ok()) return;
      series.x.push_back(chips);
      series.y.push_back(model.evaluate(layout, batch).tokens_per_s / chips);
    };
    add(strong);
    batch.global = static_cast<int64_t>(static_cast<double>(a.job.batch.global) * factor);
    if (batch.global >= 1) add(weak);
  }
  return line_chart({strong, weak}, {"chips", "tokens/s of one chip", true, false});
}

std::string sensitivity(const StepAnswer& a) {
  std::vector<TornadoBar> bars;
  const Job& job = a.job;
  for (const KnobEffect& e : knob_effects(job.work, job.layout, job.batch, calibrated())) {
    const KnobInfo& info = knob_table()[static_cast<size_t>(e.knob)];
    const double factor = std::exp(kNineOfTen * info.doubt);
    const double low = std::max(info.low, info.value / factor);
    const double high = std::min(info.high, info.value * factor);
    const auto change = [&](double to) { return std::pow(to / info.value, e.slope) - 1; };
    TornadoBar bar{.name = std::string(info.name),
                   .low_text = fmt::format("{:.3g} {}", low, info.unit),
                   .high_text = fmt::format("{:.3g} {}", high, info.unit),
                   .low = change(low),
                   .high = change(high)};
    if (std::max(std::abs(bar.low), std::abs(bar.high)) > 0.002) bars.push_back(std::move(bar));
  }
  std::ranges::stable_sort(bars, [](const TornadoBar& x, const TornadoBar& y) {
    return std::max(std::abs(x.low), std::abs(x.high)) >
           std::max(std::abs(y.low), std::abs(y.high));
  });
  if (bars.size() > 12) bars.resize(12);
  if (bars.empty()) return "";
  std::vector<std::vector<std::string>> meanings;
  for (const TornadoBar& bar : bars) meanings.push_back({bar.name, knob_meaning(bar.name)});
  return tornado_chart(bars) + html_table({"constant", "meaning"}, meanings);
}

std::string kernel_table(const StepAnswer& a) {
  std::vector<LayerLine> lines = a.lines;
  std::ranges::stable_sort(lines, [](const LayerLine& x, const LayerLine& y) {
    return x.times * x.time.total > y.times * y.time.total;
  });
  if (lines.size() > 14) lines.resize(14);
  std::vector<std::vector<std::string>> rows;
  for (const LayerLine& l : lines) {
    const double rate = flops(l.shape) / l.time.total;
    rows.push_back({l.layer, l.kernel, fmt::format("{:.1f}", 1e6 * l.time.total),
                    fmt::format("{:.4g}", l.times * l.time.total), std::string(name(l.time.limit)),
                    rate > 0 ? fmt::format("{:.3g}", rate / 1e12) : ""});
  }
  return html_table({"layer", "kernel", "us each", "s per step", "bound by", "TFLOP/s per rank"},
                    rows);
}

}  // namespace

std::string step_report(const StepAnswer& a) {
  const Workload& w = a.job.work;
  const Step& s = a.step;
  Page page{.title = fmt::format("Training step of {}", w.model.name),
            .subtitle = fmt::format(
                "{:.2f} B parameters on {} chips of {}; {}; {} micro batches of {} x "
                "{} tokens; {}",
                parameters(w.model) / 1e9, w.chips, w.system.name, text(a.job.layout),
                s.micro_batches, a.job.batch.micro, a.job.batch.sequence, name(w.software.stack))};
  page.figures = {
      {fmt::format("{:.3g} s", s.total),
       fmt::format("step ({:.3g} to {:.3g} s)", s.total / a.band.high, s.total / a.band.low)},
      {short_count(s.tokens_per_s), "tokens per second"},
      {fmt::format("{:.1f} %", 100 * s.mfu), "MFU, listed peak"},
      {fmt::format("{:.1f} GB", s.memory.total() / 1e9),
       fmt::format("of {:.1f} GB per rank", a.rules.hbm / 1e9)}};
  page.sections = {
      {"Where the time goes", "Parts of one step; they add up to it.",
       shares_chart(part_shares(s), "s")},
      {"Pipeline",
       "The first micro batches of the 1F1B schedule, stage by stage. White is waiting.",
       timeline(a)},
      {"Memory of one rank", "The fullest stage, by what is recomputed in the backward pass.",
       memory_bars(a)},
      {"Roofline", "Products of one layer and the head. The size of a dot is its share of compute.",
       roofline(a)},
      {"Scaling",
       "More data-parallel replicas with the same tensor and pipeline layout. A level line is "
       "perfect scaling.",
       scaling(a)},
      {"Kernels", "The longest of one micro batch, with what bounds them.", kernel_table(a)},
      {"What the answer rests on",
       "Change of the step time when one calibrated constant moves through nine tenths of its "
       "doubt.",
       sensitivity(a)}};
  page.footer =
      "Trust: assumed. The constants are calibrated on published runs "
      "(docs/cluster/step-model.md).";
  for (const std::string& note : a.job.notes) page.footer += fmt::format("\nAssumed: {}.", note);
  return html(page);
}

}  // namespace trainyard::tools
